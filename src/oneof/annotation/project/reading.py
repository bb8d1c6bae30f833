"""Read items one after the other: pictures and sounds from a folder, texts from a file or a folder."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from oneof.annotation.project.classes import IMAGE_TYPES, ProjectError
from oneof.files.finding import find_files
from oneof.items.pictures import SUFFIXES, why_unreadable
from oneof.items.sounds import SOUND_TYPES, why_unplayable
from oneof.items.texts import LONGEST_NAME, READERS, bad_text, read_texts, text_hash

NOT_SHOWN = {".svg": "an .svg file may carry scripts"} | {
    suffix: f"browsers do not show {suffix} files" for suffix in (".tif", ".tiff", ".heic", ".heif", ".psd", ".jp2")
}
"""Kinds of pictures that are not taken, and why."""


@dataclass(frozen=True)
class Incoming:
    """One item that was read. place: its row or file, for errors. problem: why it cannot be taken; None if it can."""

    place: str
    name: str
    kind: str
    content_hash: str = ""
    text: str | None = None
    problem: str | None = None
    path: Path | None = None


def decoded(item: Incoming) -> Incoming:
    """The item, with a problem if it is a picture that cannot be decoded: training could not read it either."""
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
    # A folder of nothing but .heic files is one of pictures too: each of them is then named, with the reason.
    if path.is_dir() and (any(find_files(path, {*SUFFIXES, *SOUND_TYPES})) or not any(find_files(path, {".txt"}))):
        yield from _read_folder(path)
        return
    if not path.is_dir() and path.suffix.lower() not in READERS:
        expected = f"a folder of pictures, sounds or .txt files, or a {', '.join(READERS)} file"
        raise ProjectError(f"{path}: expected {expected}")
    try:
        for one in read_texts(path):
            digest = "" if one.problem else text_hash(one.text).hex()
            yield Incoming(one.place, one.name, "text", digest, one.text if digest else None, one.problem)
    except (ValueError, FileNotFoundError) as error:
        raise ProjectError(str(error)) from None


def _read_folder(root: Path) -> Iterator[Incoming]:
    real_root = root.resolve()
    for path in find_files(root, {*IMAGE_TYPES, *NOT_SHOWN, *SOUND_TYPES}):
        yield _file_item(path, path.relative_to(root).as_posix(), real_root)


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
        # For instance a pipe, which would have to be waited for, or a link that leads to nothing.
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
