import importlib
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import psutil
import pytest
import torch
from lightning_fabric import Fabric

from oneof import Answers, UniformQueries, respond
from oneof.items.loading import load
from oneof.training.workers import Workers, launch

DRIVER = Path(__file__).with_name("workers_driver.py")


def test_alone_it_is_a_plain_run():
    workers = Workers(launch())
    assert (workers.size, workers.rank, workers.first) == (1, 0, True)
    rows = torch.arange(5)
    assert workers.part(rows) is rows
    assert workers.sum_numbers([1.0, 2.0]) == (1.0, 2.0)
    assert workers.gather(torch.ones(3)).shape == (1, 3)
    assert workers.agree(True, 7)
    assert not workers.agree(False, 50)


def test_the_parts_of_a_batch_are_the_batch():
    rows = torch.randperm(23)
    parts = []
    for rank in range(4):
        workers = Workers(Fabric(accelerator="cpu", devices=1))
        workers.size, workers.rank = 4, rank
        parts.append(workers.part(rows))
    assert torch.equal(torch.cat(parts), rows)
    with pytest.raises(ValueError, match="2 items cannot be shared by 4 workers"):
        workers.part(torch.arange(2))


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(DRIVER.parent))
    return importlib.import_module(DRIVER.stem)


@pytest.mark.slow
def test_two_workers_cut_off_and_resumed_and_micro_batches_equal_one_process(tmp_path, driver):
    two = tmp_path / "two.pt"
    subprocess.run([sys.executable, DRIVER, two], check=True, capture_output=True, timeout=300)
    alone, micro = driver.results(launch()), driver.results(launch(), accumulate=3)
    shared = torch.load(two, weights_only=True)
    assert shared.pop("judged alike")
    for other in (shared, micro):
        for name, result in alone.items():
            for part in ("weights", "memory"):
                for key, tensor in result[part].items():
                    # 20 steps at a rate of 3e-2, each of a gradient that is a sum of 64 terms of float32.
                    torch.testing.assert_close(other[name][part][key], tensor, atol=1e-5, rtol=0, msg=f"{name} {key}")
            assert other[name]["negative"] == result["negative"]
    for name in ("ure", "nn", "abs", "abs-agreement"):
        shares = alone[name]["negative"]
        assert min(shares) < 1, f"{name} was never tried on a positive raw risk"
        assert max(shares) > 0, f"{name} was never tried on a negative raw risk"


@pytest.mark.slow
def test_a_lost_worker_stops_the_job_with_a_clear_message(tmp_path):
    items = load("dataset:digits/test")
    subsets = UniformQueries(10, 3).draw(len(items), rng=0)
    Answers(subsets, respond(subsets, items.labels)).save(tmp_path / "a.csv")
    # Far more epochs than there will be: it is lost after the first one.
    command = [Path(sys.executable).with_name("oneof"), "train", "dataset:digits/test", "a.csv", "--out", "model",
               "--devices", "2", "--backbone", "mlp", "--width", "16", "--epochs", "100000"]  # fmt: skip
    job = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    checkpoint = tmp_path / "model.checkpoint"
    deadline = time.monotonic() + 120
    while not checkpoint.exists():
        assert time.monotonic() < deadline
        assert job.poll() is None
        time.sleep(0.05)
    psutil.Process(job.pid).children()[-1].kill()
    _, printed = job.communicate(timeout=60)
    assert job.returncode != 0
    assert "another one was lost" in printed
    assert "--resume" in printed
    assert checkpoint.exists()
    assert not (tmp_path / "model").exists()
