"""Items as arrays."""

import numpy as np
import pytest
from PIL import Image

from oneof.annotation.learning.content import load_content, load_pictures
from oneof.annotation.project.classes import ProjectError


def test_pictures_become_upright_arrays_of_one_size(tmp_path):
    Image.new("L", (200, 100), 9).save(tmp_path / "a.png")
    turned = Image.new("L", (50, 100), 9)
    exif = turned.getexif()
    exif[0x0112] = 6
    turned.save(tmp_path / "b.jpg", exif=exif)
    found, problems = load_pictures([tmp_path / "a.png", tmp_path / "b.jpg"])
    assert problems == {}
    assert found.shape == (2, 1, 32, 64)
    assert found.dtype == np.uint8
    Image.new("RGB", (200, 100), (9, 8, 7)).save(tmp_path / "c.png")
    assert load_pictures([tmp_path / "a.png", tmp_path / "c.png"])[0].shape == (2, 3, 32, 64)


def test_pictures_that_cannot_be_read_any_more_are_skipped_with_the_reason(tmp_path):
    (tmp_path / "bad.png").write_bytes(b"gone bad")
    Image.new("L", (8, 8)).save(tmp_path / "good.png")
    found, problems = load_pictures([tmp_path / "bad.png", tmp_path / "good.png", tmp_path / "deleted.png"])
    assert found.shape == (1, 1, 8, 8)
    assert problems == {0: "not a picture of a known format", 2: "not a file"}
    with pytest.raises(ProjectError, match="none of the pictures can be read"):
        load_pictures([tmp_path / "bad.png"])


def test_texts_become_word_weights(world):
    with world.database.read() as connection:
        content = load_content(connection)
    assert content.x.shape[0] == len(content.ids) == 20
    assert "number" in content.vectorizer.vocabulary_
