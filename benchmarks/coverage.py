"""Do label-free intervals hold what they promise? Simulated data sets, for every situation that judging meets.

    python -m benchmarks.coverage [--times 1000] [--only "gold answers each"]

Writes results/coverage.csv, from which `python -m benchmarks.pages` makes the table in docs/coverage.md; with --only
the rows of other situations stay as they are. A situation is simulated `times` times: `before` is the share of
intervals that held the truth as the first edition would have judged (answers taken as exact, skips left out, rates
taken as known, one look), `after` the same as judged now; `refused` the share of data sets that are refused.
"""

import argparse
import re
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks import pages
from oneof import Answers, Estimate, PredictionQueries, UniformQueries, class_report, estimate_accuracy, respond
from oneof.annotation.learning.guesses import largest_error, with_guesses
from oneof.evaluation import accuracy_with_labels, assisted_accuracy, clopper_pearson, confidence_sequence
from oneof.files.atomic import replacing
from oneof.noise import rates_from_gold, rates_from_repeated

ROWS = pages.RESULTS / "coverage.csv"
Rng = np.random.Generator


class Judged(NamedTuple):
    """One simulated data set: the true accuracy, and the intervals before (None: there was none) and after."""

    truth: float
    before: Callable[[], Estimate] | None
    after: Callable[[], Estimate]


class Situation(NamedTuple):
    """What is simulated. promise: what the documentation says of it."""

    name: str
    n: int
    promise: str
    draw: Callable[[Rng, int], Judged]


def items(rng: Rng, n: int, k: int, accuracy: float) -> tuple[Any, Any]:
    """Labels, and predictions that are wrong mostly by the next class."""
    labels = rng.integers(k, size=n)
    step = np.where(rng.random(n) < 0.7, 1, rng.integers(1, k, size=n))
    return labels, np.where(rng.random(n) < accuracy, labels, (labels + step) % k)


def plain(k: int = 10, m: int = 3, accuracy: float = 0.9, **flips: Any) -> Callable[[Rng, int], Judged]:
    def draw(rng: Rng, n: int) -> Judged:
        labels, guess = items(rng, n, k, accuracy)
        subsets = UniformQueries(k, m).draw(n, rng)
        answers = Answers(subsets, respond(subsets, labels, rng=rng, **flips))
        return Judged(
            accuracy,
            partial(estimate_accuracy, guess, answers, check=False),
            partial(estimate_accuracy, guess, answers, **flips),
        )

    return draw


def decoys(k: int, accuracy: float = 0.9, **flips: Any) -> Callable[[Rng, int], Judged]:
    def draw(rng: Rng, n: int) -> Judged:
        labels, guess = items(rng, n, k, accuracy)
        subsets = PredictionQueries(k, 3).draw(guess, rng)
        said = respond(subsets, labels, rng=rng, **flips)
        answers = Answers(subsets, said, design="prediction", predicted=guess)
        return Judged(accuracy, None, partial(estimate_accuracy, guess, answers, **flips))

    return draw


def gold(rho: float, count: int, annotators: int) -> Callable[[Rng, int], Judged]:
    """count: gold answers of each annotator; rates by annotator, or pooled where there is one."""

    def draw(rng: Rng, n: int) -> Judged:
        total = n + count * annotators
        labels, guess = items(rng, total, 10, 0.9)
        who = np.concatenate([rng.integers(annotators, size=n), np.arange(total - n) % annotators])
        subsets = UniformQueries(10, 3).draw(total, rng)
        said = respond(subsets, labels, flip_yes=rho, flip_no=rho, rng=rng)
        answers = Answers(subsets, said, annotators=who.astype(str) if annotators > 1 else None)
        known = np.where(np.arange(total) < n, -1, labels)
        told = rates_from_gold(answers, known).apply(answers[:n])
        sure = told.replace(known_yes=None, known_no=None)
        return Judged(
            0.9, partial(estimate_accuracy, guess, sure, check=False), partial(estimate_accuracy, guess, told)
        )

    return draw


TOGETHER = ("prediction among decoys", "two answers an item", "one in twenty skipped", "looked at four times")


