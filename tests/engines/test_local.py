import os
from collections.abc import Callable
from types import ModuleType
from typing import Any

import psutil
import pytest

from oneof.engines.base import Failed, Watch
from oneof.engines.local import Local

Drive = Callable[..., dict[str, Any]]


def test_trouble(drive: Drive, check_trouble: Callable[[dict[str, Any]], None]) -> None:
    driven = drive("local")
    check_trouble(driven)
    assert "killed by SIGKILL, perhaps because memory ran out" in driven["results"]["dies always"]["failed"]
    for name in ("raises", "plain", "another"):
        assert [driven["heard"][f"{name} {what}"] for what in ("started", "epoch 1", "epoch 2", "epoch 3")] == [1] * 4
    assert driven["stderr"] == ""


def test_one_worker_is_this_process() -> None:
    ended = Local(1).run(lambda trial, report: os.getpid(), {"a": 1, "b": 2}, Watch())
    assert list(ended) == [("a", os.getpid()), ("b", os.getpid())]


def test_what_cannot_be_sent_fails_and_no_worker_dies(driver: ModuleType) -> None:
    log = driver.Log()
    ((name, result),) = Local(2).run(driver.unsendable, {"a": 1}, log)
    assert name == "a"
    assert isinstance(result, Failed)
    assert "pickle" in result.error
    assert log.heard == {"a started": 1}


def test_workers_end_when_nobody_wants_the_rest(driver: ModuleType) -> None:
    trials = Local(2).run(driver.nap, {"quick": 0.0, "slow": 600.0}, Watch())
    assert next(trials) == ("quick", 0.0)
    trials.close()
    children = psutil.Process().children()
    assert not [child for child in children if any("spawn_main" in word for word in child.cmdline())]


def test_workers_are_counted() -> None:
    with pytest.raises(ValueError, match="workers must be at least 1, not 0"):
        Local(0)
