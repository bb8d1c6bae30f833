"""Pictures in one frame."""

import numpy as np
import pytest
from PIL import Image

from oneof.encoders.pixels import Pixels


def pictures(folder, *sizes, mode="RGB"):
    paths = []
    for number, size in enumerate(sizes):
        paths.append(folder / f"{number}.png")
        Image.new(mode, size).save(paths[-1])
    return paths


def test_one_odd_picture_does_not_decide_the_frame(tmp_path):
    paths = pictures(tmp_path, (16, 2), (4000, 3000), (400, 300), (420, 280), (410, 310))
    encoder = Pixels().fit(paths)
    assert encoder.frame_.shape == (3, 47, 64)
    assert encoder.transform(paths).shape == (5, 3, 47, 64)
    assert Pixels(size=20).fit(paths).frame_.shape == (3, 15, 20)


def test_grey_where_all_are(tmp_path):
    paths = pictures(tmp_path, (8, 8), mode="L")
    assert Pixels().fit(paths).frame_.shape == (1, 8, 8)
    assert Pixels().fit([*paths, Image.new("RGB", (8, 8))]).frame_.shape == (3, 8, 8)


def test_bad_files_are_left_out_and_named(tmp_path):
    paths = pictures(tmp_path, (8, 8), (8, 8), (8, 8))
    paths[1].write_bytes(b"gone bad")
    found = Pixels().fit(paths).encode(paths)
    assert found.x.shape == (2, 3, 8, 8)
    assert found.rows.tolist() == [0, 2]
    assert found.problems == {1: "not a picture of a known format"}
    with pytest.raises(ValueError, match="none of the 1 pictures can be read"):
        Pixels().fit(paths[1:2])


def test_arrays_of_bytes_pass_through():
    images = np.random.default_rng(0).integers(0, 256, (4, 3, 20, 24), dtype=np.uint8)
    np.testing.assert_array_equal(Pixels().fit(images).transform(images), images)
