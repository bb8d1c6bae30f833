"""The settings as a form: which may be changed while people answer, and what each of them means."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import Settings


@dataclass(frozen=True)
class Setting:
    """One field of the form."""

    name: str
    title: str
    help: str
    kind: Literal["text", "whole", "number", "switch", "choice"] = "number"
    choices: tuple[str, ...] = ()


FORM = (
    Setting("name", "Name", "Shown to annotators.", "text"),
    Setting("question", "Question", "Stands above the labels.", "text"),
    Setting("overlap", "Answers for each question", "By different people; two or more show how far they agree. "
            "Holds for items brought in from now on.", "whole"),
    Setting("questions_per_item", "Questions about each item", "More questions tell more than the same one again. "
            "Holds for items brought in from now on.", "whole"),
    Setting("gold_share", "Share of known items", "How often an item with a known label is hidden among the others."),
    Setting("repeat_share", "Share of repeated questions", "How often people are asked again what they answered."),
    Setting("repeat_gap", "Distance of repeats", "Questions in between, at least.", "whole"),
    Setting("mechanism", "Choice of questions", "Adaptive: each training replaces open questions by more "
            "telling ones, once the model knows enough to find them.",
            "choice", ("uniform", "adaptive")),
    Setting("uniform_share", "Share that stays uniform", "Only uniform questions can judge the model."),
    Setting("show_predictions", "Show predictions", "Annotators see what the model thinks. Quicker, but it pulls "
            "answers its way, and the accuracy no longer holds.", "switch"),
    Setting("show_names", "Show names of items", "File names or ids, which often tell the class.", "switch"),
    Setting("language", "Language", "Of the annotators' pages. Auto: that of each browser, and people may choose "
            "another. What you write yourself (question, names, definitions, guidelines) is shown as you write it.",
            "choice", get_args(Settings.model_fields["language"].annotation)),
    Setting("slip_rate", "Slips of the finger", "How often people press the wrong key; training allows for it."),
    Setting("guess_error", "Wrong guesses, at most", "The largest share of guesses after “can't tell” that may be "
            "wrong, until 20 guesses about known items measure it. 1: guesses count for nothing."),
    Setting("too_fast_seconds", "Too fast, in seconds", "Quicker answers are counted as too fast."),
    Setting("claim_seconds", "A question is held for, in seconds", "After that it goes to somebody else."),
    Setting("prefetch", "Questions loaded ahead", "More for slow networks.", "whole"),
    Setting("session_days", "Signed in for, in days", "After that the personal link is opened again."),
)  # fmt: skip


def shown(settings: Settings) -> dict[str, str]:
    """What the fields of the form hold: texts, and "on" or nothing for a switch."""
    values = {one.name: getattr(settings, one.name) for one in FORM}
    return {name: ("on" if value else "") if isinstance(value, bool) else str(value) for name, value in values.items()}


def as_typed(fields: dict[str, str]) -> dict[str, str]:
    """The fields that were sent, switches that are off among them: browsers leave those out."""
    off = {one.name: "" for one in FORM if one.kind == "switch" and f"has-{one.name}" in fields}
    return off | fields


def read_form(settings: Settings, fields: dict[str, str]) -> dict[str, Any]:
    """What the form changes; an error names the field by its title. The values are checked again as a whole."""
    changes: dict[str, Any] = {}
    fields = as_typed(fields)
    for one in FORM:
        if one.name not in fields:
            continue
        if one.kind == "switch":
            value: Any = fields[one.name] == "on"
        else:
            value = _number(one, fields[one.name]) if one.kind in ("whole", "number") else fields[one.name].strip()
        if value != getattr(settings, one.name):
            changes[one.name] = value
    return changes


def _number(one: Setting, text: str) -> float:
    try:
        return int(text) if one.kind == "whole" else float(text)
    except ValueError:
        raise ProjectError(f"{one.title}: {text!r} is not a {'whole ' if one.kind == 'whole' else ''}number") from None
