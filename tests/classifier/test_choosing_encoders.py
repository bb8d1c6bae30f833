"""Encoders chosen by held-out answers."""

import numpy as np
import pytest

from oneof.answers import Answers
from oneof.classifier import choosing_encoders
from oneof.classifier.choosing_encoders import choose_encoder
from oneof.encoders import registry
from oneof.items.loading import Items


@pytest.fixture
def two_candidates(monkeypatch):
    monkeypatch.setattr(choosing_encoders, "CANDIDATES", {"texts": ("words", "words+words")})


@pytest.mark.usefixtures("two_candidates")
def test_auto_takes_the_encoder_under_which_held_out_answers_are_likeliest(texts):
    items, answers = texts(150)
    choice = choose_encoder(items, answers)
    assert {row["encoder"] for row in choice.table} == {"words", "words+words"}
    best = max(choice.table, key=lambda row: row["log_likelihood"])
    assert choice.encoder.name == best["encoder"]
    assert all(0.8 < row["accuracy"] <= 1 for row in choice.table)


@pytest.mark.usefixtures("two_candidates")
def test_skips_have_no_part_in_the_choice(texts):
    items, answers = texts(60)
    skipped = np.arange(60) < 20
    some = answers.replace(skipped=skipped, responses=answers.responses & ~skipped)
    assert choose_encoder(items, some).table == choose_encoder(items, answers[20:]).table


@pytest.mark.usefixtures("two_candidates")
def test_people_who_disagree_do_not_stop_the_choice(texts):
    items, answers = texts(60)
    opposite = answers[:5].replace(responses=~answers.responses[:5])
    assert all(np.isfinite(row["log_likelihood"]) for row in choose_encoder(items, answers + opposite).table)


@pytest.mark.usefixtures("two_candidates")
def test_too_few_answers_to_compare_take_the_first_candidate(texts):
    items, answers = texts(60)
    assert choose_encoder(items, answers[:1]).encoder.name == "words"
    with pytest.raises(ValueError, match="there are no answers to learn from"):
        choose_encoder(items, answers[:0])


def test_auto_takes_what_is_installed(texts, monkeypatch):
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    items, answers = texts(60)
    assert choose_encoder(items, answers).encoder.name == "words"
    pictures = Items(np.zeros((3, 8, 8), np.uint8), range(3), kind="pictures")
    assert choose_encoder(pictures, answers).encoder.name == "pixels"


def test_an_encoder_of_another_kind_of_items_is_refused(texts):
    items, answers = texts(60)
    with pytest.raises(ValueError, match="the encoder pixels takes pictures, but the items are texts"):
        choose_encoder(items, answers, "pixels")
    with pytest.raises(ValueError, match="numbers need no encoder"):
        choose_encoder(Items(np.zeros((3, 2)), range(3)), answers)


def test_a_size_of_pictures_is_not_for_texts() -> None:
    items = Items(np.array(["a red fox"], dtype=object), range(1), kind="texts")
    with pytest.raises(ValueError, match="size: a setting of encoders for pictures, but the items are texts"):
        choose_encoder(items, Answers([[True, False]], [True]), "words", size=64)
