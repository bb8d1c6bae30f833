"""Which encoder suits the items? Decided by held-out answers, without a label."""

from dataclasses import dataclass
from typing import Any

from oneof.answers import Answers
from oneof.classifier.comparing import held_out_accuracy
from oneof.classifier.linear import solve
from oneof.encoders import Encoder, create, installed
from oneof.encoders.pixels import Pixels
from oneof.items.loading import Items

CANDIDATES = {
    "texts": ("words", "wordllama", "words+wordllama"),
    "pictures": ("efficientnet-lite0",),
}
"""The encoders that are compared for a kind of items, as far as they are installed."""

ALWAYS_INSTALLED = {"texts": "words", "pictures": "pixels"}

SMALLEST_PHOTOGRAPH = 32
"""Pixels of the longer side below which pictures are digits or icons: a network trained on their pixels does better."""

ASSUMED_FLIPS = 0.1
"""Flip rates for the comparison where answers contradict each other, so that some of them must be wrong."""


@dataclass(frozen=True)
class Choice:
    """The chosen encoder, the items as numbers, and a row of figures for each encoder that was compared."""

    encoder: Encoder
    items: Items
    table: list[dict[str, Any]]


def choose_encoder(
    items: Items, answers: Answers, name: str = "auto", *, shown: bool = False, **settings: Any
) -> Choice:
    """The named encoder, fitted; for "auto" the installed one under which held-out answers are likeliest.

    answers: about the ids of the items. shown: with progress bars. settings: of the encoder, such as `size`.

    >>> import numpy as np
    >>> items = Items(np.array(["a red fox", "a blue whale"], dtype=object), range(2), kind="texts")
    >>> choice = choose_encoder(items, Answers([[True, False], [True, False]], [True, False]), "words")
    >>> choice.encoder.name, len(choice.items)
    ('words', 2)
    """
    if settings and items.kind == "texts":
        raise ValueError(f"{', '.join(settings)}: a setting of encoders for pictures, but the items are texts")
    names = _candidates(items) if name == "auto" else [name]
    compared: list[tuple[float, Choice]] = []
    for candidate in names:
        encoder = create(candidate, **settings)
        if items.kind != "numbers" and encoder.takes != items.kind:
            raise ValueError(f"the encoder {candidate} takes {encoder.takes}, but the items are {items.kind}")
        encoder.fit(items.x)
        encoded = encoder.encode(items.x, shown=shown)
        taken = items.keep(encoded.x, encoded.rows, encoded.problems)
        if len(names) == 1:
            return Choice(encoder, taken, [])
        aligned = _with_flips(taken.align(answers))
        solution = solve(taken.x, aligned)
        accuracy = held_out_accuracy(solution.held_out.argmax(axis=1), solution.rows, aligned)
        row = {"encoder": candidate, "accuracy": accuracy, "log_likelihood": solution.log_likelihood}
        compared.append((solution.log_likelihood, Choice(encoder, taken, [row])))
    _, best = max(compared, key=lambda pair: pair[0])
    table = [choice.table[0] | {"chosen": choice is best} for _, choice in compared]
    return Choice(best.encoder, best.items, table)


def _candidates(items: Items) -> list[str]:
    if items.kind not in CANDIDATES:
        raise ValueError("numbers need no encoder; for arrays of pictures name one, such as efficientnet-lite0")
    if items.kind == "pictures" and max(Pixels().fit(items.x).frame_.shape[1:]) < SMALLEST_PHOTOGRAPH:
        return ["pixels"]
    usable = [name for name in CANDIDATES[items.kind] if all(installed(part) for part in name.split("+"))]
    return usable or [ALWAYS_INSTALLED[items.kind]]


def _with_flips(answers: Answers) -> Answers:
    """The same answers; with assumed flip rates where they contradict each other, as their own are not known yet."""
    try:
        answers.refuse_contradictions()
    except ValueError:
        return answers.replace(flip_yes=ASSUMED_FLIPS, flip_no=ASSUMED_FLIPS)
    return answers