def together(kind: str) -> Callable[[Rng, int], Judged]:
    """People who err, and one thing more: three annotators, 8 % error, the rates of each from 100 gold answers."""

    def draw(rng: Rng, n: int) -> Judged:
        labels, guess = items(rng, n + 300, 10, 0.9)
        first = np.repeat(np.arange(n), 2 if kind == "two answers an item" else 1)
        about = np.concatenate([first, np.arange(n, n + 300)])
        asked = np.arange(len(about)) < len(first)
        subsets = UniformQueries(10, 3).draw(len(about), rng)
        if kind == "prediction among decoys":
            subsets[asked] = PredictionQueries(10, 3).draw(guess[:n], rng)
        said = respond(subsets, labels[about], flip_yes=0.08, flip_no=0.08, rng=rng)
        who = np.arange(len(about)) % 3
        skipped = asked & (rng.random(len(about)) < 0.05) if kind == "one in twenty skipped" else None
        answers = Answers(subsets, said, about, annotators=who.astype(str), skipped=skipped)
        known = np.where(np.arange(n + 300) < n, -1, labels)
        told = rates_from_gold(answers, known).apply(answers[: len(first)])
        if kind == "prediction among decoys":
            told = told.replace(design=np.full(n, "prediction"), predicted=guess[:n])
        if kind != "looked at four times":
            return Judged(0.9, None, partial(estimate_accuracy, guess, told))

        def worst() -> Estimate:
            seen = [estimate_accuracy(guess, told[: n * part // 4], anytime=True) for part in (1, 2, 3, 4)]
            return next((look for look in seen if not look.low <= 0.9 <= look.high), seen[-1])

        return Judged(0.9, None, worst)

    return draw


def repeats(annotators: int) -> Callable[[Rng, int], Judged]:
    """Every third question goes to a second person; 8 % error; rates by annotator, or pooled where there is one."""

    def draw(rng: Rng, n: int) -> Judged:
        labels, guess = items(rng, n, 10, 0.9)
        once, about = UniformQueries(10, 3).draw(n, rng), np.concatenate([np.arange(n), np.arange(n // 3)])
        said = respond(once[about], labels[about], flip_yes=0.08, flip_no=0.08, rng=rng)
        who = np.concatenate([np.arange(n) % annotators, (np.arange(n // 3) + 1) % annotators]).astype(str)
        answers = Answers(once[about], said, about, annotators=who if annotators > 1 else None)
        told = rates_from_repeated(answers).apply(answers)
        sure = told.replace(known_yes=None, known_no=None)
        return Judged(
            0.9, partial(estimate_accuracy, guess, sure, check=False), partial(estimate_accuracy, guess, told)
        )

    return draw


def of_a_class(figure: str, count: int) -> Callable[[Rng, int], Judged]:
    """Precision, share or recall of one of four classes; 8 % error, the rates from so many gold answers."""
    truth = {"share": 0.25, "precision": 0.9, "recall": 0.9}[figure]

    def draw(rng: Rng, n: int) -> Judged:
        labels = rng.integers(4, size=n + count)
        guess = np.where(rng.random(n + count) < 0.9, labels, (labels + 1) % 4)
        subsets = UniformQueries(4, 2).draw(n + count, rng)
        answers = Answers(subsets, respond(subsets, labels, flip_yes=0.08, flip_no=0.08, rng=rng))
        told = rates_from_gold(answers, np.where(np.arange(n + count) < n, -1, labels)).apply(answers[:n])
        sure = told.replace(known_yes=None, known_no=None)

        def judge(some: Answers, check: bool) -> Estimate:
            row = class_report(guess, some, check=check).iloc[0]
            value, low, high = (float(row[f"{figure}{end}"]) for end in ("", "_low", "_high"))
            return Estimate(value, low, high, len(some))

        return Judged(truth, partial(judge, sure, False), partial(judge, told, True))

    return draw


def twins(rng: Rng, n: int) -> tuple[NDArray[np.int64], Answers, NDArray[np.bool_]]:
    """30 % of the items may be either of two classes: predictions, 85 % right, and answers; which of these are skipped,
    the question separating the two."""
    labels = rng.integers(10, size=n)
    hard, twin, rows = rng.random(n) < 0.3, labels ^ 1, np.arange(n)
    guess = np.where(hard & (rng.random(n) < 0.5), twin, labels)
    subsets = UniformQueries(10, 3).draw(n, rng)
    skipped = hard & (subsets[rows, labels] != subsets[rows, twin])
    return guess, Answers(subsets, respond(subsets, labels), skipped=skipped), skipped


def skips(rng: Rng, n: int) -> Judged:
    """Items that may be either of two classes, and no guesses where the question separates them."""
    guess, answers, _ = twins(rng, n)
    return Judged(
        0.85,
        partial(estimate_accuracy, guess, answers.answered, check=False),
        partial(estimate_accuracy, guess, answers),
    )


GUESSES = (
    "exact people",
    "8% error, 100 gold answers each",
    "prediction among decoys",
    "flipped on purpose",
    "looked at four times",
    "the share asserted",
)


def guesses(kind: str, error: float = 0.15) -> Callable[[Rng, int], Judged]:
    """One in ten skipped, and a guess after each; how many are wrong is measured on 60 guesses about known items."""

    def draw(rng: Rng, n: int) -> Judged:
        rho, flip = 0.08 if "error" in kind else 0.0, 0.1 if kind == "flipped on purpose" else 0.0
        labels, guess = items(rng, n + 300, 10, 0.9)
        subsets = UniformQueries(10, 3).draw(n + 300, rng)
        if kind == "prediction among decoys":
            subsets[:n] = PredictionQueries(10, 3).draw(guess[:n], rng)
        true = respond(subsets, labels)
        skipped = rng.random(n + 300) < 0.1
        skipped[n:] = False
        coin = rng.random(n + 300) < flip
        said = respond(subsets, labels, flip_yes=rho, flip_no=rho, rng=rng) ^ coin
        guessed = (true ^ (rng.random(n + 300) < error) ^ coin)[:n]
        who = (np.arange(n + 300) % 3).astype(str)
        answers = Answers(subsets, said, annotators=who, skipped=skipped)
        told = answers[:n].replace(flip_yes=flip, flip_no=flip, randomised=flip) if flip else answers[:n]
        if rho:
            told = rates_from_gold(answers, np.where(np.arange(n + 300) < n, -1, labels)).apply(told)
        if kind == "prediction among decoys":
            told = told.replace(design=np.full(n, "prediction"), predicted=guess[:n])
        wrong = int(((rng.random(60) < error) ^ (rng.random(60) < flip)).sum())
        bound = error if kind == "the share asserted" else largest_error(wrong, 60, 1.0, flip)
        counted = with_guesses(guess, told, skipped[:n], guessed, bound)
        if kind != "looked at four times":
            return Judged(0.9, None, lambda: estimate_accuracy(guess, counted))

        def worst() -> Estimate:
            seen = []
            for part in (1, 2, 3, 4):
                first = slice(0, n * part // 4)
                some = with_guesses(guess, told[first], skipped[:n][first], guessed[first], bound)
                seen.append(estimate_accuracy(guess, some, anytime=True))
            return next((look for look in seen if not look.low <= 0.9 <= look.high), seen[-1])

        return Judged(0.9, None, worst)

    return draw


def look_alikes(rng: Rng, n: int) -> Judged:
    """Items that may be either of two classes: where the question separates them, people toss a coin."""
    guess, answers, skipped = twins(rng, n)
    coin, bound = rng.random(n) < 0.5, largest_error(int(rng.binomial(60, 0.5)), 60, 1.0)

    def judge(error: float) -> Estimate:
        return estimate_accuracy(guess, with_guesses(guess, answers, skipped, coin, error))

    return Judged(0.85, partial(judge, 0.25), partial(judge, bound))


def several(per_item: int, accuracy: float) -> Callable[[Rng, int], Judged]:
    def draw(rng: Rng, n: int) -> Judged:
        labels, guess = items(rng, n, 10, accuracy)
        about = np.repeat(np.arange(n), per_item)
        subsets = UniformQueries(10, 3).draw(len(about), rng)
        answers = Answers(subsets, respond(subsets, labels[about]), about)
        return Judged(accuracy, None, partial(estimate_accuracy, guess, answers))

    return draw


def looks(rng: Rng, n: int) -> Judged:
    """After every 50th answer from the 100th on; the interval that is wrong, if any look has one."""
    labels, guess = items(rng, n, 10, 0.9)
    subsets = UniformQueries(10, 3).draw(n, rng)
    answers = Answers(subsets, respond(subsets, labels))

    # What would be seen at every look, in one go; the look that is wrong, or else the last, is then judged as ever.
    agreed = np.cumsum(answers.contains(guess) == answers.responses)
    counts = np.arange(100, n + 1, 50)
    share = UniformQueries(10, 3).agreement_by_chance
    truth = 0.9 + 0.1 * share

    def worst(anytime: bool) -> Estimate:
        low, high = (confidence_sequence if anytime else clopper_pearson)(agreed[counts - 1], counts, 0.95)
        wrong = (low > truth) | (high < truth)
        look = int(counts[np.argmax(wrong)] if wrong.any() else n)
        return estimate_accuracy(guess, answers[:look], check=False, anytime=anytime)

    return Judged(0.9, partial(worst, False), partial(worst, True))


def trained_on(rng: Rng, n: int) -> Judged:
    """Half of the answers are about items trained on, where the model is right in 95 % instead of 45 %."""
    labels, guess = items(rng, n, 10, 0.45)
    half = np.arange(n // 2)
    guess[half] = np.where(rng.random(n // 2) < 0.9, labels[half], guess[half])
    subsets = UniformQueries(10, 3).draw(n, rng)
    answers = Answers(subsets, respond(subsets, labels))
    return Judged(
        0.45,
        partial(estimate_accuracy, guess, answers, check=False),
        partial(estimate_accuracy, guess, answers, trained_on=half),
    )


def adaptive(rng: Rng, n: int) -> Judged:
    """The model is asked about where it errs: of the answers to uniform questions two in ten are left among others."""
    labels, guess = items(rng, n, 10, 0.8)
    chosen = rng.random(n) < np.where(guess == labels, 0.6, 0.95)
    uniform = rng.random(n) < 0.2  # drawn before anything was chosen
    subsets = UniformQueries(10, 3).draw(n, rng)
    answers = Answers(subsets, respond(subsets, labels), design=np.where(uniform, "uniform", "adaptive"))
    easy = answers[~chosen].replace(design="uniform")
    return Judged(0.8, partial(estimate_accuracy, guess, easy, check=False), partial(estimate_accuracy, guess, answers))


def inverted(rng: Rng, n: int) -> Judged:
    """One of four annotators presses the wrong button throughout."""
    labels, guess = items(rng, n, 10, 0.9)
    who = np.arange(n) % 4
    subsets = UniformQueries(10, 3).draw(n, rng)
    answers = Answers(subsets, respond(subsets, labels) ^ (who == 3), annotators=who.astype(str))
    return Judged(
        0.9, partial(estimate_accuracy, guess, answers, check=False), partial(estimate_accuracy, guess, answers)
    )


def other_law(kind: str) -> Callable[[Rng, int], Judged]:
    def draw(rng: Rng, n: int) -> Judged:
        labels, guess = items(rng, n, 10, 0.5)
        rows = np.arange(n)
        if kind == "complementary labels":
            subsets = np.eye(10, dtype=bool)[(labels + rng.integers(1, 10, size=n)) % 10]
        elif kind == "candidate sets":
            subsets = rng.random((n, 10)) < 0.3
            subsets[rows, labels], subsets[rows, (labels + 1) % 10] = True, False
        elif kind == "exact labels":
            subsets = np.eye(10, dtype=bool)[labels]
        else:
            subsets = UniformQueries(10, 3).draw(n, rng) | (rng.random((n, 1)) < 0.4) * np.eye(10, dtype=bool)[:1]
        answers = Answers(subsets, respond(subsets, labels))
        return Judged(
            0.5, partial(estimate_accuracy, guess, answers, check=False), partial(estimate_accuracy, guess, answers)
        )

    return draw


def assisted(rng: Rng, n: int) -> Judged:
    """A model that is torn between two classes for 40 % of the items, and then right in one case of two."""
    labels, rows = rng.integers(10, size=n), np.arange(n)
    share = np.where(rng.random(n) < 0.4, rng.uniform(0.2, 0.8, n), 0.97)
    p = np.full((n, 10), 0.002)
    p[rows, labels] += 0.98 * share
    p[rows, (labels + rng.integers(1, 10, size=n)) % 10] += 0.98 * (1 - share)
    subsets = UniformQueries(10, 3).draw(n, rng)
    answers = Answers(subsets, respond(subsets, labels))
    return Judged(0.8, partial(estimate_accuracy, p.argmax(axis=1), answers), partial(assisted_accuracy, p, answers))


def few_labels(rng: Rng, n: int) -> Judged:
    """300 labels, and answers of which 10 % of the yes and 15 % of the no are wrong, which nobody knows."""
    labels, guess = items(rng, n, 10, 0.8)
    subsets = UniformQueries(10, 5).draw(n, rng)
    answers = Answers(subsets, respond(subsets, labels, flip_yes=0.1, flip_no=0.15, rng=rng))
    known = np.where(np.arange(n) < 300, labels, -1)
    return Judged(
        0.8,
        partial(estimate_accuracy, guess, answers, check=False),
        partial(accuracy_with_labels, guess, answers, known),
    )


def situations() -> Iterator[Situation]:
    """Every situation, with the number of answers."""
    for accuracy in (0.5, 0.9, 0.99):
        yield Situation(f"uniform questions, accuracy {accuracy:g}", 300, "exact", plain(accuracy=accuracy))
    flips: dict[str, Any] = {"flip_yes": 0.1, "flip_no": 0.05}
    yield Situation("uniform questions, known flips of 10 and 5 %", 1000, "exact", plain(**flips))
    for k in (10, 37, 1000):
        yield Situation(f"prediction among decoys, k = {k}", 300, "exact", decoys(k))
    yield Situation("prediction among decoys, k = 37, known flips", 300, "exact", decoys(37, **flips))
    for per_item, accuracy in ((2, 0.9), (3, 0.99)):
        yield Situation(
            f"{per_item} answers an item, accuracy {accuracy}", 150, "asymptotic", several(per_item, accuracy)
        )
    for rho in (0.0, 0.02, 0.08, 0.15):
        for count in (50, 300, 1000):
            yield Situation(f"{rho:.0%} error, {count} gold answers, pooled", 2000, "asymptotic", gold(rho, count, 1))
    for annotators, counts in ((3, (50, 300)), (5, (50,)), (20, (50,))):
        for rho in (0.02, 0.08, 0.15):
            for count in counts:
                name = f"{rho:.0%} error, {count} gold answers each, {annotators} annotators"
                yield Situation(name, 2000, "asymptotic", gold(rho, count, annotators))
    for kind in TOGETHER:
        promise = "anytime" if kind == "looked at four times" else "asymptotic"
        yield Situation(f"8% error, 100 gold answers each, {kind}", 800, promise, together(kind))
    yield Situation("8% error, a third of the questions asked twice", 1500, "asymptotic", repeats(1))
    yield Situation("8% error, a third asked of two of 3 annotators", 1500, "asymptotic", repeats(3))
    for figure in ("precision", "share", "recall"):
        name = f"8% error, 200 gold answers, {figure} of a class"
        yield Situation(name, 2000, "asymptotic", of_a_class(figure, 200))
    yield Situation("skips where the question separates look-alikes", 800, "at least", skips)
    for kind in GUESSES:
        promise = "anytime" if kind == "looked at four times" else "at least"
        yield Situation(f"guesses after skips, 15 % of them wrong, {kind}", 800, promise, guesses(kind))
    yield Situation("guesses after skips, 25 % of them wrong, the share asserted", 800, "at least",
                    guesses("the share asserted", 0.25))  # fmt: skip
    yield Situation("guesses by coin between look-alikes", 800, "at least", look_alikes)
    yield Situation("looked at after every 50th answer", 1000, "anytime", looks)
    yield Situation("half of the answers about items trained on", 1000, "exact", trained_on)
    yield Situation("adaptive questions, a fifth uniform ones", 2000, "exact", adaptive)
    yield Situation("one of four annotators inverts", 1000, "exact", inverted)
    for kind in ("complementary labels", "candidate sets", "exact labels", "non-uniform questions"):
        yield Situation(kind, 500, "refused", other_law(kind))
    yield Situation("model-assisted", 500, "asymptotic", assisted)
    yield Situation("300 labels and answers with unknown flips", 3000, "asymptotic", few_labels)


def simulate(case: Situation, times: int) -> dict[str, Any]:
    """The row of one situation."""
    # Each situation has draws of its own, the same in every run, wherever it stands in the list.
    rng = np.random.default_rng(zlib.crc32(case.name.encode()))
    before, after, widths, refused = [], [], [], 0
    for _ in range(times):
        truth, first, now = case.draw(rng, case.n)
        if first is not None:
            found = first()
            before.append(found.low <= truth <= found.high)
        try:
            found = now()
        except ValueError:
            refused += 1
            continue
        after.append(found.low <= truth <= found.high)
        widths.append(found.width)
    row: dict[str, Any] = {"situation": case.name, "n": case.n, "accuracy": truth, "times": times}
    row |= {"promise": case.promise, "before": float(np.mean(before)) if before else np.nan}
    row |= {"after": float(np.mean(after)) if after else np.nan, "width": float(np.mean(widths)) if after else np.nan}
    row |= {"refused": refused / times}
    return row


def keep(row: dict[str, Any]) -> None:
    """Put a row into the file, in place of an older one, in the order of the situations."""
    old = pd.read_csv(ROWS) if ROWS.exists() else pd.DataFrame(columns=list(row))
    names = [case.name for case in situations()]
    others = old[(old["situation"] != row["situation"]) & old["situation"].isin(names)]
    rows = pd.concat([part for part in (others, pd.DataFrame([row])) if len(part)])
    rows = rows.sort_values("situation", key=lambda column: column.map(names.index))
    with replacing(ROWS) as part:
        rows.round(4).to_csv(part, index=False, lineterminator="\n")


def facts() -> dict[str, str]:
    """What pages say from the rows."""
    rows = pd.read_csv(ROWS)
    shown = {
        "situation": rows["situation"],
        "n": rows["n"].map("{:,}".format),
        "truth": (100 * rows["accuracy"]).map("{:.0f} %".format),
        "data sets": rows["times"].map("{:,}".format),
        "promise": rows["promise"],
        "covered before": (100 * rows["before"]).map("{:.1f} %".format, na_action="ignore"),
        "covered now": (100 * rows["after"]).map("{:.1f} %".format, na_action="ignore"),
        "mean width": rows["width"].map("{:.3f}".format, na_action="ignore"),
        "refused": (100 * rows["refused"]).map("{:.1f} %".format),
    }
    known = set(rows["situation"])
    missing = [{"situation": case.name, "n": f"{case.n:,}", "data sets": "not run"} for case in situations()]
    missing = [row for row in missing if row["situation"] not in known]
    table = pd.concat([pd.DataFrame(shown), pd.DataFrame(missing)]).fillna("")
    return {"table": pages.table(table), "error": f"{100 * np.sqrt(0.05 * 0.95 / rows['times'].min()):.1f}"}


def main() -> None:
    """Simulate and keep the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=1000, help="data sets for each situation")
    parser.add_argument("--only", default="", metavar="PATTERN", help="situations whose name this is found in")
    options = parser.parse_args()
    for case in situations():
        if re.search(options.only, case.name):
            row = simulate(case, options.times)
            print(row, flush=True)
            keep(row)


if __name__ == "__main__":
    main()
