"""Items as they come: pictures and sounds in a folder, texts in a file or a folder; read as a stream."""

import hashlib
import os
from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from oneof.annotation.project.classes import IMAGE_TYPES, ProjectError
from oneof.items.pictures import find_pictures, why_unreadable
from oneof.items.sounds import SOUND_TYPES, why_unplayable
from oneof.items.texts import LONGEST_NAME, READERS, bad_text, content, read_texts

NOT_SHOWN = {".svg": "an .svg file may carry scripts"} | {
    suffix: f"browsers do not show {suffix} files" for suffix in (".tif", ".tiff", ".heic", ".heif", ".psd", ".jp2")
}
"""Pictures that cannot be asked about as they are, and why."""


@dataclass(frozen=True)
class Incoming:
    """One item on its way in. place: where it stands, for errors. problem: why it cannot be taken."""

    place: str
    name: str
    kind: str
    content_hash: str = ""
    text: str | None = None
    problem: str | None = None
    path: Path | None = None


def decoded(item: Incoming) -> Incoming:
    """The item, with a problem if it is a picture that cannot be decoded to its end: such a one stops training."""
    if item.path is None or item.problem is not None or item.kind != "image":
        return item
    problem = why_unreadable(item.path)
    return item if problem is None else replace(item, problem=f"this picture cannot be read: {problem}")


def read_items(path: Path) -> Iterator[Incoming]:
    """The items of a folder of pictures or sounds, or texts as `oneof.items.texts` reads them.

    >>> from tempfile import mkdtemp
    >>> table = Path(mkdtemp()) / "texts.csv"
    >>> _ = table.write_text("id,text\\na1,Good morning\\n")
    >>> [(item.name, item.text) for item in read_items(table)]
    [('a1', 'Good morning')]
    """
    if path.is_dir() and (find_pictures(path) or any(_files(path, SOUND_TYPES))):
        yield from _read_folder(path)
        return
    if not path.is_dir() and path.suffix.lower() not in READERS:
        expected = f"a folder of pictures, sounds or .txt files, or a {', '.join(READERS)} file"
        raise ProjectError(f"{path}: expected {expected}")
    try:
        for one in read_texts(path):
            digest = "" if one.problem else content(one.text).hex()
            yield Incoming(one.place, one.name, "text", digest, one.text if digest else None, one.problem)
    except (ValueError, FileNotFoundError) as error:
        raise ProjectError(str(error)) from None


def _read_folder(root: Path) -> Iterator[Incoming]:
    real_root = root.resolve()
    for path in _files(root, {*IMAGE_TYPES, *NOT_SHOWN, *SOUND_TYPES}):
        yield _file_item(path, path.relative_to(root).as_posix(), real_root)


def _files(root: Path, suffixes: Container[str]) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for file in sorted(files):
            path = Path(folder, file)
            if not file.startswith(".") and path.suffix.lower() in suffixes:
                yield path


def _file_item(path: Path, name: str, real_root: Path) -> Incoming:
    kind = "audio" if path.suffix.lower() in SOUND_TYPES else "image"

    def refuse(problem: str) -> Incoming:
        return Incoming(f"file {name!r}", name, kind, problem=problem)

    problem = bad_text(name, LONGEST_NAME)
    if problem:
        return refuse(f"file name {problem}")
    if path.suffix.lower() in NOT_SHOWN:
        shown = ", ".join(suffix.lstrip(".") for suffix in IMAGE_TYPES)
        return refuse(f"{NOT_SHOWN[path.suffix.lower()]}; expected {shown}")
    try:
        # A pipe, whose reader would wait for somebody to write into it; or a link to nothing, or round in a circle.
        if not path.is_file():
            return refuse("not a file")
        if not path.resolve().is_relative_to(real_root):
            return refuse("a link that leads outside the folder")
        unplayable = why_unplayable(path) if kind == "audio" else None
        if unplayable is not None:
            return refuse(f"this sound cannot be played: {unplayable}")
        with path.open("rb") as stream:
            content = hashlib.file_digest(stream, "sha256")
    except OSError as error:
        return refuse(f"cannot be read: {error.strerror}")
    return Incoming(f"file {name!r}", name, kind, content.hexdigest(), path=path)
