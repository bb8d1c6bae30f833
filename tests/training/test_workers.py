import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from lightning_fabric import Fabric

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


def drive(out: Path, devices: int, accumulate: int) -> dict:
    subprocess.run(
        [sys.executable, DRIVER, out, str(devices), str(accumulate)],
        check=True,
        capture_output=True,
        timeout=300,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    return torch.load(out, weights_only=True)


def test_two_workers_and_micro_batches_equal_one_process(tmp_path):
    alone = drive(tmp_path / "alone.pt", 1, 1)
    for other in (drive(tmp_path / "two.pt", 2, 1), drive(tmp_path / "micro.pt", 1, 3)):
        for name, result in alone.items():
            for part in ("weights", "memory"):
                for key, tensor in result[part].items():
                    torch.testing.assert_close(other[name][part][key], tensor, atol=1e-5, rtol=0, msg=f"{name} {key}")
            assert other[name]["negative"] == result["negative"]
    for name in ("ure", "nn", "abs", "abs-agreement"):
        shares = alone[name]["negative"]
        assert min(shares) < 1, f"{name} was never tried on a positive raw risk"
        assert max(shares) > 0, f"{name} was never tried on a negative raw risk"


def test_a_lost_worker_stops_the_job_with_a_clear_message_and_it_resumes(tmp_path):
    oneof = Path(sys.executable).with_name("oneof")
    env = os.environ | {"OMP_NUM_THREADS": "1"}
    subprocess.run(
        [oneof, "simulate", "dataset:digits/train", "--size", "3", "--out", "a.csv"], check=True, cwd=tmp_path
    )
    command = [oneof, "train", "dataset:digits/train", "a.csv", "--out", "model", "--devices", "2", "--backbone", "mlp",
               "--width", "16", "--epochs", "200", "--batch-size", "256"]  # fmt: skip
    job = subprocess.Popen(command, cwd=tmp_path, env=env, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    checkpoint = tmp_path / "model.checkpoint"
    deadline = time.monotonic() + 120
    while not checkpoint.exists():
        assert time.monotonic() < deadline
        assert job.poll() is None
        time.sleep(0.2)
    children = subprocess.run(["pgrep", "-P", str(job.pid)], capture_output=True, text=True, check=True).stdout.split()
    os.kill(int(children[-1]), signal.SIGKILL)
    _, said = job.communicate(timeout=60)
    assert job.returncode != 0
    assert "another one was lost" in said
    assert "--resume" in said
    assert not (tmp_path / "model").exists()
    subprocess.run([*command, "--resume"], check=True, cwd=tmp_path, env=env, capture_output=True, timeout=300)
    assert (tmp_path / "model" / "model.json").is_file()
