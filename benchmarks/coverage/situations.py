"""Every situation that is simulated, with the number of answers and what the documentation promises."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from benchmarks.coverage.noise import COMBINED, combined, gold, of_a_class, repeats
from benchmarks.coverage.questions import (
    adaptive,
    assisted,
    decoys,
    few_labels,
    inverted,
    looks,
    other_law,
    plain,
    several,
    trained_on,
)
from benchmarks.coverage.simulated import Draw
from benchmarks.coverage.skips import GUESSES, guesses, look_alikes, skips


class Situation(NamedTuple):
    """What is simulated: its name, the number of answers, what the documentation promises, and a data set of it."""

    name: str
    n: int
    promise: str
    draw: Draw


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
    for kind in COMBINED:
        promise = "anytime" if kind == "looked at four times" else "asymptotic"
        yield Situation(f"8% error, 100 gold answers each, {kind}", 800, promise, combined(kind))
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
