"""The documentation pages that are made from rows: the reproduction, claim by claim, and the leaderboard."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from oneof.experiments.cells import swept_datasets
from oneof.experiments.claims_section import claims_section, effects_section
from oneof.experiments.figures.catalogue import FIGURES, Entry
from oneof.experiments.leaderboard import leaderboard_runs
from oneof.experiments.leaderboard_page import leaderboard_page
from oneof.experiments.lost_classes import lost_table
from oneof.experiments.negative_risk import negative_table
from oneof.experiments.outputs import write_output
from oneof.experiments.protocol import LETTERS, Preset, preset
from oneof.experiments.selection import SEARCHED, SUFFIX
from oneof.experiments.store import Evidence, Results
from oneof.experiments.table_format import Table, to_markdown
from oneof.experiments.tables import TABLES, table5, table6
from oneof.files.atomic import replacing

OTHER_NETWORKS = {"cpu": ("cpu-mlp", "cpu-dropout")}
"""Presets that differ from another in the network alone; their verdicts stand beside its own."""

CHOICES = (
    (
        "Channels of the CNN",
        "`cnn`: w, w, 2w, 2w, 4w with pooling, then two linear layers; batch normalisation; w = 16, on USPS in the "
        "`cpu` preset 12. `cnn-strided`: w, 2w, 2w, 4w, 4w with strides instead of pooling; w = 8 in the `cpu` preset",
    ),
    (
        "Where two cores cannot pay for the paper's network",
        "SVHN and CIFAR-10 have `resnet9` of width 8 in the `cpu` preset, not ResNet-34; `cpu-mlp` has two hidden "
        "layers of 256 with batch normalisation and no dropout, `cpu-dropout` a dropout of 0.2",
    ),
    ("StepLR", "rate times 0.5 every 30 of 100 epochs; shorter runs: {steps}"),
    ("GCE", "q = 0.7, eps = 1e-6"),
    ("How learning rate and weight decay were chosen", "{search}"),
    ("Which epoch counts", "the last one; no early stopping"),
    ("Whether answers are held out", "only in the search, a tenth; the runs in the tables train on every answer"),
    (
        "Which items of USPS and SVHN",
        "a fixed random subset of the paper's size; a file with no more items is used whole",
    ),
    ("Preparation of images", "each channel standardised over the training items; no augmentation"),
    ("± in the tables", "standard deviation over seeds, n - 1"),
    ("Other batch sizes", "learning rate and weight decay as chosen at batch size 128"),
)


def pages(results: Results, preset_name: str, docs: Path) -> dict[str, str]:
    """The text of each page by its name in the folder `docs`; their figures stay among the results."""
    pictures = Path(os.path.relpath(results.folder / preset_name, docs))
    evidence = results.evidence(preset_name)
    return {
        "reproduction.md": reproduction_page(evidence, preset(preset_name), pictures, _others(results, preset_name)),
        "leaderboard.md": leaderboard_page(leaderboard_runs(results), results.evidence("cpu").rows, results.rows()),
    }


def write_pages(results: Results, preset_name: str, docs: Path) -> list[Path]:
    """Write `reproduction.md` and `leaderboard.md` into the folder `docs`, and the figures of other networks."""
    docs.mkdir(parents=True, exist_ok=True)
    written = []
    for name, content in pages(results, preset_name, docs).items():
        with replacing(docs / name) as part:
            part.write_text(content, encoding="utf-8")
        written.append(docs / name)
    for name, runs in _others(results, preset_name).items():
        for key in _other_figures(runs.rows):
            written += write_output(key, runs, results.folder / name)
    return written


def _others(results: Results, preset_name: str) -> dict[str, Evidence]:
    return {name: results.evidence(name) for name in OTHER_NETWORKS.get(preset_name, ())}


def reproduction_page(
    evidence: Evidence, given: Preset, pictures: Path, others: Mapping[str, Evidence] | None = None
) -> str:
    """The page: claims, choices, tables and figures.

    pictures: the folder of the figures, seen from the page. others: runs with other networks to show beside these.
    """
    beside = {name: runs for name, runs in (others or {}).items() if len(runs.rows)}
    tables = [draw(evidence.rows) for draw in TABLES.values()]
    tables += [negative_table(evidence.rows), *_if_any(lost_table(evidence.per_class))]
    figures = _drawn(evidence)
    parts = [
        "# The paper's experiments",
        "The paper's tables, figures and claims, each beside what this library gives. Lines marked *paper* are the "
        "paper's published numbers; lines marked *here* were run with this library, "
        f"preset `{given.name}`: {len(evidence.rows)} runs. A cell that was not run says so. `oneof report "
        "--docs docs` makes this page from the rows of finished runs.",
        "```bash\noneof reproduce table2 --dry-run     # what is missing of a table, and how long it takes\n```",
        _contents([table.caption for table in tables], [entry.caption for entry in figures.values()]),
        *claims_section(given.name, evidence, beside),
        "## Where the paper is silent",
        _choices(given),
        "## Tables",
        *(f"### {_title(table.caption)}\n\n{to_markdown(table)}" for table in tables),
        "## Figures",
        *(
            f"### {_title(entry.caption)}\n\n{_picture(entry.caption, pictures / key)}"
            for key, entry in figures.items()
        ),
        *(part for name, runs in beside.items() for part in _other_network(name, runs, pictures.parent / name)),
        *effects_section(given.name, evidence, beside),
        "## Run it yourself",
        _commands(given),
    ]
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _title(caption: str) -> str:
    return caption.partition(".")[0]


def _link(title: str) -> str:
    return f"[{title}](#{title.lower().replace(' ', '-')})"


def _contents(tables: Sequence[str], figures: Sequence[str]) -> str:
    """A line of links: the page is long."""
    first, last = "Claim by claim", ("The effects behind the verdicts", "Run it yourself")
    links = [first, "Where the paper is silent", *map(_title, (*tables, *figures)), *last]
    return "On this page: " + " · ".join(map(_link, links))


def _if_any(table: Table) -> list[Table]:
    return [table] if table.rows else []


def _drawn(evidence: Evidence) -> dict[str, Entry]:
    """The figures with something in them: before any run that is the diagram of the mechanism alone."""
    return {key: entry for key, entry in FIGURES.items() if key == "figure1" or len(evidence.rows)}


def _other_figures(rows: pd.DataFrame) -> list[str]:
    """The figures that runs with another network fill."""
    letters = ["figure4"] if (rows["dataset"] == LETTERS).any() else []
    return [*letters, *(["figure2", "figure5", "figure6"] if swept_datasets(rows) else [])]


def _other_network(name: str, runs: Evidence, pictures: Path) -> list[str]:
    """The tables and figures of a preset with another network, without those that would be empty."""
    rows = runs.rows
    drawn = [table5(rows)] if (rows["dataset"] == LETTERS).any() else []
    drawn += [table6(rows)] if swept_datasets(rows) else []
    drawn += [negative_table(rows), *_if_any(lost_table(runs.per_class))]
    tables = [replace(table, caption=f"{table.caption}, preset {name}") for table in drawn]
    figures = {key: FIGURES[key].caption.replace(".", f", preset {name}.", 1) for key in _other_figures(rows)}
    return [
        f"## With another network: `{name}`",
        f"{len(rows)} runs, drawn as above.",
        *(to_markdown(table) for table in tables),
        *(_picture(caption, pictures / key) for key, caption in figures.items()),
    ]


def _picture(caption: str, path: Path) -> str:
    return f"![{caption}]({path.as_posix()}.png)\n\n*{caption}*"


def _choices(given: Preset) -> str:
    how = (
        "the whole grids"
        if given.full_search
        else "the grid of learning rates first, then the weight decays at the best"
    )
    lengths = ", ".join(
        f"{name} {budget.search_epochs}" for name, budget in given.budgets.items() if budget.search_epochs
    )
    search = (
        "label-free: by the accuracy that held-out answers estimate, on one seed, for each data set and method at "
        f"P(s=1) = {SEARCHED}; {how}; then fixed for all P(s=1), seeds and batch sizes. Epochs of a search run: "
        f"{lengths or 'no search in this preset'}. "
        f"The search runs are rows too, with the preset `{given.name}{SUFFIX}`"
    )
    fixed = {
        f"{budget.learning_rate:g} and {budget.weight_decay:g}": None
        for budget in given.budgets.values()
        if not budget.search_epochs
    }
    if fixed:
        names = ", ".join(name for name, budget in given.budgets.items() if not budget.search_epochs)
        search += (
            f". Fixed, without a search: {', '.join(fixed)} for {names}, what most searches "
            "of `cpu`, `cpu-mlp` and `cpu-dropout` chose (on USPS some objectives preferred a rate of 0.1)"
        )
    steps = ", ".join(
        f"{name} every {budget.step_size} of {budget.epochs}"
        for name, budget in given.budgets.items()
        if budget.step_size is not None
    )
    lines = ["| the paper does not say | we chose |", "|---|---|"]
    lines += [f"| {what} | {choice.format(search=search, steps=steps or 'none')} |" for what, choice in CHOICES]
    return "\n".join(lines)


def _commands(given: Preset) -> str:
    return f"""```bash
oneof reproduce all --dry-run         # what is missing, and how many hours it takes
oneof reproduce all --preset {given.name}     # continues where it was stopped; finished runs are not repeated
oneof reproduce table3 --preset {given.name} --dataset usps --seeds 3 --workers 2
oneof reproduce leaderboard
oneof reproduce RUN                   # one row of results/rows.csv again, from its recorded configuration
oneof report --docs docs              # tables, figures, results/report.html and this page, from the rows
```

| preset | what it is |
|---|---|
| `paper` | Section V as written, for a GPU: all data sets, 100 epochs, five seeds, the whole grids |
| `cpu` | every data set at a budget that two cores can pay |
| `cpu-mlp` | KMNIST and EMNIST-Letters with a multilayer perceptron |
| `cpu-dropout` | KMNIST as in `cpu-mlp`, with dropout |
| `smoke` | minutes, on digits, which need no download |
| `fast` | the leaderboard's recipe: AdamW, one cycle, few epochs, shifted images |

`oneof reproduce` writes `results/PRESET/table2.md`, `.tex`, `figure2.png`, `.pdf` and so on; the leaderboard goes to
`results/leaderboard.csv`, `.md`, `.tex`. `oneof report` trains nothing: it writes the same files again from the rows,
and one HTML page with all of them.

**Next:** all options in [](cli.md#oneof-reproduce); a cluster: [](sweeps.md); the data: [](datasets.md); a method of
your own: `CONTRIBUTING.md`."""
