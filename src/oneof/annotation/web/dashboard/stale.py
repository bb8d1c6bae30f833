"""A form that was opened before somebody else changed the same values is refused, and nothing that was typed is lost.

Each form carries the values that it showed, in the hidden field `seen`. If the project has other values by now, the
page comes back with what has changed meanwhile. Fields that were typed into keep what was typed; all others show the
values of today, so that saving once more overwrites only what the manager wants to overwrite.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import unified_diff

from starlette.exceptions import HTTPException

from oneof.annotation.project.classes import ProjectError


@dataclass(frozen=True)
class Change:
    """What became of one field since the form was opened. before, today: None where the field is not in the form."""

    field: str
    before: str | None
    today: str | None

    @property
    def lines(self) -> list[str]:
        """The lines of a long text that went (-) and came (+)."""
        before, today = (self.before or "").splitlines(), (self.today or "").splitlines()
        return [line for line in unified_diff(before, today, n=0) if not line.startswith(("---", "+++", "@@"))]


class StaleFormError(ProjectError):
    """Somebody else has changed values of a form meanwhile. typed: what its fields hold when it is shown again."""

    def __init__(self, what: str, changes: list[Change], typed: dict[str, str]) -> None:
        self.what, self.changes, self.typed = what, changes, typed
        super().__init__(f"somebody else has changed the {what} since this page was opened")


def carried(values: Mapping[str, str]) -> str:
    """The values that a form shows, as its field `seen`."""
    return json.dumps(values, ensure_ascii=False)


def refuse_stale(what: str, fields: Mapping[str, str], today: Mapping[str, str]) -> None:
    """Raise a `StaleFormError` if `today` has other values than the form showed. Fields without `seen` are taken.

    >>> seen = carried({"name": "pets", "question": "Which?"})
    >>> try:
    ...     typed = {"name": "pets", "question": "What?", "seen": seen}
    ...     refuse_stale("settings", typed, {"name": "zoo", "question": "Which?"})
    ... except StaleFormError as error:
    ...     print(error.changes, error.typed)
    [Change(field='name', before='pets', today='zoo')] {'name': 'zoo', 'question': 'What?'}
    """
    if "seen" not in fields:
        return
    seen = _values(fields["seen"])
    names = dict.fromkeys([*seen, *today])
    changes = [Change(name, seen.get(name), today.get(name)) for name in names if seen.get(name) != today.get(name)]
    if not changes:
        return
    touched = {name for name in seen if name in fields and fields[name] != seen[name]}
    raise StaleFormError(
        what, changes, {name: fields[name] if name in touched else value for name, value in today.items()}
    )


def _values(text: str) -> dict[str, str]:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict) or not all(isinstance(value, str) for value in values.values()):
        raise HTTPException(422, "seen: not what a form of this page sends; open the page again")
    return values
