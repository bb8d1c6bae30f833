"""The project as its files say now: what one server process changes, the others see with their next request.

A look costs two `stat` calls. Files that a running project cannot take (broken, or questions asked already would mean
something else) are refused: the server goes on with what it has, says so in its log, and looks again later.
"""

import logging
import os
import threading
import time
from pathlib import Path

from oneof.annotation.project.changing import FIXED
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import Project, open_project
from oneof.annotation.store import facts
from oneof.annotation.store.database import Database

FILES = ("project.toml", "classes.json")
RETRY_SECONDS = 5.0
log = logging.getLogger("oneof.annotation")

Stamp = tuple[tuple[int, int, int], ...]


class LiveProject:
    """A project, read again when its files have changed."""

    def __init__(self, project: Project, database: Database) -> None:
        self._project, self._database = project, database
        # Not known: the files may have changed since the project was read, and before this line.
        self._stamp: Stamp = ()
        self._refused: tuple[Stamp, float] | None = None
        self._lock = threading.Lock()

    def get(self) -> Project:
        """The project of this moment."""
        now = stamp(self._project.folder)
        if now != self._stamp and not self._refused_lately(now):
            with self._lock:
                if now != self._stamp:
                    self._read(now)
        return self._project

    def set(self, project: Project) -> None:
        """This process has just written the files; another may have done so since, so they are read once more."""
        with self._lock:
            self._project, self._stamp, self._refused = project, (), None

    def _refused_lately(self, now: Stamp) -> bool:
        refused = self._refused
        return refused is not None and refused[0] == now and time.monotonic() < refused[1]

    def _read(self, now: Stamp) -> None:
        before = self._project
        try:
            project = open_project(before.folder)
            changed = next((n for n in FIXED if getattr(project.settings, n) != getattr(before.settings, n)), None)
            if changed is not None:
                raise ProjectError(f"{before.folder / 'project.toml'}: {changed}: fixed when the project was made")
            facts.check_classes(self._database, project, remember=False)
        except (ProjectError, OSError) as error:
            # Another process may be half-way through a change of files and database.
            self._refused = (now, time.monotonic() + RETRY_SECONDS)
            log.error("the files of the project were changed and are not taken: %s", error)
            return
        self._project, self._stamp, self._refused = project, now, None


def stamp(folder: Path) -> Stamp:
    """What changes when a file does: files are replaced, so at least the inode; or edited, so the time."""
    found = []
    for name in FILES:
        try:
            one = os.stat(folder / name)
        except FileNotFoundError:
            found.append((0, 0, 0))
        else:
            found.append((one.st_ino, one.st_mtime_ns, one.st_size))
    return tuple(found)
