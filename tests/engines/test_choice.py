import sys
from typing import Any

import pytest

from oneof.engines.choice import choose
from oneof.engines.local import Local


def test_local_is_two_workers() -> None:
    engine = choose("local")
    assert isinstance(engine, Local)
    assert (engine.workers, engine.retries) == (2, 2)
    assert choose("local", workers=1, retries=0).retries == 0


@pytest.mark.parametrize(
    ("name", "options", "complaint"),
    [
        ("slurm", {}, "unknown engine 'slurm'; known: local, ray"),
        ("local", {"address": "head:6379"}, "the engine local has no address: leave it out, or use the engine ray"),
        ("local", {"cpus": 2.0}, "the engine local has no CPUs a trial"),
        ("local", {"gpus": 1.0}, "the engine local has no GPUs a trial"),
        ("local", {"workers": 0}, "workers must be at least 1, not 0"),
    ],
)
def test_mistakes(name: str, options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        choose(name, **options)


def test_without_ray_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ValueError, match=r"the engine ray needs Ray: pip install 'oneof\[ray\]'"):
        choose("ray")
