"""How cost and memory grow with the data, and what a second worker brings.

    python -m benchmarks.scaling [--largest 10000000] [--turns 3] [--only disk step allocator workers seeds]

From disk: `oneof train` itself, one pass of a small MLP over n items with 16 features each and one answer about each,
half of 100 labels; items in .npy, answers in .parquet. CPU seconds beyond those of a run on a thousand items, which are
all start-up; the peak of all memory in use, and of what is not a page of a file that the system may drop. And reading
the answers against decoding the file with pyarrow and throwing the rows away.

A step: batch cutting and the likelihood, forward and backward, without a network. Only one of n (answers), k (classes),
m (labels asked about) and answers an item changes at a time; beside the classes, torch's cross entropy on the same
logits. The allocator: such a step with ten thousand classes, as it comes and with a C library that is told to keep its
memory.

Two workers: `oneof train --devices 1`, `--devices 2`, and two commands at once that each train on half of the items
with half of the batch, the same work without any exchange, take turns; and four seeds of one experiment, in one process
and in two. Wall-clock seconds, so this part needs two cores with nothing else to do.

Each ratio is to the first row of its group, measured in the same run. The rows are in `results/timing/scaling.csv`, the
figure is `benchmarks/scaling.png`.
"""

import argparse
import contextlib
import io
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import torch

from benchmarks import report
from benchmarks.scaling_figure import draw
from benchmarks.timing import peak_resident
from oneof import Answers, UniformQueries, objectives
from oneof.training import Answered

FIGURE = Path(__file__).with_name("scaling.png")
CLASSES, SIZE, FEATURES = 100, 50, 16
START_UP = 1000
BATCH = 1024
EPOCHS = 200
"""Of each seed, so that a run takes much longer than the start of a process."""
PARTS = ("disk", "step", "allocator", "workers", "seeds")
KEEP_MEMORY = {
    "MALLOC_MMAP_THRESHOLD_": "4294967296",
    "MALLOC_TRIM_THRESHOLD_": "8589934592",
    "MALLOC_TOP_PAD_": "268435456",
}
"""Read by the C library of Linux when a process starts."""


class Spent(NamedTuple):
    """What a command took: CPU seconds, and megabytes at the peak, all and without pages of files."""

    seconds: float
    peak: float
    anonymous: float


def measure(largest: int, turns: int, only: list[str]) -> pd.DataFrame:
    """A row for each case."""
    torch.set_num_threads(1)
    parts = {
        "disk": from_disk(largest, turns),
        "step": step_cost(largest, turns),
        "allocator": allocator(turns),
        "workers": two_workers(turns),
        "seeds": two_processes(turns),
    }
    rows: list[dict[str, Any]] = []
    for name in only:
        for row in parts[name]:
            rows.append(row)
            print("  ".join(map(str, row.values())), flush=True)
    return pd.DataFrame(rows)


def case(what: str, name: str, cost: float, unit: str, ratio: float, megabytes: float | None, note: str = "") -> Any:
    """One row of the table."""
    return {
        "what": what,
        "case": name,
        "cost": f"{cost:.4g}",
        "unit": unit,
        "ratio": f"{ratio:.3g}",
        "peak MB": "" if megabytes is None else f"{megabytes:.{0 if megabytes > 10 else 1}f}",
        "note": note,
    }


