"""Items as encoders take them."""

import numpy as np
import pytest
from PIL import Image

from oneof.annotation.learning.content import load_content
from oneof.annotation.project.classes import ProjectError
from oneof.items.hashing import content_hashes


def test_texts(world):
    with world.database.read() as connection:
        content = load_content(connection)
    assert content.raw.kind == "texts"
    assert len(content.raw) == len(content.ids) == len(content.names) == 20
    np.testing.assert_array_equal(content.hashes([3, 5]), content_hashes(content.raw.x[[3, 5]]))


def test_pictures_that_are_gone_or_broken_are_skipped_by_name(make_world, tmp_path):
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number in range(4):
        Image.new("RGB", (8, 8), (number, 0, 0)).save(folder / f"{number}.png")
    world = make_world(folder)
    (folder / "1.png").unlink()
    with world.database.read() as connection:
        content = load_content(connection)
    assert content.raw.kind == "pictures"
    assert content.skipped == (f"{folder / '1.png'}: not a file",)
    np.testing.assert_array_equal(content.hashes([0]), content_hashes(content.raw.x[:1]))
    kept = content.keep(content.raw.keep(np.zeros((2, 1)), np.array([0, 2]), {1: "broken"}))
    assert kept.names == ("0.png", "3.png")
    assert kept.skipped[1:] == ("2.png: broken",)
    for number in (0, 2, 3):
        (folder / f"{number}.png").unlink()
    with world.database.read() as connection, pytest.raises(ProjectError, match="none of the pictures can be read"):
        load_content(connection)
