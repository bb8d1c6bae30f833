"""The figures in docs/performance.md, from the rows in `results/timing/`."""

from typing import cast

from benchmarks.report import kept

MILLIONS = 9.9
"""Millions of answers by which the largest run from disk exceeds the smallest."""
Rows = dict[tuple[str, str], dict[str, str]]


def rows_of(name: str) -> Rows:
    """The rows of a table by the values of its first two columns."""
    table = kept(name)
    rows = cast(list[dict[str, str]], table.to_dict("records"))
    return {(row[table.columns[0]], row[table.columns[1]]): row for row in rows}


def facts() -> dict[str, str]:
    """Texts for the pages, from the rows."""
    scaling, objectives = rows_of("scaling"), rows_of("objectives")
    cnn, mlp = rows_of("training").values()
    pairs = {"mlp": "mlp, workers", "cnn": "cnn, workers", "seeds": "four seeds, processes"}
    return {
        **_from_disk(scaling),
        **_a_step(scaling),
        **{name: f"{1 / float(scaling[what, '2']['ratio']):.2f}" for name, what in pairs.items()},
        **{
            f"{name}-apart": f"{1 / float(scaling[pairs[name], '2 without exchange']['ratio']):.2f}"
            for name in ("mlp", "cnn")
        },
        "likelihood": objectives["likelihood", "4096 x 1000"]["times cross entropy"],
        "loop-cnn": f"{100 * (float(cnn['times the bare loop']) - 1):.1f} %",
        "loop-mlp": f"{100 * (float(mlp['times the bare loop']) - 1):.0f} %",
        "mlp-step": mlp["milliseconds a step"],
    }


def _from_disk(scaling: Rows) -> dict[str, str]:
    *some, many = rows = [row for (what, _), row in scaling.items() if what == "from disk"]
    peak, few = float(many["peak MB"]), float(some[0]["peak MB"])
    # A note is "407 MB without pages of files; least of 9".
    pages = [float(row["peak MB"]) - float(row["note"].split()[0]) for row in (some[0], many)]
    reading = scaling["reading answers", "Answers.load"]
    return {
        "seconds": f"{float(many['cost']):.1f}",
        "seconds-few": " and ".join(f"{float(row['cost']):.1f}" for row in some),
        "runs": ", ".join(row["note"].rsplit(" ", 1)[1] for row in rows),
        "peak": f"{peak / 1e3:.2f}",
        "peak-few": f"{few / 1e3:.2f}",
        "bytes": f"{(peak - few) / MILLIONS:.0f}",
        "bytes-of-files": f"{(pages[1] - pages[0]) / MILLIONS:.0f}",
        "reading": f"{float(reading['cost']):.1f}",
        "decoding": reading["ratio"],
    }


def _a_step(scaling: Rows) -> dict[str, str]:
    ratio = {case: row["ratio"] for (what, case), row in scaling.items() if what == "a step"}
    sizes = [float(value) for case, value in ratio.items() if case.startswith("m = ")]
    return {
        "far": ratio["n = 10000000"],
        "sizes": f"{min(sizes):.2f} and {max(sizes):.2f}",
        "hundred": ratio["k = 100"],
        "ten-thousand": f"{float(ratio['k = 10000']) / float(ratio['k = 1000']):.0f}",
        "ten-to-ten-thousand": f"{float(ratio['k = 10000']):.0f}",
        "cross-entropy": f"{float(ratio['cross entropy, k = 10000']):.0f}",
        "kept": scaling["a step, k = 10000", "memory kept"]["ratio"],
        "faults": scaling["a step, k = 10000", "as it comes"]["note"],
        "ten-an-item": ratio["answers an item = 10"],
        "three-an-item": ratio["answers an item = 3"],
    }
