"""Candidates beside each other."""

import numpy as np

from oneof import Answers
from oneof.classifier.comparing import describe, held_out_accuracy


def test_accuracy_is_judged_only_by_answers_about_the_items_that_were_held_out():
    subsets = np.array([[1, 0], [0, 1], [1, 0], [0, 1]], dtype=bool)
    answers = Answers(subsets, [True, True, False, False], items=[0, 1, 2, 7])
    assert held_out_accuracy(np.array([0, 1]), np.array([0, 1]), answers) == 1
    assert held_out_accuracy(np.array([1, 0]), np.array([0, 1]), answers) == 0


def test_accuracy_that_no_answer_can_judge_is_not_a_number():
    assert np.isnan(held_out_accuracy(np.array([0]), np.array([0]), Answers.from_labels([0], 2)))
    assert np.isnan(held_out_accuracy(np.zeros(0, int), np.zeros(0, int), Answers(np.zeros((0, 2), bool), [])))


def test_the_table_marks_what_was_chosen():
    row = {"log_likelihood": -0.25, "accuracy": 0.5}
    lines = describe([row | {"encoder": "words", "chosen": False}, row | {"encoder": "wordllama", "chosen": True}])
    assert [line.split()[:2] for line in lines.splitlines()] == [["words", "label-free"], ["*", "wordllama"]]
