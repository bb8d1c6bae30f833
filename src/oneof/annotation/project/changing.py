"""Changing a project that is running: checked as a whole, written whole, and noted in the journal."""

from typing import Any

from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import Project, Settings, save_settings
from oneof.annotation.store import facts, journal
from oneof.annotation.store.database import Database
from oneof.files.atomic import replacing

FIXED = {
    "size": "Labels in each question. Fixed: answers to questions of another size could not be judged together.",
    "seed": "The questions follow from it.",
    "epsilon": "Private mode. Fixed: people were told how their answers are randomised.",
}
"""Settings that answers depend on, and why they hold until the project ends."""

LONGEST_GUIDELINES = 50_000


def change_settings(
    database: Database, project: Project, changes: dict[str, Any], now: float, person_id: int | None = None
) -> Project:
    """The project with other settings; an error names the setting, and then nothing is changed."""
    unknown = next((name for name in changes if name not in Settings.model_fields), None)
    if unknown is not None:
        raise ProjectError(f"{unknown}: no such setting; there are {', '.join(Settings.model_fields)}")
    fixed = next((name for name in FIXED if name in changes), None)
    if fixed is not None:
        raise ProjectError(f"{fixed}: fixed when the project was made")
    changed = save_settings(project, changes)
    database.write(journal.note, "settings", now, person_id, **changes)
    return changed


def change_guidelines(database: Database, project: Project, text: str, now: float, person_id: int | None = None) -> int:
    """Replace what annotators read; returns the number of the new version."""
    text = text.replace("\r\n", "\n")
    if len(text) > LONGEST_GUIDELINES:
        raise ProjectError(f"guidelines: longer than {LONGEST_GUIDELINES} characters")
    with replacing(project.guidelines_file) as part:
        part.write_text(text, encoding="utf-8")
    database.write(journal.note, "guidelines", now, person_id, characters=len(text))
    return facts.current_guidelines(database, project)[0]
