"""Trials in processes on this machine; with one worker, in this very process.

Why not a pool of `concurrent.futures` or joblib: when one of their processes is killed, for want of memory perhaps,
every trial that is running or waiting fails with it (`BrokenProcessPool`, `TerminatedWorkerError`), and neither says
which trial it was. Here each process has a wire of its own: its death costs that one trial, which is begun again from
its checkpoint and counted, and the same wire tells of each epoch. Nothing else is done here.
"""

from __future__ import annotations

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
    """`workers` trials side by side. A worker that dies, for want of memory perhaps, costs nobody else's trial."""

    def __init__(self, workers: int = 2, *, retries: int = DEFAULT_RETRIES) -> None:
        super().__init__(retries)
        if workers < 1:
            raise ValueError(f"workers must be at least 1, not {workers}")
        self.workers = workers

    def run(self, work: Work[T, R], trials: Mapping[str, T], watch: Watch) -> Iterator[tuple[str, R | Failed]]:
        """Do the trials, in the order given; with one worker the death of a trial is that of this process."""
        if self.workers > 1:
            yield from self._in_processes(work, trials, watch)
            return
        for name, trial in trials.items():
            watch.started(name)
            yield name, attempt(work, trial, partial(watch.epoch, name))

    def close(self) -> None:
        """Do nothing: the workers are gone when their trials are."""

    def _in_processes(
        self, work: Work[T, R], trials: Mapping[str, T], watch: Watch
    ) -> Iterator[tuple[str, R | Failed]]:
        # Pickled plainly: left to itself torch would put tensors in shared memory, of which there may be little.
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
                        epoch, outcome = ready.recv()
                    except (EOFError, OSError):
                        del busy[ready]
                        verdict = deaths.verdict(worker.name, worker.epitaph())
                        if verdict is None:
                            queue.appendleft(worker.name)
                        else:
                            yield worker.name, verdict
                        continue
                    if epoch is not None:
                        watch.epoch(worker.name, epoch)
                    else:
                        idle.append(busy.pop(ready))
                        yield worker.name, outcome if isinstance(outcome, Failed) else pickle.loads(outcome)
        finally:
            # Who is still busy was cut off, by Ctrl-C or a fault. A checkpoint is enough to go on from: no waiting.
            for worker in (*idle, *busy.values()):
                worker.end()


class _Worker:
    """A process that does one trial after another, and the wire to it."""

    def __init__(self, payload: bytes) -> None:
        # Spawned, not forked: torch's threads do not survive a fork.
        context = multiprocessing.get_context("spawn")
        self.name = ""
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()  # so that the wire ends when the worker does
        self._send(payload)

    def begin(self, name: str, trial: object) -> None:
        self.name = name
        self._send(pickle.dumps(trial))

    def _send(self, message: bytes) -> None:
        with suppress(OSError):  # it has died already, which the next read will tell
            self.connection.send_bytes(message)

    def end(self) -> None:
        """Make sure that the process is gone."""
        self._process.terminate()
        self._process.join()
        self._process.close()
        self.connection.close()

    def epitaph(self) -> str:
        """Say how the process died whose wire has ended."""
        self._process.join(timeout=10)
        code = self._process.exitcode
        self.end()
        if code is None or code >= 0:
            return f"with exit code {code}"
        return f"killed by {signal.Signals(-code).name}" + (", perhaps for want of memory" if code == -9 else "")


def _serve(connection: Connection) -> None:
    """Do the trials that come down the wire until it ends."""
    # Ctrl-C reaches every process of a terminal; it is the main one that ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    payload = connection.recv_bytes()
    work: Work[Any, Any] | None = None

    def pickled(message: bytes, report: Report) -> bytes:
        # Here, so that what cannot be unpickled or pickled is an error of the trial and not the death of the worker.
        nonlocal work
        work = work or pickle.loads(payload)
        return pickle.dumps(work(pickle.loads(message), report))

    with suppress(EOFError):
        while True:
            outcome = attempt(pickled, connection.recv_bytes(), lambda epoch: connection.send((epoch, None)))
            connection.send((None, outcome))


def _leave_with_parent() -> None:
    """End this worker when the main process is gone, killed perhaps: a lost worker would train for nobody."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
