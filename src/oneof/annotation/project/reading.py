"""Items as they come: pictures in a folder, texts in a file or a folder; read as a stream."""

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from oneof.annotation.project.classes import IMAGE_TYPES, ProjectError
from oneof.items.pictures import find_pictures
from oneof.items.texts import LONGEST_NAME, READERS, bad_text, content, read_texts


@dataclass(frozen=True)
class Incoming:
    """One item on its way in. place: where it stands, for errors. problem: why it cannot be taken."""

    place: str
    name: str
    kind: str
    content_hash: str = ""
    text: str | None = None
    problem: str | None = None


def read_items(path: Path) -> Iterator[Incoming]:
    """The items of a folder of pictures, or texts as `oneof.items.texts` reads them.

    >>> from tempfile import mkdtemp
    >>> table = Path(mkdtemp()) / "texts.csv"
    >>> _ = table.write_text("id,text\\na1,Good morning\\n")
    >>> [(item.name, item.text) for item in read_items(table)]
    [('a1', 'Good morning')]
    """
    if path.is_dir() and find_pictures(path):
        yield from _read_folder(path)
        return
    if not path.is_dir() and path.suffix.lower() not in READERS:
        raise ProjectError(f"{path}: expected a folder of pictures or .txt files, or a {', '.join(READERS)} file")
    try:
        for one in read_texts(path):
            digest = "" if one.problem else content(one.text).hex()
            yield Incoming(one.place, one.name, "text", digest, one.text if digest else None, one.problem)
    except (ValueError, FileNotFoundError) as error:
        raise ProjectError(str(error)) from None


def _read_folder(root: Path) -> Iterator[Incoming]:
    real_root = root.resolve()
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for file in sorted(files):
            path = Path(folder, file)
            if path.suffix.lower() not in IMAGE_TYPES or file.startswith("."):
                continue
            name = path.relative_to(root).as_posix()
            yield _image_item(path, name, real_root)


def _image_item(path: Path, name: str, real_root: Path) -> Incoming:
    def refuse(problem: str) -> Incoming:
        return Incoming(f"file {name!r}", name, "image", problem=problem)

    problem = bad_text(name, LONGEST_NAME)
    if problem:
        return refuse(f"file name {problem}")
    try:
        # A pipe, whose reader would wait for somebody to write into it; or a link to nothing, or round in a circle.
        if not path.is_file():
            return refuse("not a file")
        if not path.resolve().is_relative_to(real_root):
            return refuse("a link that leads outside the folder")
        # Opening reads the header alone, which tells a picture from something else with its name.
        with Image.open(path):
            pass
        with path.open("rb") as stream:
            content = hashlib.file_digest(stream, "sha256")
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        return refuse(f"not a picture that can be read ({type(error).__name__})")
    return Incoming(f"file {name!r}", name, "image", content.hexdigest())
