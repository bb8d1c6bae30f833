import pytest
import torch

from oneof.engines.base import Deaths, Failed, Watch, attempt
from oneof.engines.local import Local


def test_a_trial_has_one_thread_and_the_others_are_given_back() -> None:
    torch.set_num_threads(2)
    try:
        assert attempt(lambda trial, report: torch.get_num_threads(), None, print) == 1
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(1)


def test_an_error_is_one_line() -> None:
    def fail(trial: str, report: object) -> None:
        raise ValueError("first\n   second")

    assert attempt(fail, "", print) == Failed("ValueError: first second")


def test_ctrl_c_is_not_a_failure() -> None:
    def stop(trial: str, report: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        attempt(stop, "", print)


def test_no_retries_means_none() -> None:
    assert Deaths(0, Watch()).verdict("a", "gone") == Failed("the worker died (gone)")
    with pytest.raises(ValueError, match="retries must be at least 0, not -1"):
        Local(2, retries=-1)
