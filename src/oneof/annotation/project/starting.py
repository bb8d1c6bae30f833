"""Start a project, and move one to another database."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile, rmtree
from tempfile import mkdtemp
from typing import Any

from oneof.annotation.asking import access
from oneof.annotation.project.classes import ProjectError, adopt_examples, read_classes
from oneof.annotation.project.fetching import has_addresses
from oneof.annotation.project.folder import Project, checked_settings, create_project
from oneof.annotation.project.importing import Imported, import_items, read_gold
from oneof.annotation.store import facts
from oneof.annotation.store.backup import copy_rows
from oneof.annotation.store.database import Database
from oneof.annotation.store.upgrading import holds_project, upgrade

ADMIN = "admin"
"""The name of the first manager."""


@dataclass(frozen=True)
class Started:
    """A new project, what was imported, how many answers it needs, and the token of the first manager's link."""

    project: Project
    imported: Imported
    needed: int
    admin_token: str


def start_project(
    folder: Path,
    values: dict[str, Any],
    classes_file: Path,
    items_path: Path | None,
    gold_file: Path | None = None,
    database_url: str | None = None,
    *,
    report: Callable[[int], None] | None = None,
) -> Started:
    """Make the folder and the database, and import the items, if there are any yet; after an error nothing is left.

    values: the settings. items_path: None for a project without items. report: called with the number of items so far.
    """
    settings = checked_settings(values)
    classes = read_classes(classes_file)
    gold = {} if gold_file is None else read_gold(gold_file, [one.name for one in classes])
    if items_path is not None and has_addresses(items_path):
        raise ProjectError(f"{items_path}: a table of addresses: make the project without items, then `import` it")
    if (folder / "project.toml").exists():
        raise ProjectError(f"{folder}: there is a project already; use `import` to add items to it")
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Everything is made beside the folder and moved in at the end, so that a failure leaves nothing behind.
    part = Path(mkdtemp(dir=folder.parent, prefix=".oneof-"))
    try:
        if (folder / "guidelines.md").is_file():
            copyfile(folder / "guidelines.md", part / "guidelines.md")
        adopted = adopt_examples(classes, classes_file.parent, part / "examples")
        project = create_project(part, settings, adopted)
        if database_url is not None:
            project.remember_database(database_url)
        database = project.database()
        try:
            if holds_project(database):
                raise ProjectError("--database: this database holds a project already; give this one its own")
            upgrade(database)
            imported = Imported()
            if items_path is not None:
                imported = import_items(database, project, items_path, gold, report=report, alone=True)
            token = database.write(access.invite, ADMIN, "admin", time.time())
            project.remember_admin(token)
            facts.current_guidelines(database, project)
            with database.read() as connection:
                needed = int(facts.get(connection, "needed", "0"))
        finally:
            database.close()
        folder.mkdir(exist_ok=True)
        for name in sorted(os.listdir(part), key="project.toml".__eq__):
            (part / name).replace(folder / name)
    finally:
        rmtree(part, ignore_errors=True)
    return Started(Project(folder, settings), imported, needed, token)


def move_project(project: Project, url: str) -> Database:
    """Use the database at `url` from now on; returns it. If it holds no project, everything is copied there first."""
    target = Database(url)
    if str(target.url) == str(Database(project.database_url()).url):
        upgrade(target)
        return target
    if not holds_project(target):
        upgrade(target)
        source = project.database()
        try:
            upgrade(source)
            copy_rows(source, target)
        finally:
            source.close()
    upgrade(target)
    project.remember_database(url)
    return target
