"""`results.md`: one section a benchmark, each of which can be measured again on its own."""

import platform
import re
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from oneof.files.atomic import replacing

RESULTS = Path(__file__).with_name("results.md")


def header() -> str:
    """What stands before the first section."""
    return (
        "# Benchmarks\n\n"
        "Made by `make bench`; the contestants took turns in one run, one thread, median of CPU time.\n"
        f"{platform.machine()}, Python {platform.python_version()}, "
        f"numpy {np.__version__}, torch {torch.__version__}.\n"
    )


def markdown(table: pd.DataFrame) -> str:
    """A table in Markdown."""
    lines = [list(table.columns), ["---"] * len(table.columns), *table.astype(str).to_numpy().tolist()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def keep(title: str, text: str, path: Path = RESULTS) -> None:
    """Put a section in place of the one with the same title, or at the end."""
    old = path.read_text(encoding="utf-8") if path.exists() else header()
    head, *sections = re.split(r"^(?=## )", old, flags=re.MULTILINE)
    new = f"## {title}\n\n{text}\n"
    titles = [section.splitlines()[0].removeprefix("## ") for section in sections]
    if title in titles:
        sections[titles.index(title)] = new
    else:
        sections.append(new)
    with replacing(path) as part:
        part.write_text("\n".join(piece.rstrip() + "\n" for piece in (head, *sections)), encoding="utf-8")
