"""Pictures in small."""

import os

import pytest
from PIL import Image

from oneof.annotation.project.thumbnails import LARGEST, thumbnail
from oneof.items.pictures import Unreadable


@pytest.mark.parametrize(("size", "shown"), [((3000, 1500), (320, 160)), ((60, 90), (60, 90)), ((4000, 10), (320, 1))])
def test_it_is_small_and_keeps_its_proportions(tmp_path, size, shown):
    Image.new("RGBA", size, (0, 0, 0, 0)).save(tmp_path / "a.png")
    made = thumbnail(tmp_path, "abc1", tmp_path / "a.png")
    with Image.open(made) as picture:
        assert picture.size == shown
        assert max(picture.size) <= LARGEST
        # What is transparent shows white, so that a black drawing is seen in the dark as well.
        assert min(picture.convert("RGB").getpixel((0, 0))) > 250


def test_it_is_made_once_and_again_after_a_change(tmp_path):
    Image.new("RGB", (400, 400), "red").save(tmp_path / "a.png")
    made = thumbnail(tmp_path, "abc1", tmp_path / "a.png")
    before = made.stat().st_ino
    assert thumbnail(tmp_path, "abc1", tmp_path / "a.png").stat().st_ino == before
    Image.new("RGB", (400, 400), "blue").save(tmp_path / "a.png")
    os.utime(tmp_path / "a.png", (made.stat().st_mtime + 10,) * 2)
    with Image.open(thumbnail(tmp_path, "abc1", tmp_path / "a.png")) as picture:
        assert picture.getpixel((5, 5))[2] > 200


def test_what_is_no_picture_leaves_nothing_behind(tmp_path):
    (tmp_path / "a.png").write_bytes(b"no picture")
    with pytest.raises(Unreadable):
        thumbnail(tmp_path, "abc1", tmp_path / "a.png")
    assert not (tmp_path / "thumbnails").exists()
