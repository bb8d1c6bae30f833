import io
from dataclasses import replace

from rich.console import Console

from oneof.experiments.grid import needed
from oneof.experiments.progress import GridProgress, work
from oneof.experiments.protocol import preset

SPECS = needed("table3", preset("smoke"))[:2]


def test_a_larger_network_is_more_work() -> None:
    assert work(replace(SPECS[0], backbone="resnet34")) > work(replace(SPECS[0], backbone="cnn")) > work(SPECS[0])


def test_a_terminal_sees_counts_and_epochs() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=160)
    with GridProgress(SPECS, 3, console) as progress:
        progress.started(SPECS[0].run)
        progress.epoch(SPECS[0].run, 2)
        progress.finished(SPECS[0], "90 %")
        progress.started(SPECS[1].run)
        progress.epoch(SPECS[1].run, 1)
    shown = console.file.getvalue()
    assert "1/2 runs (3 already there)" in shown
    assert "digits 0.3 GCE-NN seed 0" in shown
    assert "1/6 epochs" in shown


def test_a_run_that_is_begun_again_is_said_and_shown_once() -> None:
    console = Console(file=io.StringIO(), width=160)
    with GridProgress(SPECS, 0, console) as progress:
        progress.started(SPECS[0].run)
        progress.epoch(SPECS[0].run, 3)
        progress.lost(SPECS[0].run, "the worker died; retry 1 of 2")
        progress.started(SPECS[0].run)
        progress.epoch(SPECS[0].run, 2)
        progress.finished(SPECS[0], "90 %")
    assert console.file.getvalue().splitlines() == [
        "digits P(s=1)=0.3 GCE-ABS batch 128 seed 0: the worker died; retry 1 of 2",
        "1/2 runs  digits P(s=1)=0.3 GCE-ABS batch 128 seed 0: 90 %",
    ]
