"""Small copies of pictures, for lists: a page of a hundred photographs would otherwise load hundreds of megabytes."""

from pathlib import Path

from oneof.files.atomic import replacing
from oneof.items.pictures import read_picture

LARGEST = 320
"""Pixels of the longer side: twice the size at which lists show them, as sharp screens have twice as many."""


def thumbnail(folder: Path, key: str, picture: Path) -> Path:
    """The file of the small copy in `folder`/thumbnails, which is made again if the picture has changed since.

    key: the name of the copy, of letters and digits only. Raises `Unreadable` if the picture cannot be decoded.
    """
    assert key.isalnum(), key
    kept = folder / "thumbnails" / key[:2] / f"{key}.jpg"
    if kept.is_file() and kept.stat().st_mtime >= picture.stat().st_mtime:
        return kept
    small = read_picture(picture, near=(LARGEST, LARGEST))
    small.thumbnail((LARGEST, LARGEST))
    kept.parent.mkdir(parents=True, exist_ok=True)
    with replacing(kept) as part:
        small.save(part, "JPEG", quality=80)
    return kept
