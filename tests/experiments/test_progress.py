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
        progress.started(SPECS[0])
        progress.epoch(SPECS[0].run, 2)
        progress.finished(SPECS[0], "90 %")
        progress.started(SPECS[1])
        progress.epoch(SPECS[1].run, 1)
    shown = console.file.getvalue()
    assert "1/2 runs (3 already there)" in shown
    assert "digits 0.3 GCE-NN seed 0" in shown
    assert "1/6 epochs" in shown
