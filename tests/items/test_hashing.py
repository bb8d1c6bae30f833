"""Items by their content."""

import numpy as np
import scipy.sparse as sp
from PIL import Image

from oneof.items.hashing import among, content_hashes
from oneof.items.pictures import Pictures


def test_the_same_content_has_the_same_hash(tmp_path):
    Image.new("L", (4, 4)).save(tmp_path / "a.png")
    (tmp_path / "b.png").write_bytes((tmp_path / "a.png").read_bytes())
    found = content_hashes(Pictures([tmp_path / "a.png", tmp_path / "b.png", tmp_path / "missing.png"]))
    assert found.shape == (3, 16)
    assert (found[0] == found[1]).all()
    assert not found[2].any()
    texts = content_hashes(np.array(["a", "b", "a"], dtype=object))
    assert (texts[0] == texts[2]).all()
    assert (texts[0] != texts[1]).any()
    rows = content_hashes(sp.csr_matrix(np.eye(3, dtype=np.float32)))
    assert len(np.unique(rows, axis=0)) == 3


def test_among():
    some, others = content_hashes(np.arange(20).reshape(10, 2)), content_hashes(np.arange(10, 30).reshape(10, 2))
    assert among(some, others).tolist() == [False] * 5 + [True] * 5
    assert not among(some, others[:0]).any()
