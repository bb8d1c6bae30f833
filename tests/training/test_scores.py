"""The scores of a search on disk."""

import pytest

from oneof.training.scores import Scores

SETTINGS = [{"learning_rate": rate} for rate in (0.1, 0.2, 0.3, 0.4)]


def test_kept_and_read_back(tmp_path):
    path = tmp_path / "new" / "model.search.json"
    scores = Scores(path, {"seed": (1, 2)}, resume=True)
    assert scores.best(SETTINGS) is None
    for setting, score in zip(SETTINGS[:3], (0.123456789012345678, None, 0.5), strict=True):
        scores.add(setting, score)
    again = Scores(path, {"seed": (1, 2)}, resume=True)
    assert [setting in again for setting in SETTINGS] == [True, True, True, False]
    assert again.best(SETTINGS) == 2
    assert again.best(SETTINGS[:2]) == 0
    again.add(SETTINGS[3], 0.5)
    assert again.best(SETTINGS) == 2, "the first of equals"
    assert SETTINGS[0] not in Scores(path, {"seed": (1, 2)}, resume=False)


def test_those_of_another_search_are_refused(tmp_path):
    path = tmp_path / "model.search.json"
    Scores(path, {"seed": 1}, resume=False).add(SETTINGS[0], 0.5)
    with pytest.raises(ValueError, match=r"model\.search\.json: the scores are of another seed"):
        Scores(path, {"seed": 2}, resume=True)
    for content in ("", "[]", '{"scores": {}}', "half of it"):
        path.write_text(content)
        with pytest.raises(ValueError, match="not the scores of a search; start again without --resume"):
            Scores(path, {"seed": 1}, resume=True)
