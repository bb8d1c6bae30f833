"""What a manager is told first."""

import pytest

from oneof.annotation.learning.concerns import concerns

PERSON = {
    "name": "Bob", "answered": 100, "skipped": 0, "too_fast": 0.0, "unusual_yes_rate": False, "yes_rate": 0.4,
    "gold_asked": 10, "gold_right": 10,
}  # fmt: skip
FINE = {
    "needed": 200, "answered": 90, "skipped": 2, "paused": False, "too_fast_seconds": 0.5, "epsilon": None,
    "yes_rate": 0.42, "expected_yes_rate": 0.4, "uniform_answers": 90, "agreement_alpha": 0.9, "flags": [],
    "model": None, "annotators": [PERSON],
}  # fmt: skip
MODEL = {"answers": 60, "accuracy": 0.9}


def test_good_figures_give_no_concern():
    assert concerns(FINE) == []


@pytest.mark.parametrize(
    ("change", "text", "level"),
    [
        ({"annotators": [PERSON | {"too_fast": 0.95}]}, "Bob: 95 % of the answers were faster than 0.5 s", "urgent"),
        ({"annotators": [PERSON | {"unusual_yes_rate": True, "yes_rate": 0.9}]}, "Bob says yes in 90 %", "urgent"),
        ({"annotators": [PERSON | {"gold_right": 5}]}, "Bob got 5 of 10 known items right", "urgent"),
        ({"annotators": [PERSON | {"gold_asked": 0}]}, "No known items", "notice"),
        ({"yes_rate": 0.7}, "Yes in 70.0 % of the answers", "urgent"),
        ({"skipped": 90}, "“Can't tell” in 50 %", "urgent"),
        ({"agreement_alpha": 0.3}, "agreement (alpha) is 0.30", "urgent"),
        ({"flags": [{}]}, "1 remark about items", "notice"),
        ({"paused": True}, "paused", "notice"),
        ({"answered": 150}, "no model yet", "notice"),
        ({"answered": 900, "model": MODEL}, "trained on 60 answers", "notice"),
        ({"model": MODEL | {"warning": "the law does not fit"}}, "the law does not fit", "urgent"),
        ({"needed": 0}, "no items yet", "notice"),
        ({"annotators": []}, "Nobody is invited", "notice"),
    ],
)
def test_each_trouble_is_told(change, text, level):
    found = concerns(FINE | change)
    assert [one.level for one in found if text in one.text] == [level]


def test_urgent_ones_come_first():
    levels = [one.level for one in concerns(FINE | {"paused": True, "agreement_alpha": 0.1})]
    assert levels == ["urgent", "notice"]


def test_flips_of_private_mode_are_nobodys_fault():
    private = FINE | {"epsilon": 1.0, "agreement_alpha": 0.2, "annotators": [PERSON | {"gold_right": 6}]}
    assert concerns(private) == []
