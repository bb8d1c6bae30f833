"""Run the quick benchmarks, print their tables, and keep them in `benchmarks/results.md`.

make bench
"""

import platform
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from benchmarks import objectives, queries, training
from oneof.atomic import replacing

RESULTS = Path(__file__).with_name("results.md")


def markdown(table: pd.DataFrame) -> str:
    """A table in Markdown."""
    lines = [list(table.columns), ["---"] * len(table.columns), *table.astype(str).to_numpy().tolist()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    """Measure, print, keep."""
    parts = [
        "# Benchmarks\n\n"
        "Made by `make bench`; the contestants took turns in one run, one thread, median of CPU time.\n"
        f"{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}, torch {torch.__version__}."
    ]
    modules = {
        "Drawing queries": queries,
        "Objectives, forward and backward": objectives,
        "An epoch of training": training,
    }
    for title, module in modules.items():
        print(f"\n{title}\n{(module.__doc__ or '').splitlines()[0]}\n", flush=True)
        table = module.measure()
        print(table.to_string(index=False), flush=True)
        parts.append(f"## {title}\n\n{(module.__doc__ or '').splitlines()[0]}\n\n{markdown(table)}")
    with replacing(RESULTS) as part:
        part.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(f"\n{RESULTS}")


if __name__ == "__main__":
    main()
