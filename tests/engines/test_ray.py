from collections.abc import Callable
from typing import Any

import pytest

from oneof.engines.ray import Ray

pytest.importorskip("ray", reason="the ray extra is not installed")


def test_trouble_on_a_cluster_that_is_joined(
    address: str, drive: Callable[..., dict[str, Any]], check_trouble: Callable[[dict[str, Any]], None]
) -> None:
    driven = drive("ray", address)
    check_trouble(driven)
    assert {result.get("gpus", "") for result in driven["results"].values()} == {""}
    # What it then asks for, on the command line, no machine here has.
    assert driven["stderr"] == "error: no machine of the Ray cluster has the 1 CPUs and 1 GPUs of a trial\n"


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"workers": 0}, "workers must be at least 1, not 0"),
        ({"cpus": 0.0}, "a trial needs a share of a CPU or GPU, not 0 CPUs and 0 GPUs"),
        ({"gpus": -1.0}, "a trial needs a share of a CPU or GPU, not 1 CPUs and -1 GPUs"),
    ],
)
def test_mistakes(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Ray(**options)
