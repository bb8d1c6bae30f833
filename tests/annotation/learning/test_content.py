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
    found = load_pictures([tmp_path / "a.png", tmp_path / "b.jpg"])
    assert found.shape == (2, 1, 32, 64)
    assert found.dtype == np.uint8
    Image.new("RGB", (200, 100), (9, 8, 7)).save(tmp_path / "c.png")
    assert load_pictures([tmp_path / "a.png", tmp_path / "c.png"]).shape == (2, 3, 32, 64)


def test_a_broken_picture_is_named(tmp_path):
    (tmp_path / "a.png").write_bytes(b"gone bad")
    with pytest.raises(ProjectError, match=r"a\.png: this picture cannot be read"):
        load_pictures([tmp_path / "a.png"])


def test_texts_become_word_weights(world):
    with world.database.read() as connection:
        content = load_content(connection)
    assert content.x.shape[0] == len(content.ids) == 20
    assert "number" in content.vectorizer.vocabulary_
