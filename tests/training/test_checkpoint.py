"""Checkpoint files: whole or not there, and nothing in them is executed."""

import errno
import os
import pickle
import resource
import signal
from contextlib import contextmanager

import pytest
import torch

from oneof.training import checkpoint

STATE = {"position": 7, "weights": torch.arange(1000.0), "history": [{"epoch": 1, "raw": 0.25}]}


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "run.checkpoint"
    checkpoint.save(path, STATE)
    return path


def test_a_state_comes_back(saved):
    state = checkpoint.load(saved)
    assert (state["position"], state["history"]) == (7, STATE["history"])
    assert torch.equal(state["weights"], STATE["weights"])
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


def test_folders_are_made(tmp_path):
    checkpoint.save(tmp_path / "a" / "b" / "run.checkpoint", STATE)
    assert checkpoint.load(tmp_path / "a" / "b" / "run.checkpoint")["position"] == 7


@pytest.mark.parametrize("share", [0.0, 0.001, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_refused(saved, share):
    whole = saved.read_bytes()
    saved.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(ValueError, match=r"run\.checkpoint: damaged or not a checkpoint; start again without --resume"):
        checkpoint.load(saved)


@pytest.mark.parametrize("content", [b"hello", bytes(2000), os.urandom(500)])
def test_another_kind_of_file_is_refused(saved, content):
    saved.write_bytes(content)
    with pytest.raises(ValueError, match="not a checkpoint"):
        checkpoint.load(saved)


@pytest.mark.parametrize("state", [[1, 2], {"weights": torch.zeros(2)}])
def test_a_torch_file_of_something_else_is_refused(saved, state):
    torch.save(state, saved)
    with pytest.raises(ValueError, match="not a checkpoint of a training run"):
        checkpoint.load(saved)


class Bomb:
    def __reduce__(self):
        return os.mkdir, (os.environ["BOMB"],)


@pytest.mark.filterwarnings("ignore:.*weights_only")
@pytest.mark.parametrize("write", [torch.save, lambda state, path: path.write_bytes(pickle.dumps(state))])
def test_loading_never_executes_what_is_in_the_file(saved, write, monkeypatch):
    target = saved.parent / "executed"
    monkeypatch.setenv("BOMB", str(target))
    write({"position": 1, "weights": Bomb()}, saved)
    with pytest.raises(ValueError, match="damaged or not a checkpoint"):
        checkpoint.load(saved)
    assert not target.exists()


def test_a_failed_write_leaves_the_old_file_and_no_other(saved, monkeypatch):
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device"):
        checkpoint.save(saved, STATE | {"position": 8})
    assert checkpoint.load(saved)["position"] == 7
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


@contextmanager
def file_size_limit(limit: int):
    """What a full disk looks like to a writer: the file cannot grow."""
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_a_disk_that_fills_up_in_the_middle(saved):
    with file_size_limit(1500), pytest.raises(OSError, match="could not be written, is the disk full"):
        checkpoint.save(saved, STATE | {"position": 8})
    assert checkpoint.load(saved)["position"] == 7
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


def restored(path, network, origin):
    return checkpoint.restore(path, {"network": network}, torch.Generator(), origin, rank=0)


def test_restore_puts_everything_back_and_refuses_another_run(tmp_path):
    network, drawn = torch.nn.Linear(3, 2), torch.Generator().manual_seed(3)
    states = {"network": network.state_dict(), "drawn": drawn.get_state()[None], "torch": torch.get_rng_state()[None]}
    path = tmp_path / "run.checkpoint"
    checkpoint.save(path, states | {"position": 4, "configuration": {"epochs": 3}})
    expected = torch.rand(3)

    other, fresh = torch.nn.Linear(3, 2), torch.Generator()
    state = checkpoint.restore(path, {"network": other}, fresh, {"configuration": {"epochs": 3}}, rank=0)
    assert state == {"position": 4}
    assert torch.equal(other.weight, network.weight)
    assert torch.equal(fresh.get_state(), drawn.get_state())
    assert torch.equal(torch.rand(3), expected)

    with pytest.raises(ValueError, match="of another configuration; resume with the same"):
        restored(path, other, {"configuration": {"epochs": 4}})
    with pytest.raises(ValueError, match="of another network: ") as caught:
        restored(path, torch.nn.Linear(4, 2), {"configuration": {"epochs": 3}})
    assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="of 1 workers"):
        checkpoint.restore(path, {"network": other}, fresh, {"configuration": {"epochs": 3}}, rank=1)
