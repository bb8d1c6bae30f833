"""Words and runs of characters."""

import numpy as np
import pytest

from oneof.encoders.words import Words


def test_every_script_has_features():
    texts = ["доброе утро", "صباح الخير", "早上好世界", "สวัสดีชาวโลก", "🦊 🦊", "good morning"]
    rows = Words().fit(texts).transform(texts)
    assert (np.diff(rows.indptr) > 0).all()
    assert rows.dtype == np.float32
    assert rows.shape[0] == len(texts)


def test_the_commonest_features_are_kept():
    encoder = Words(most=7).fit(["one two three four five six seven eight nine ten"] * 3)
    assert encoder.transform(["one"]).shape == (1, 14)


def test_texts_of_signs_alone():
    assert Words().fit(["?!", "!"]).transform(["!"]).nnz > 0
    with pytest.raises(ValueError, match="there are no words in the 2 texts"):
        Words().fit([" ", "\n"])
