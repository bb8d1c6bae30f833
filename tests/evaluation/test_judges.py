from typing import Any

import numpy as np
import pytest

from oneof import Answers, PredictionQueries, UniformQueries, respond
from oneof.evaluation.judges import choose_judges

LABELS = np.arange(60) % 5
SUBSETS = UniformQueries(5, 2).draw(60, 0)


def answers(**columns: Any) -> Answers:
    return Answers(SUBSETS, respond(SUBSETS, LABELS), **columns)


def test_only_questions_drawn_at_random_judge() -> None:
    design = np.array(["uniform", "adaptive", "given"])[np.arange(60) % 3]
    judges = choose_judges(LABELS, answers(design=design))
    assert judges.answers.items.tolist() == list(range(0, 60, 3))
    assert "20 answers to questions chosen by looking at a model" in judges.notes[0]
    assert "20 answers that were given, not asked" in judges.notes[1]
    for one, reason in (("adaptive", "chosen by looking at a model"), ("given", "were given, not asked")):
        with pytest.raises(ValueError, match=f"no answers to randomly drawn questions to judge by: .*{reason}"):
            choose_judges(LABELS, answers(design=one))


def test_never_an_item_that_was_trained_on() -> None:
    about = np.arange(60) // 2
    judges = choose_judges(LABELS, answers(items=about), trained_on=[0, 5])
    assert not np.isin(judges.answers.items, [0, 5]).any()
    assert judges.notes == ("left out 4 answers about items that the model was trained on",)
    with pytest.raises(ValueError, match="trained on"):
        choose_judges(LABELS, answers(items=about), trained_on=np.arange(30))


def test_a_question_made_from_a_prediction_judges_that_prediction_alone() -> None:
    subsets = PredictionQueries(5, 2).draw(LABELS, 0)
    decoys = Answers(subsets, respond(subsets, LABELS), design="prediction", predicted=LABELS)
    assert choose_judges(LABELS, decoys).decoy.all()
    changed = LABELS.copy()
    changed[7] = (changed[7] + 1) % 5
    judges = choose_judges(changed, decoys)
    assert np.flatnonzero(judges.unknown).tolist() == [7], "one changed prediction may have agreed or not"
    with pytest.raises(ValueError, match="made from the predictions of another model"):
        choose_judges((LABELS + 1) % 5, decoys)


def test_skips_are_unknown() -> None:
    judges = choose_judges(LABELS, answers(skipped=np.arange(60) < 4))
    assert len(judges) == 60
    assert judges.unknown.sum() == 4
    assert not judges.agrees[:4].any()
    assert judges.notes == ("4 skips may have agreed or not: the interval allows for both",)


def test_the_first_answer_of_each_item_that_is_not_a_skip() -> None:
    judges = choose_judges(LABELS, answers(items=np.arange(60) // 3, skipped=np.arange(60) % 3 == 0))
    assert not judges.one_per_item
    first = judges.first_of_each_item()
    assert first.one_per_item
    assert not first.unknown.any()
