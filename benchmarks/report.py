"""Rows of the timing benchmarks, `results/timing/NAME.csv`, and the tables that pages show of them."""

import platform

import numpy as np
import pandas as pd
import torch

from benchmarks import pages
from oneof.files.atomic import replacing

FOLDER = pages.RESULTS / "timing"
MACHINE = ("machine", "python_version", "numpy_version", "torch_version")
TITLES = ("queries", "objectives", "training", "scaling")


def keep(name: str, table: pd.DataFrame) -> None:
    """Replace the rows of a benchmark, with the machine and the versions that they were measured on."""
    versions = (platform.machine(), platform.python_version(), np.__version__, torch.__version__)
    FOLDER.mkdir(parents=True, exist_ok=True)
    with replacing(FOLDER / f"{name}.csv") as part:
        table.assign(**dict(zip(MACHINE, versions, strict=True))).to_csv(part, index=False)


def kept(name: str) -> pd.DataFrame:
    """The rows of a benchmark as text, so that figures are shown with the digits they were written with."""
    return pd.read_csv(FOLDER / f"{name}.csv", dtype=str, keep_default_na=False)


def facts() -> dict[str, str]:
    """Every table as it was kept, and the machines they were measured on."""
    tables = {name: kept(name) for name in TITLES}
    machines = dict.fromkeys(
        f"{machine}, Python {python}, numpy {numpy}, torch {torch_}"
        for table in tables.values()
        for machine, python, numpy, torch_ in table[list(MACHINE)].itertuples(index=False)
    )
    shown = {name: pages.table(table.drop(columns=list(MACHINE))) for name, table in tables.items()}
    return {**shown, "machine": "; ".join(machines)}
