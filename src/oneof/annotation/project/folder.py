"""A project folder.

project.toml      the settings below; edit and restart the server
classes.json      the classes
guidelines.md     what annotators read; each change is a new version, stored with the answers
project.sqlite    the database (or database.url, where PostgreSQL is used)
admin.token       the token of the first manager's link, which `serve` prints; only the owner of the folder can read it
examples/         example pictures of the classes
models/           what `train` made
thumbnails/       small copies of pictures, for lists; may be deleted
"""

import json
import math
import secrets
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from sqlalchemy import make_url

from oneof.annotation.project.classes import Class, ProjectError, dump_classes, load_classes
from oneof.annotation.project.lineage import Lineage
from oneof.annotation.store.database import Database, sqlite_url
from oneof.files.atomic import replacing
from oneof.queries.groups import Groups

Share = Annotated[float, Field(ge=0, le=1)]

QUESTION = "Is it one of these?"
GUIDELINES = """\
Look at the item and at the labels. If the item is one of them, answer Yes. If it is none of them, answer No.

If you cannot tell, say so: a guess is worse than no answer.
"""


class Settings(BaseModel):
    """The settings in `project.toml`. An unknown name is an error."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    name: str = Field(min_length=1, max_length=200)
    question: str = Field(default=QUESTION, min_length=1, max_length=500)
    size: int = Field(ge=1)
    overlap: int = Field(default=1, ge=1, le=1000)
    questions_per_item: int = Field(default=1, ge=1, le=1000)
    seed: int = Field(default_factory=lambda: secrets.randbits(48), ge=0, lt=2**63)
    epsilon: float | None = Field(default=None, gt=0, le=50)
    claim_seconds: float = Field(default=600.0, gt=0)
    prefetch: int = Field(default=3, ge=0, le=20)
    gold_share: Share = 0.05
    repeat_share: Share = 0.0
    repeat_gap: int = Field(default=20, ge=1)
    mechanism: Literal["uniform", "adaptive"] = "uniform"
    uniform_share: Share = 0.2
    show_predictions: bool = False
    show_names: bool = False
    language: Literal["auto", "en", "de", "es", "fr", "zh", "ar"] = "auto"
    slip_rate: float = Field(default=0.01, ge=0, lt=0.5)
    guess_error: Share = 1.0
    too_fast_seconds: float = Field(default=0.5, ge=0)
    session_days: float = Field(default=90.0, gt=0)
    train_every_answers: int | None = Field(default=None, ge=20)
    train_every_minutes: float | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _private_means_asked_once(self) -> "Settings":
        if self.epsilon is not None and self.repeat_share > 0:
            raise ValueError(
                "epsilon and repeat_share cannot go together: answering a question twice tells more than epsilon allows"
            )
        return self

    @property
    def flip(self) -> float:
        """The rate at which the browser flips an answer: 1/(1 + e^epsilon), 0 without epsilon."""
        return 0.0 if self.epsilon is None else 1.0 / (1.0 + math.exp(self.epsilon))


@dataclass(frozen=True)
class Project:
    """An opened project folder."""

    folder: Path
    settings: Settings

    @cached_property
    def classes(self) -> list[Class]:
        """The classes, by number."""
        return load_classes((self.folder / "classes.json").read_text(encoding="utf-8"))

    @cached_property
    def lineage(self) -> Lineage:
        """The history of the list of classes."""
        return Lineage(self.classes)

    @cached_property
    def active(self) -> list[int]:
        """The numbers of the current classes: those that questions are drawn from."""
        return self.lineage.active()

    @cached_property
    def groups(self) -> Groups:
        """Groups of the current classes, by their parents; a group counts as one label."""
        return Groups.from_parents([self.classes[number].parent or "" for number in self.active])

    @property
    def active_names(self) -> list[str]:
        """The names of the current classes."""
        return [self.classes[number].name for number in self.active]

    @property
    def label_names(self) -> list[str]:
        """Names by class number; empty for classes that are gone, as no label can be."""
        return [one.name if one.ended is None else "" for one in self.classes]

    def name_today(self, label: int) -> str | None:
        """The current name of a stored label; None if its class was retired."""
        number = self.lineage.today(label)
        return None if number is None else self.classes[number].name

    @property
    def guidelines_file(self) -> Path:
        """The file of the guidelines that annotators read."""
        return self.folder / "guidelines.md"

    def database(self, url: str | None = None) -> Database:
        """The database at `url`, by default the project's own."""
        return Database(url or self.database_url())

    def database_url(self) -> str:
        """The URL of the project's database: what database.url says, else the SQLite file in the folder."""
        note = self.folder / "database.url"
        return note.read_text().strip() if note.is_file() else sqlite_url(self.folder.resolve() / "project.sqlite")

    def remember_database(self, url: str) -> None:
        """Let every later command use this database. Only the owner can read the file: a URL may hold a password."""
        parsed = make_url(url)
        if parsed.get_backend_name() == "sqlite" and parsed.database:
            url = sqlite_url(Path(parsed.database).resolve())
        with replacing(self.folder / "database.url", mode=0o600) as part:
            part.write_text(url + "\n")

    def remember_admin(self, token: str) -> None:
        """Store the token of the first manager's link in a file that only the owner can read."""
        with replacing(self.folder / "admin.token", mode=0o600) as part:
            part.write_text(token + "\n")

    def admin_token(self) -> str | None:
        """The token of the first manager's link, if it was stored."""
        path = self.folder / "admin.token"
        return path.read_text().strip() if path.is_file() else None


