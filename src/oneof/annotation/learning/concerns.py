"""What a manager should look at first, in sentences made from the figures of a project."""

from dataclasses import dataclass
from math import sqrt
from typing import Any, Literal

from oneof.annotation.learning.quality import UNLIKELY

FEWEST = 20
"""Answers that a rate needs at least to say anything."""

FAST_SHARE = 0.3
SKIPPED_SHARE = 0.25
LOW_AGREEMENT = 0.6
LOW_GOLD = 0.8
STALE_ANSWERS = 500


@dataclass(frozen=True)
class Concern:
    """level: urgent (answers or figures may be wrong) or notice (something to do or to know). page: where to act."""

    level: Literal["urgent", "notice"]
    text: str
    page: str


def concerns(figures: dict[str, Any]) -> list[Concern]:
    """The concerns that the figures of `quality.dashboard` give rise to, the urgent ones first.

    >>> concerns({"needed": 0, "annotators": [], "model": None})[0].text
    'There are no items yet: bring some in.'
    """
    found = _beginning(figures) or [*_people(figures), *_project(figures), *_model(figures)]
    return sorted(found, key=lambda one: one.level != "urgent")


def _beginning(figures: dict[str, Any]) -> list[Concern]:
    found = []
    if not figures["needed"]:
        found.append(Concern("notice", "There are no items yet: bring some in.", "project"))
    if not figures["annotators"]:
        found.append(Concern("notice", "Nobody is invited yet: make a link for each annotator.", "people"))
    return found


def _people(figures: dict[str, Any]) -> list[Concern]:
    found = []
    limit = figures["too_fast_seconds"]
    for person in figures["annotators"]:
        name, judged = person["name"], min(person["answered"] + person["skipped"], 1000)
        if judged < FEWEST:
            continue
        if person["too_fast"] is not None and person["too_fast"] > FAST_SHARE:
            text = f"{name}: {100 * person['too_fast']:.0f} % of the answers were faster than {limit:g} s."
            found.append(Concern("urgent", text, "people"))
        if person["unusual_yes_rate"]:
            expected = figures["expected_yes_rate"]
            text = f"{name} says yes in {100 * person['yes_rate']:.0f} % of the questions"
            found.append(Concern("urgent", f"{text}; {100 * expected:.0f} % is to be expected.", "people"))
        right, asked = person["gold_right"], person["gold_asked"]
        if asked >= 5 and right < LOW_GOLD * asked and figures["epsilon"] is None:
            found.append(Concern("urgent", f"{name} got {right} of {asked} known items right.", "people"))
    return found


def _project(figures: dict[str, Any]) -> list[Concern]:
    found = []
    answered, skipped = figures["answered"], figures["skipped"]
    if figures["paused"]:
        found.append(Concern("notice", "The project is paused: nobody gets new questions.", "overview"))
    rate, expected, judged = figures["yes_rate"], figures["expected_yes_rate"], figures["uniform_answers"]
    if rate is not None and judged >= FEWEST:
        error = sqrt(expected * (1 - expected) / judged)
        if abs(rate - expected) > UNLIKELY * error:
            text = (
                f"Yes in {100 * rate:.1f} % of the answers; chance does not lead this far from {100 * expected:.1f} %"
            )
            found.append(Concern("urgent", f"{text}: answers are wrong more often than is thought.", "people"))
    if answered + skipped >= FEWEST and skipped > SKIPPED_SHARE * (answered + skipped):
        share = skipped / (answered + skipped)
        text = f"“Can't tell” in {100 * share:.0f} % of the cases: look at what is skipped."
        found.append(Concern("urgent", text, "items"))
    alpha = figures["agreement_alpha"]
    if alpha is not None and alpha < LOW_AGREEMENT and figures["epsilon"] is None:
        found.append(Concern("urgent", f"People disagree often: agreement (alpha) is {alpha:.2f}.", "review"))
    if answered >= FEWEST and not any(person["gold_asked"] for person in figures["annotators"]):
        text = "No known items (gold): how often people err is not known, and every accuracy rests on that."
        found.append(Concern("notice", text, "items"))
    if figures["flags"]:
        count = len(figures["flags"])
        found.append(Concern("notice", f"{count} remark{'s' if count > 1 else ''} about items to read.", "review"))
    return found


def _model(figures: dict[str, Any]) -> list[Concern]:
    model, answered = figures["model"], figures["answered"]
    if model is None:
        if answered < 100:
            return []
        return [Concern("notice", f"{answered} answers and no model yet: train one.", "model")]
    # That the model cannot be judged comes first.
    found = [Concern("urgent", str(model["warning"]), "model")] if model.get("warning") else []
    if answered - model["answers"] > STALE_ANSWERS:
        text = f"The model was trained on {model['answers']} answers; there are {answered} now."
        found.append(Concern("notice", text, "model"))
    return found