def from_disk(largest: int, turns: int) -> Iterator[dict[str, Any]]:
    """One pass over answers on disk, by `oneof train`."""
    sizes = [n for n in (100_000, 1_000_000, 10_000_000) if n <= largest]
    first = None
    with TemporaryDirectory(prefix="oneof-scaling-") as folder:
        few, many = Path(folder) / "few", Path(folder) / "many"
        few.mkdir()
        many.mkdir()
        write_data(few, START_UP)
        for n in sizes:
            write_data(many, n)
            # A small run takes little time beside its start, so both are repeated, in turns. Disturbances only add
            # to the time of a run: the least time of each comes nearest to the work itself.
            runs = [(train(few), train(many)) for _ in range(max(1, min(3 * turns, turns * 1_000_000 // n)))]
            beyond = min(whole.seconds for _, whole in runs) - min(start.seconds for start, _ in runs)
            cost = beyond * 1e6 / n
            first = first or cost
            whole = runs[0][1]
            note = f"{whole.anonymous:.0f} MB without pages of files; least of {len(runs)}"
            yield case("from disk", f"n = {n}", cost, "CPU s / million answers", cost / first, whole.peak, note)
        path = many / "answers.parquet"
        write_data(many, min(largest, 1_000_000))
        decode, load = [], []
        for _ in range(turns):
            decode.append(cpu_seconds(lambda: decoded(path)))
            load.append(cpu_seconds(lambda: Answers.load(path)))
        ratio = median(a / b for a, b in zip(load, decode, strict=True))
        per_million = 1e6 / min(largest, 1_000_000)
        unit = "CPU s / million answers"
        yield case("reading answers", "pyarrow alone", median(decode) * per_million, unit, 1, None)
        yield case("reading answers", "Answers.load", median(load) * per_million, unit, ratio, None)


def decoded(path: Path) -> int:
    """Decode a file of answers in parts; how many rows there were."""
    with pq.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False) as file:
        return sum(len(batch) for batch in file.iter_batches(1 << 15))


def cpu_seconds(action: Callable[[], object]) -> float:
    """CPU seconds of one call, all threads together."""
    start = time.process_time()
    action()
    return time.process_time() - start


def write_data(folder: Path, n: int) -> None:
    """Write n items and answers about them, some rows at a time. The first feature of an item gives its class."""
    rng, rows = np.random.default_rng(0), 100_000
    (folder / "answers.parquet").unlink(missing_ok=True)
    x = np.lib.format.open_memmap(folder / "items.npy", "w+", np.uint8, (n, FEATURES))
    kinds = {"item": pa.int64(), "subset": pa.list_(pa.int16()), "answer": pa.bool_()}
    schema = pa.schema(kinds, metadata={b"oneof.classes": json.dumps(CLASSES).encode()})
    with pq.ParquetWriter(folder / "answers.parquet", schema) as writer:
        for start in range(0, n, rows):
            stop = min(n, start + rows)
            x[start:stop] = rng.integers(0, 256, (stop - start, FEATURES), dtype=np.uint8)
            subsets = UniformQueries(CLASSES, SIZE).draw(stop - start, rng)
            responses = subsets[np.arange(stop - start), x[start:stop, 0].astype(np.int64) * CLASSES // 256]
            offsets = pa.array(np.arange(stop - start + 1) * SIZE, pa.int32())
            labels = pa.ListArray.from_arrays(offsets, pa.array(np.nonzero(subsets)[1].astype(np.int16)))
            writer.write_table(pa.table([pa.array(np.arange(start, stop)), labels, pa.array(responses)], schema=schema))
    x.flush()


def train(folder: Path) -> Spent:
    """The cost of `oneof train` on what `write_data` wrote."""
    options = ["--backbone", "mlp", "--width", "64", "--epochs", "1", "--batch-size", "4096"]
    return watched(command(folder / "items.npy", folder / "answers.parquet", folder / "model", *options))


def command(items: Path, answers: Path, out: Path, *options: str) -> list[str]:
    """The words of an `oneof train` command."""
    oneof = str(Path(sys.executable).with_name("oneof"))
    return [sys.executable, oneof, "train", str(items), str(answers), "--out", str(out), "--json", *options]


def watched(words: list[str]) -> Spent:
    """The cost of a command, run to its end."""
    with TemporaryFile() as output:
        process = subprocess.Popen(words, stdout=output, stderr=output, env=os.environ | {"OMP_NUM_THREADS": "1"})
        spent = _watch(process)
        if process.returncode:
            output.seek(0)
            raise RuntimeError(f"exit code {process.returncode}: {' '.join(words)}\n{output.read().decode()}")
    return spent


def _watch(process: "subprocess.Popen[bytes]") -> Spent:
    anonymous = 0
    while True:
        with contextlib.suppress(OSError, StopIteration):
            lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
            anonymous = max(anonymous, next(int(line.split()[1]) for line in lines if line.startswith("RssAnon")))
        done, status, usage = os.wait4(process.pid, os.WNOHANG)
        if done:
            process.returncode = os.waitstatus_to_exitcode(status)
            break
        time.sleep(0.02)
    return Spent(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e3, anonymous / 1e3)


def step_cost(largest: int, turns: int) -> Iterator[dict[str, Any]]:
    """Cutting a batch and the objective on it, in CPU time; the cases of a group take turns."""
    classes = [(10_000, k, k // 2, 1) for k in (10, 100, 1000, 10_000)]
    groups = {
        "n": [(n, 100, 50, 1) for n in (10_000, 100_000, 1_000_000, 10_000_000) if n <= largest],
        "k": classes,
        "m": [(100_000, 100, m, 1) for m in (1, 10, 50, 90)],
        "answers an item": [(100_000, 100, 50, per_item) for per_item in (1, 3, 10)],
        "cross entropy, k": classes,
    }
    columns = {"n": 0, "k": 1, "m": 2, "answers an item": 3, "cross entropy, k": 1}
    for changes, cases in groups.items():
        steps: list[Callable[[], object]] = [
            CrossEntropy(numbers[1]) if changes.startswith("cross") else Step(*numbers) for numbers in cases
        ]
        for step in steps:
            step()
        times: list[list[float]] = [[] for _ in steps]
        for _ in range(10 * turns):
            for step, spent in zip(steps, times, strict=True):
                spent.append(cpu_seconds(step))
        for numbers, step, spent in zip(cases, steps, times, strict=True):
            per_item = numbers[3]
            cost = 1e6 * median(spent) / (BATCH * per_item)
            ratio = median(a / b for a, b in zip(spent, times[0], strict=True)) / (per_item / cases[0][3])
            peak = peak_resident(step)
            name = f"{changes} = {numbers[columns[changes]]}"
            yield case("a step", name, cost, "CPU us / answer", ratio, None if peak is None else peak / 1e6)


def allocator(turns: int) -> Iterator[dict[str, Any]]:
    """A step with ten thousand classes in a process of its own, and in one whose C library keeps its memory."""
    first = None
    for name, setting in (("as it comes", {}), ("memory kept", KEEP_MEMORY)):
        words = [sys.executable, "-c", f"from benchmarks.scaling import wide_steps; wide_steps({10 * turns})"]
        printed = subprocess.run(words, check=True, capture_output=True, text=True, env=os.environ | setting).stdout
        cost, system, faults = map(float, printed.split())
        first = first or cost
        note = f"{faults:,.0f} page faults a step, {system:.0f} % of the time in the system"
        yield case("a step, k = 10000", name, cost, "CPU us / answer", cost / first, None, note)


def wide_steps(times: int) -> None:
    """Print microseconds an answer, the per cent of them in the system, and page faults a step."""
    torch.set_num_threads(1)
    step = Step(10_000, 10_000, 5_000, 1)
    step()
    before = resource.getrusage(resource.RUSAGE_SELF)
    for _ in range(times):
        step()
    after = resource.getrusage(resource.RUSAGE_SELF)
    system = after.ru_stime - before.ru_stime
    spent = after.ru_utime - before.ru_utime + system
    print(1e6 * spent / times / BATCH, 100 * system / spent, (after.ru_minflt - before.ru_minflt) / times)


class Step:
    """Cut a batch at random and take the likelihood's gradient in its logits."""

    def __init__(self, n: int, k: int, m: int, per_item: int) -> None:
        rng = np.random.default_rng(0)
        # A few thousand subsets, used again and again: drawing ten million would take longer than the benchmark.
        some = Answers(UniformQueries(k, m).draw(4096, rng), np.ones(4096, dtype=bool)).packed
        yes = (some[:, 0] & 128) > 0  # every item is of class 0, so that no two answers contradict each other
        rows = rng.integers(0, 4096, n)
        about = np.repeat(np.arange(n // per_item), per_item)
        answers = Answers.from_packed(some[rows[: len(about)]], k, yes[rows[: len(about)]], about)
        self.answered, self.objective = Answered(answers), objectives.create("likelihood")
        self.generator = torch.Generator().manual_seed(0)
        self.logits = torch.randn(BATCH, k, generator=self.generator, requires_grad=True)

    def __call__(self) -> None:
        items = torch.randint(len(self.answered.items), (BATCH,), generator=self.generator)
        batch = self.answered.batch(items)
        self.logits.grad = None
        risk = self.objective(self.logits, batch.subsets, batch.responses, rows=batch.rows, items=batch.items)
        risk.value.backward()


class CrossEntropy:
    """The gradient of torch's cross entropy in as many logits as `Step` has."""

    def __init__(self, k: int) -> None:
        self.logits = torch.randn(BATCH, k, requires_grad=True)
        self.labels = torch.randint(k, (BATCH,))

    def __call__(self) -> None:
        self.logits.grad = None
        torch.nn.functional.cross_entropy(self.logits, self.labels).backward()


def two_workers(turns: int) -> Iterator[dict[str, Any]]:
    """One process, two that share each batch, and two that share nothing; seconds of an epoch after the first."""
    for backbone, shape, batch in (("mlp", (784,), 2048), ("cnn", (1, 28, 28), 256)):
        with TemporaryDirectory(prefix="oneof-scaling-") as folder:
            home, items = Path(folder), {"mlp": 60_000, "cnn": 6000}[backbone]
            rng = np.random.default_rng(0)
            for name, count in (("all", items), ("half", items // 2)):
                np.save(home / f"{name}.npy", rng.integers(0, 256, (count, *shape), dtype=np.uint8))
                subsets = UniformQueries(10, 3).draw(count, rng)
                Answers(subsets, subsets[:, 0]).save(home / f"{name}.parquet")

            def words(
                data: str, size: int, out: str, devices: int, home: Path = home, net: str = backbone
            ) -> list[str]:
                options = ["--backbone", net, "--epochs", "3", "--batch-size", str(size), "--holdout", "0"]
                options += ["--devices", str(devices)]
                return command(home / f"{data}.npy", home / f"{data}.parquet", home / out, *options)

            def epoch(out: str, home: Path = home) -> float:
                history = json.loads((home / out / "model.json").read_text())["history"]
                return float(history[-1]["seconds"] - history[0]["seconds"]) / (len(history) - 1)

            seconds: dict[str, list[float]] = {"1": [], "2": [], "2 without exchange": []}
            peaks: dict[str, float] = {}
            for _ in range(turns):
                for devices in (1, 2):
                    peaks[str(devices)] = watched(words("all", batch, "model", devices)).peak
                    seconds[str(devices)].append(epoch("model"))
                with ThreadPoolExecutor(2) as pool:
                    list(pool.map(watched, [words("half", batch // 2, out, 1) for out in ("left", "right")]))
                seconds["2 without exchange"].append((epoch("left") + epoch("right")) / 2)
            yield from beside_the_first(f"{backbone}, workers", seconds, "s / epoch", peaks)


def two_processes(turns: int) -> Iterator[dict[str, Any]]:
    """Four seeds of one experiment on the digits, one after the other and two at a time."""
    from oneof.engines.local import Local
    from oneof.experiments.protocol import RunSpec
    from oneof.experiments.run import execute
    from oneof.experiments.runner import run_grid
    from oneof.experiments.store import Results

    specs = [
        RunSpec("smoke", "digits", 0.3, "GCE-ABS", seed, "mlp", "paper", 0.1, 1e-4, 64, EPOCHS) for seed in range(4)
    ]
    seconds: dict[str, list[float]] = {"1": [], "2": []}
    for _ in range(turns):
        for workers, found in seconds.items():
            with TemporaryDirectory(prefix="oneof-scaling-") as folder, contextlib.redirect_stdout(io.StringIO()):
                start = time.perf_counter()
                summary = run_grid(specs, Results(Path(folder)), execute, Local(int(workers)))
                found.append(time.perf_counter() - start)
            if summary.failed:
                raise RuntimeError(f"runs failed: {summary.failed}")
    yield from beside_the_first("four seeds, processes", seconds, "s", {})


def beside_the_first(
    what: str, seconds: dict[str, list[float]], unit: str, peaks: dict[str, float]
) -> Iterator[dict[str, Any]]:
    """The rows of a comparison of one worker, the first, with more."""
    first = next(iter(seconds.values()))
    for name, found in seconds.items():
        ratio = median(a / b for a, b in zip(found, first, strict=True))
        yield case(what, name, median(found), f"wall {unit}", ratio, peaks.get(name))


def main(arguments: list[str]) -> None:
    """Measure, print, keep the table and the figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=10_000_000)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    options = parser.parse_args(arguments)
    table = measure(options.largest, options.turns, list(options.only))
    table = table.assign(cores=os.cpu_count(), load=f"{os.getloadavg()[0]:.1f}")
    if set(options.only) < set(PARTS):
        # Groups that were not measured now stay as they were.
        before = report.kept("scaling").drop(columns=list(report.MACHINE))
        table = pd.concat([before[~before["what"].isin(table["what"])], table.astype(str)], ignore_index=True)
    report.keep("scaling", table)
    draw(table, FIGURE)


if __name__ == "__main__":
    main(sys.argv[1:])
