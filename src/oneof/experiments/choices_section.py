"""How the settings of the leaderboard were chosen: by held-out answers, with the searches as tables."""

import pandas as pd

from oneof.datasets import info
from oneof.experiments.leaderboard import not_shown_yet
from oneof.experiments.methods import CORRECTED, LEADERBOARD
from oneof.experiments.protocol import preset
from oneof.experiments.selection import SEARCHED, chosen_budget, risk_trials, trials
from oneof.experiments.table_format import Cell, Table, to_markdown

BY_HAND = (
    "- Network, augmentation, weight averaging and epochs on {names} were set by hand while the `fast` recipe was "
    "developed, by trial runs that were not kept and with knowledge of test accuracies. Margins of a few tenths may "
    "come from that."
)
BY_ANSWERS = (
    "- Network, augmentation, averaging and epochs on {names} were chosen among the candidates below by the answers "
    "about a tenth of the training items, which were held out, not by labels. The candidates were proposed with "
    "knowledge of some test accuracies: of trials of `cnn-12` on USPS and KMNIST, and of a dozen trials of `cnn-quick` "
    "on CIFAR-10 and KMNIST, which set its rate, its averaging, how its first layer works, and the longest run on "
    "CIFAR-10. Its width and its epochs are what two cores could pay."
)
BEHIND = (
    "- On {names} held-out answers have since chosen another recipe (below); the leaderboard shows it once its runs "
    "fill the same cells."
)
CHOICES = (
    "- Learning rate and weight decay are those of the recipe in all runs.\n"
    "- Each run trains on all answers, and its last epoch counts. `cnn-quick` computes in bfloat16, which takes about "
    "half of the time on a processor that has it; weights and risk have 32 bits."
)
PICKED = (
    "- {risk} was picked among six corrected risks by test accuracy on USPS, one seed ([](objectives.md#weights)): "
    "this favours its USPS cells."
)


def choices(searched: pd.DataFrame) -> list[str]:
    """How settings and corrected risk were chosen, with the tables of the searches. searched: rows, theirs included."""
    table = candidates_table(searched)
    titles = [info(name).title for name in preset("fast").budgets]
    searches = list(dict.fromkeys(line[0].text for line in table.rows))
    behind = not_shown_yet(searched)
    by_answers = [title for title in searches if title not in behind]
    by_hand = [title for title in titles if title not in by_answers]
    told = ((BY_ANSWERS, by_answers), (BY_HAND, by_hand), (BEHIND, list(behind)))
    lines = [text.format(names=", ".join(names)) for text, names in told if names]
    risks = risks_table(searched)
    lines += [PICKED.format(risk=LEADERBOARD[1]), *([_preferred(risks)] if risks.rows else [])]
    return ["\n".join([*lines, CHOICES]), *(to_markdown(each) for each in (table, risks) if each.rows)]


def candidates_table(rows: pd.DataFrame) -> Table:
    """The candidates on each data set, their figures by held-out answers, and which one was chosen."""
    recipe = preset("fast")
    finished = rows.set_index("run")
    lines: list[tuple[Cell, ...]] = []
    for dataset in recipe.budgets:
        candidates = trials(dataset, recipe)
        if not {trial.run for trial in candidates} <= set(finished.index):
            continue
        best = chosen_budget(dataset, recipe, rows)
        for trial, budget in candidates.items():
            row = finished.loc[trial.run]
            accuracy = "{label_free_accuracy:.2f} [{label_free_low:.2f}, {label_free_high:.2f}]".format(**row)
            lines.append(
                (
                    Cell(info(dataset).title),
                    Cell(str(row["backbone"])),
                    Cell(str(budget.epochs)),
                    Cell(budget.augment),
                    Cell(str(budget.average) if budget.average else "no"),
                    Cell(budget.views),
                    Cell(f"{row['held_out_log_likelihood']:.4f}", bold=budget is best),
                    Cell(accuracy),
                )
            )
    header = ("data set", "network", "epochs", "augmentation", "averaged", "views", "log-likelihood", "accuracy, %")
    caption = (
        f"Candidates of the recipe, P(s=1) = {SEARCHED}, seed {recipe.seeds[0]}: mean log-likelihood of the held-out "
        "answers, the best in bold, and the accuracy that they estimate"
    )
    notes = (
        "Averaged: the decay of the running average of the weights. Views: predictions are averaged over them.",
        "The log-likelihood chooses. Accuracy was to do so, until the first search, on USPS, showed its intervals: "
        "with some hundred answers they are wider than all that the candidates differ by.",
    )
    return Table("candidates", caption, header, tuple(lines), notes)


def risks_table(rows: pd.DataFrame) -> Table:
    """The corrected risks by the accuracy that held-out answers estimate, on each data set and on average."""
    recipe = preset("fast")
    accuracies = rows.set_index("run")["label_free_accuracy"]
    lines: list[tuple[Cell, ...]] = []
    found: list[list[float]] = []
    for dataset in recipe.budgets:
        compared = [spec.run for spec in risk_trials(dataset, recipe, rows)]
        if set(compared) <= set(accuracies.index):
            found.append([float(accuracies[run]) for run in compared])
            lines.append(_accuracy_line(info(dataset).title, found[-1]))
    if lines:
        lines.append(_accuracy_line("mean", [sum(column) / len(column) for column in zip(*found, strict=True)]))
    caption = (
        f"Corrected risks under the chosen recipe, P(s=1) = {SEARCHED}, seed {recipe.seeds[0]}: accuracy (%) by "
        "held-out answers, the best of a line in bold"
    )
    notes = (
        "With half of the labels in a question the weights of agreement and of minimum norm are the same; where the "
        "raw risk is never negative, so are ABS and NN. Differences of a few tenths are within the intervals.",
    )
    return Table("risks", caption, ("data set", *CORRECTED), tuple(lines), notes)


def _accuracy_line(name: str, accuracies: list[float]) -> tuple[Cell, ...]:
    return (Cell(name), *(Cell(f"{value:.2f}", bold=value == max(accuracies)) for value in accuracies))


def _preferred(risks: Table) -> str:
    """A sentence on the corrected risk with the best mean by held-out answers, beside the one on the leaderboard."""
    *sets, mean = risks.rows
    means = {name: float(cell.text) for name, cell in zip(CORRECTED, mean[1:], strict=True)}
    best, ours = max(CORRECTED, key=means.__getitem__), LEADERBOARD[1]
    every = len(preset("fast").budgets)
    over = f"Over {'all ' if len(sets) == every else f'{len(sets)} of '}{every} data sets held-out answers"
    if best == ours:
        return f"- {over} prefer it too (below): {means[ours]:.2f} % on average, the best of the six."
    return f"- {over} prefer {best} on average (below): {means[best]:.2f} %, and {means[ours]:.2f} % for {ours}."
