"""Change the settings and the guidelines of a running project; each change is noted in the journal."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection

from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import Project, Settings, open_project, save_settings
from oneof.annotation.store import facts, history
from oneof.annotation.store.database import Database
from oneof.files.atomic import replacing

FIXED = {
    "size": "Labels in each question. Fixed: answers to questions of another size could not be judged together.",
    "seed": "The questions follow from it.",
    "epsilon": "Private mode. Fixed: people were told how their answers are randomised.",
}
"""Settings that can never be changed, because answers depend on them, and why."""

LONGEST_GUIDELINES = 50_000


Check = Callable[[Project], None]
"""Looks at the project as it is right before a change, and raises an error where the change must not be made."""


def change_settings(
    database: Database,
    project: Project,
    changes: dict[str, Any],
    now: float,
    person_id: int | None = None,
    check: Check | None = None,
) -> Project:
    """Change settings; returns the project with them. An error names the wrong setting, and nothing is changed."""
    unknown = next((name for name in changes if name not in Settings.model_fields), None)
    if unknown is not None:
        raise ProjectError(f"{unknown}: no such setting; there are {', '.join(Settings.model_fields)}")
    fixed = next((name for name in FIXED if name in changes), None)
    if fixed is not None:
        raise ProjectError(f"{fixed}: fixed when the project was made")

    def work(connection: Connection) -> Project:
        today = _begin(connection, project, check)
        changed = save_settings(today, changes)
        history.note(connection, "settings", now, person_id, **changes)
        return changed

    return database.write(work)


def change_guidelines(
    database: Database,
    project: Project,
    text: str,
    now: float,
    person_id: int | None = None,
    check: Check | None = None,
) -> int:
    """Replace the guidelines that annotators read; returns the number of the new version."""
    text = text.replace("\r\n", "\n")
    if len(text) > LONGEST_GUIDELINES:
        raise ProjectError(f"guidelines: longer than {LONGEST_GUIDELINES} characters")

    def work(connection: Connection) -> None:
        _begin(connection, project, check)
        history.note(connection, "guidelines", now, person_id, characters=len(text))
        with replacing(project.guidelines_file) as part:
            part.write_text(text, encoding="utf-8")

    database.write(work)
    return facts.current_guidelines(database, project)[0]


def _begin(connection: Connection, project: Project, check: Check | None) -> Project:
    """The project of this moment; nobody else changes settings or guidelines until the transaction is over."""
    facts.add(connection, "changes", 1)
    today = open_project(project.folder)
    if check is not None:
        check(today)
    return today
