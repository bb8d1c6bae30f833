"""The page of the leaderboard: the table, what objective and recipe contribute, and how the recipe was chosen."""

import pandas as pd

from oneof.experiments.cells import NOT_RUN, blocks, our_cells, select
from oneof.experiments.choices_section import choices
from oneof.experiments.leaderboard import leaderboard_table, not_shown_yet
from oneof.experiments.lost_classes import WHY
from oneof.experiments.methods import LEADERBOARD, MAIN
from oneof.experiments.protocol import P_YES, STANDARD_BATCH, RunSpec
from oneof.experiments.store import Evidence
from oneof.experiments.table_format import Cell, Table, to_markdown
from oneof.experiments.tables import HERE, table2

SPREAD = 3.0
"""Points between two seeds of a cell above which the page says which class made the difference."""

INTRO = (
    "For each of the paper's 21 cells (a data set and P(s=1), the share of answers that are yes): its best published "
    "number, two objectives with the `fast` recipe of this library, and the same network trained with every label. A "
    "mean above the paper's best is bold. "
    "`oneof reproduce leaderboard` continues the runs; `oneof report --docs docs` makes this page from their rows."
)
RECIPES = (
    "The leaderboard shows objective and recipe in combination. This table separates them, on the data set that has "
    "both recipes with the same network: a column has one objective, a line has one recipe."
)


def leaderboard_page(evidence: Evidence, paper_recipe: pd.DataFrame, searched: pd.DataFrame) -> str:
    """The page, as markdown.

    evidence: the runs of the fast recipe. paper_recipe: rows of the paper's recipe; those with the same network as the
    fast one are compared with it. searched: rows that include those of the search for the recipe.
    """
    parts = ["# Leaderboard", INTRO, to_markdown(leaderboard_table(evidence.rows, not_shown_yet(searched)))]
    separated = recipe_table(evidence.rows, paper_recipe)
    if separated.rows:
        parts += ["## Objective or recipe?", f"{RECIPES} {_best_lines(separated)}", to_markdown(separated)]
        parts += _elsewhere(paper_recipe)
    if spread := _spread(evidence):
        parts += ["## Where seeds differ", "\n".join(f"- {line}" for line in spread)]
    parts += ["## How things were chosen", *choices(searched), "```bash\noneof reproduce leaderboard\n```"]
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def recipe_table(fast: pd.DataFrame, paper_recipe: pd.DataFrame) -> Table:
    """Objective x recipe, on the data sets that both recipes ran with the same network."""
    columns = tuple(dict.fromkeys((*LEADERBOARD, *MAIN)))
    lines: list[tuple[Cell, ...]] = []
    notes = []
    for name in fast["dataset"].unique():
        ours, theirs = (select(rows, dataset=name, batch_size=STANDARD_BATCH) for rows in (fast, paper_recipe))
        ours, theirs = (rows[rows["method"].isin(columns)] for rows in (ours, theirs))
        if set(ours["backbone"]) != set(theirs["backbone"]):
            continue
        for p_yes in (p for p in P_YES if {p} <= set(ours["p_yes"]) & set(theirs["p_yes"])):
            for recipe, rows in (("paper", theirs), ("fast", ours)):
                cells = our_cells(rows, columns, p_yes=p_yes)
                lines.append((Cell(name), Cell(str(p_yes)), Cell(recipe), *cells))
        for recipe, rows in (("paper", theirs), ("fast", ours)):
            first = rows.iloc[0]
            how = RunSpec.from_json(first["configuration"])
            rates = "rates searched label-free" if recipe == "paper" else f"fixed rates, augmentation {how.augment}"
            notes.append(f"{name}, {recipe}: {first['backbone']}, {first['optimiser']}, {how.epochs} epochs, {rates}.")
    header = ("data set", "P(s=1)", "recipe", *columns)
    caption = "Objective and recipe. Test accuracy (%), mean ± deviation over seeds; the best of a line in bold"
    return Table("recipes", caption, header, tuple(lines), tuple(notes))


def _best_lines(separated: Table) -> str:
    """A sentence that says in how many lines of each recipe the likelihood is the best."""
    column = separated.header.index("Likelihood")
    counts = []
    for recipe in ("paper", "fast"):
        lines = [line for line in separated.rows if line[2].text == recipe]
        compared = len({index for line in lines for index, cell in enumerate(line[3:]) if cell is not NOT_RUN})
        counts.append(
            f"under the {recipe} recipe in {sum(line[column].bold for line in lines)} of {len(lines)} lines, "
            f"among {compared} objectives"
        )
    return f"The likelihood has the best mean {', and '.join(counts)}."


def likelihood_in_table2(paper_recipe: pd.DataFrame) -> tuple[list[str], list[str]]:
    """The cells of Table II that have the likelihood, as "data set, P(s=1)", and those where its mean is the best."""
    table = table2(paper_recipe)
    if "Likelihood" not in table.header:
        return [], []
    column = table.header.index("Likelihood")
    run = [line for line in table.rows if line[2] == HERE and line[column] != NOT_RUN]
    names = [f"{line[1].text}, {line[0].text}" for line in run]
    return names, [name for name, line in zip(names, run, strict=True) if line[column].bold]


def _elsewhere(paper_recipe: pd.DataFrame) -> list[str]:
    """A sentence on the likelihood under the paper's recipe on all data sets; none where it was not run."""
    names, best = likelihood_in_table2(paper_recipe)
    if not names:
        return []
    others = [name for name in names if name not in best]
    return [
        "The networks of the other data sets differ between the recipes. Under the paper's recipe and the small "
        "networks of Table II ([](reproduction.md#tables), which says how many seeds), the likelihood has the best "
        f"mean in {len(best)} of {len(names)} cells{'; not in ' + '; '.join(others) if others else ''}."
    ]


def _spread(evidence: Evidence) -> list[str]:
    """A line for each cell with two seeds that are far apart: which class makes most of the difference."""
    lines = []
    for dataset, p_yes, group in blocks(evidence.rows[evidence.rows["method"].isin(LEADERBOARD)]):
        for method, runs in group.groupby("method", sort=False):
            ordered = runs.sort_values("test_accuracy")
            low, high = ordered.iloc[0], ordered.iloc[-1]
            gap = high["test_accuracy"] - low["test_accuracy"]
            if gap < SPREAD:
                continue
            worse, better = (select(evidence.per_class, run=run["run"]).set_index("class_name") for run in (low, high))
            points = (better["accuracy"] - worse["accuracy"]) * better["items"] / better["items"].sum()
            name = str(points.idxmax())
            lines.append(
                f"{dataset}, {p_yes}, {method}: {high['test_accuracy']:.2f} % with seed {high['seed']}, "
                f"{low['test_accuracy']:.2f} % with seed {low['seed']}. One class, {name}, makes {points[name]:.2f} of "
                f"the {gap:.2f} points: {better['accuracy'][name]:.1f} % of it are right in the one run and "
                f"{worse['accuracy'][name]:.1f} % in the other. {WHY}"
            )
    return lines
