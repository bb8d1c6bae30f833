"""Trials on a Ray cluster: one that is running already, or one on this machine that lives as long as the engine.

Ray decides where each trial is done. Everything else is as on one machine: this process decides which trials are begun
again, and it alone gets the results. No files are sent: every machine needs `oneof` installed and the same files under
the same paths. `ray.util.joblib` reports neither epochs nor which trial has died.
"""

import logging
import math
import os
import secrets
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from oneof.engines.base import DEFAULT_RETRIES, Deaths, Engine, Failed, R, T, Watch, Work, attempt

OBJECT_STORE_BYTES = 100 * 2**20
POLL_SECONDS = 0.5

QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",  # nothing is sent to Ray's makers
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",  # under `uv run` the working directory is not uploaded
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".*",  # Ray would report dead workers on stdout; we do so ourselves
}
"""Environment variables that Ray reads when it is imported or started."""


class Ray(Engine):
    """Does `workers` trials side by side; on a running cluster, by default as many as it has room for.

    address: of a running cluster, such as `HOST:6379`; None starts one here, with room for `workers` (default 2).
    cpus, gpus: what is set aside for one trial; with no GPU set aside a trial sees none.
    """

    def __init__(
        self,
        workers: int | None = None,
        *,
        address: str | None = None,
        cpus: float = 1.0,
        gpus: float = 0.0,
        retries: int = DEFAULT_RETRIES,
    ) -> None:
        super().__init__(retries)
        if workers is not None and workers < 1:
            raise ValueError(f"workers must be at least 1, not {workers}")
        if cpus < 0 or gpus < 0 or cpus + gpus == 0:
            raise ValueError(f"a trial needs a share of a CPU or GPU, not {cpus:g} CPUs and {gpus:g} GPUs")
        self._ray = _import()
        self.workers = workers or (None if address else 2)
        self.address, self.cpus, self.gpus = address, cpus, gpus
        self._connected = False

    def run(self, work: Work[T, R], trials: Mapping[str, T], watch: Watch) -> Iterator[tuple[str, R | Failed]]:
        """Do the trials. The cluster is started or joined first, unless it was before."""
        ray = self._ray
        self._connect()
        mailbox = ray.remote(num_cpus=0, max_restarts=-1)(_Mailbox).remote()
        # Ray does no retries of its own: it would begin a trial that lacks memory again for ever.
        place = ray.remote(num_cpus=self.cpus, num_gpus=self.gpus, max_retries=0)(_do)
        shared = ray.put(_Shared(work, self.gpus > 0))
        queue, deaths = deque(trials), Deaths(self.retries, watch)
        running: dict[Any, str] = {}
        while queue or running:
            while queue and (self.workers is None or len(running) < self.workers):
                name = queue.popleft()
                running[place.remote(shared, mailbox, name, trials[name])] = name
            ended, _ = ray.wait(list(running), timeout=POLL_SECONDS)
            self._pass_on(mailbox, set(running.values()), watch)
            for reference in ended:
                name = running.pop(reference)
                try:
                    result = ray.get(reference)
                except ray.exceptions.RayTaskError as error:  # the worker could not even begin, lacking oneof perhaps
                    result = Failed(_one_line(error.cause))
                except ray.exceptions.RayError as error:
                    verdict = deaths.verdict(name, _one_line(error).split(". ")[0])  # advice about Ray's logs follows
                    if verdict is None:
                        queue.appendleft(name)
                        continue
                    result = verdict
                yield name, result

    def close(self) -> None:
        """Leave the cluster that was joined, or end the one that was started."""
        if self._connected:
            self._ray.shutdown()
            self._connected = False

    def _connect(self) -> None:
        if self._connected:
            return
        options: dict[str, Any] = {"address": self.address}
        if self.address is None:
            options = {
                "address": "local",
                "num_cpus": max(1, math.ceil((self.workers or 1) * self.cpus)),
                "object_store_memory": OBJECT_STORE_BYTES,
                "include_dashboard": False,
            }
            # If Ray asks for a token, it gets one that nobody else knows and no file holds.
            os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
        try:
            self._ray.init(**options, log_to_driver=False, logging_level=logging.ERROR)
        except Exception as error:  # Ray raises anything, down to a bare Exception
            if self.address is None:
                raise RuntimeError(f"Ray could not start a cluster here: {_one_line(error)}") from error
            raise ConnectionError(
                f"the Ray cluster at {self.address} cannot be joined: is it running (`ray start --head`), and are "
                f"RAY_AUTH_MODE and its token the same here as there? ({_one_line(error)})"
            ) from error
        self._connected = True
        machines = [machine["Resources"] for machine in self._ray.nodes() if machine["Alive"]]
        if not any(has.get("CPU", 0) >= self.cpus and has.get("GPU", 0) >= self.gpus for has in machines):
            raise ValueError(
                f"no machine of the Ray cluster has the {self.cpus:g} CPUs and {self.gpus:g} GPUs of a trial"
            )

    def _pass_on(self, mailbox: Any, names: set[str], watch: Watch) -> None:
        messages: list[tuple[str, int | None]] = []
        with suppress(self._ray.exceptions.RayError):  # only the display lacks what is lost with a machine
            messages = self._ray.get(mailbox.take.remote(), timeout=10)
        for name, epoch in messages:
            if name not in names:  # a message may be slower than the result
                continue
            if epoch is None:
                watch.started(name)
            else:
                watch.epoch(name, epoch)


class _Mailbox:
    """Keeps messages of trials until they are taken: which trial, and its epoch; None says that it has begun."""

    def __init__(self) -> None:
        self._messages: list[tuple[str, int | None]] = []

    def put(self, name: str, epoch: int | None) -> None:
        self._messages.append((name, epoch))

    def take(self) -> list[tuple[str, int | None]]:
        messages, self._messages = self._messages, []
        return messages


class _Shared:
    """What every trial needs, sent to each machine once: the work, the current folder, and ONEOF_ settings."""

    def __init__(self, work: Work[Any, Any], gpu: bool) -> None:
        self.work = work
        self._folder = os.getcwd()
        self._settings = {name: value for name, value in os.environ.items() if name.startswith("ONEOF_")}
        if not gpu:
            self._settings["CUDA_VISIBLE_DEVICES"] = ""

    def enter(self) -> None:
        """Take over the folder and the settings of the process that started the trials."""
        os.environ.update(self._settings)
        with suppress(OSError):  # not every work needs files, so not every machine has the folder
            os.chdir(self._folder)


def _do(shared: _Shared, mailbox: Any, name: str, trial: Any) -> Any:
    shared.enter()
    mailbox.put.remote(name, None)
    return attempt(shared.work, trial, lambda epoch: mailbox.put.remote(name, epoch))


def _one_line(error: BaseException) -> str:
    text = str(error).strip()
    return f"{type(error).__name__}: {text.splitlines()[0]}" if text else type(error).__name__


def _import() -> Any:
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    try:
        import ray
        import ray.exceptions
    except ImportError:
        raise ValueError("the engine ray needs Ray: pip install 'oneof[ray]'") from None
    return ray