def create_project(folder: Path, settings: Settings, classes: list[Class]) -> Project:
    """Write a new project folder; `folder` must not hold a project yet.

    >>> from tempfile import mkdtemp
    >>> project = create_project(Path(mkdtemp()), Settings(name="pets", size=1), [Class("cat"), Class("dog")])
    >>> [one.name for one in open_project(project.folder).classes]
    ['cat', 'dog']
    """
    if (folder / "project.toml").exists():
        raise ProjectError(f"{folder}: there is a project already; use `import` to add items to it")
    if not 1 <= settings.size <= len(classes) - 1:
        raise ProjectError(f"size {settings.size}: expected 1..{len(classes) - 1} of the {len(classes)} classes")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "classes.json").write_text(dump_classes(classes), encoding="utf-8")
    if not (folder / "guidelines.md").exists():
        (folder / "guidelines.md").write_text(GUIDELINES, encoding="utf-8")
    # The settings come last: a folder is a project once it has them.
    with replacing(folder / "project.toml") as part:
        part.write_text(_toml(settings.model_dump(exclude_none=True)), encoding="utf-8")
    return Project(folder, settings)


def checked_settings(values: dict[str, Any], file: Path | None = None) -> Settings:
    """The settings; an error names the one that is wrong, and the file that it is from."""
    try:
        return Settings(**values)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"]))
        raise ProjectError(": ".join(filter(None, (str(file or ""), name, first["msg"])))) from None


def open_project(folder: Path) -> Project:
    """Open a project folder; an error names the file and the setting."""
    path = folder / "project.toml"
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ProjectError(f"{folder}: not a project (no project.toml); make one with `oneof annotate init`") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ProjectError(f"{path}: {error}") from None
    settings = checked_settings(values, path)
    project = Project(folder, settings)
    if not 1 <= settings.size <= len(project.active) - 1:
        raise ProjectError(f"{path}: size: expected 1..{len(project.active) - 1}, not {settings.size}")
    return project


def save_settings(project: Project, changes: dict[str, Any]) -> Project:
    """Check all settings with these changed, and write project.toml; returns the project with them.

    >>> from tempfile import mkdtemp
    >>> project = create_project(Path(mkdtemp()), Settings(name="pets", size=1), [Class("cat"), Class("dog")])
    >>> save_settings(project, {"name": "animals"}).settings.name
    'animals'
    """
    settings = checked_settings(project.settings.model_dump() | changes)
    with replacing(project.folder / "project.toml") as part:
        part.write_text(_toml(settings.model_dump(exclude_none=True)), encoding="utf-8")
    return open_project(project.folder)


def save_classes(project: Project, classes: list[Class]) -> Project:
    """Write classes.json; returns the project with them. Classes keep their numbers: new ones come at the end."""
    if len(classes) < len(project.classes):
        raise ProjectError(f"{len(classes)} classes: expected all {len(project.classes)} that there ever were")
    names = [one.name for one in classes]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ProjectError(f"class {twice!r} is there twice")
    with replacing(project.folder / "classes.json") as part:
        part.write_text(dump_classes(classes), encoding="utf-8")
    return open_project(project.folder)


def _toml(values: dict[str, Any]) -> str:
    # JSON's strings, numbers and booleans are TOML's too, once no character beyond the basic plane is escaped, and the
    # one control character is that JSON lets pass.
    lines = (f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in values.items())
    return "".join(lines).replace("\x7f", "\\u007f")
