"""Trials in processes on this machine; with one worker, in this very process.

Why not a pool of `concurrent.futures` or joblib: when one of their processes is killed, perhaps because memory ran out,
every trial that is running or waiting fails with it (`BrokenProcessPool`, `TerminatedWorkerError`), and neither says
which trial it was. Here each process has a pipe of its own: its death costs that one trial, which is begun again from
its checkpoint and counted, and the same pipe reports each epoch.
"""

import multiprocessing
import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection, wait
from typing import Any

from oneof.engines.base import DEFAULT_RETRIES, Deaths, Engine, Failed, R, Report, T, Watch, Work, attempt


class Local(Engine):
    """Does `workers` trials side by side. A worker that dies costs no trial but its own."""

    def __init__(self, workers: int = 2, *, retries: int = DEFAULT_RETRIES) -> None:
        super().__init__(retries)
        if workers < 1:
            raise ValueError(f"workers must be at least 1, not {workers}")
        self.workers = workers

    def run(self, work: Work[T, R], trials: Mapping[str, T], watch: Watch) -> Iterator[tuple[str, R | Failed]]:
        """Do the trials in the given order. With one worker they are done in this process, and may end it."""
        if self.workers > 1:
            yield from self._in_processes(work, trials, watch)
            return
        for name, trial in trials.items():
            watch.started(name)
            yield name, attempt(work, trial, partial(watch.epoch, name))

    def close(self) -> None:
        """Do nothing: the workers end with their trials."""

    def _in_processes(
        self, work: Work[T, R], trials: Mapping[str, T], watch: Watch
    ) -> Iterator[tuple[str, R | Failed]]:
        # Pickled here: multiprocessing would let torch put tensors in shared memory, of which there may be little.
        payload = pickle.dumps(work)
        queue, deaths = deque(trials), Deaths(self.retries, watch)
        idle: list[_Worker] = []
        busy: dict[Connection, _Worker] = {}
        try:
            while queue or busy:
                while queue and len(busy) < self.workers:
                    worker = idle.pop() if idle else _Worker(payload)
                    busy[worker.connection] = worker
                    name = queue.popleft()
                    watch.started(name)
                    worker.begin(name, trials[name])
                for ready in wait(list(busy)):
                    assert isinstance(ready, Connection)
                    worker = busy[ready]
                    try:
                        epoch, result = ready.recv()
                    except (EOFError, OSError):
                        del busy[ready]
                        verdict = deaths.verdict(worker.name, worker.cause_of_death())
                        if verdict is None:
                            queue.appendleft(worker.name)
                        else:
                            yield worker.name, verdict
                        continue
                    if epoch is not None:
                        watch.epoch(worker.name, epoch)
                    else:
                        idle.append(busy.pop(ready))
                        yield worker.name, result if isinstance(result, Failed) else pickle.loads(result)
        finally:
            # Workers that are still busy were cut off by Ctrl-C or an error; their trials have checkpoints to go on
            # from.
            for worker in (*idle, *busy.values()):
                worker.end()


class _Worker:
    """A process that does one trial after another, and the pipe to it."""

    def __init__(self, payload: bytes) -> None:
        # Spawned, not forked: torch's threads do not survive a fork.
        context = multiprocessing.get_context("spawn")
        self.name = ""
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()  # so that the pipe ends when the worker does
        self._send(payload)

    def begin(self, name: str, trial: object) -> None:
        self.name = name
        self._send(pickle.dumps(trial))

    def _send(self, message: bytes) -> None:
        with suppress(OSError):  # the worker has died already, which the next read will show
            self.connection.send_bytes(message)

    def end(self) -> None:
        """End the process, if it has not ended yet."""
        self._process.terminate()
        self._process.join()
        self._process.close()
        self.connection.close()

    def cause_of_death(self) -> str:
        """How the process died, now that its pipe has ended."""
        self._process.join(timeout=10)
        code = self._process.exitcode
        self.end()
        if code is None or code >= 0:
            return f"with exit code {code}"
        return f"killed by {signal.Signals(-code).name}" + (", perhaps because memory ran out" if code == -9 else "")


def _serve(connection: Connection) -> None:
    """Do the trials that come through the pipe until it ends."""
    # Ctrl-C reaches every process of a terminal, but it is the main process that ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    payload = connection.recv_bytes()
    work: Work[Any, Any] | None = None

    def pickled(message: bytes, report: Report) -> bytes:
        # Unpickled here, so that what cannot be pickled is an error of the trial and not the death of the worker.
        nonlocal work
        work = work or pickle.loads(payload)
        return pickle.dumps(work(pickle.loads(message), report))

    with suppress(EOFError):
        while True:
            result = attempt(pickled, connection.recv_bytes(), lambda epoch: connection.send((epoch, None)))
            connection.send((None, result))


def _leave_with_parent() -> None:
    """End this worker when the main process is gone, perhaps killed: nobody would take its results."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
