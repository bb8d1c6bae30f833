"""What the page may send: exact types, known names, text that every database can keep."""

import uuid

import pytest
from pydantic import ValidationError

from oneof.annotation.web import messages

ID = "0b7e5a52-6d3c-4f0e-9a44-1d2f3c4b5a69"
GOOD = {"id": ID, "task": 1, "answer": "yes", "seconds": 1.5}


def test_an_answer_is_taken_as_it_is_sent():
    sent = messages.Answer(**GOOD, reason="blurred", private=True, guidelines_version=2)
    assert (sent.id, sent.task, sent.answer, sent.seconds) == (ID, 1, "yes", 1.5)
    assert (sent.reason, sent.private, sent.guidelines_version) == ("blurred", True, 2)
    plain = messages.Answer(**GOOD)
    assert (plain.reason, plain.private, plain.guidelines_version) == (None, None, None)


@pytest.mark.parametrize(
    "change",
    [
        {"task": "1"},
        {"task": 0},
        {"task": True},
        {"task": 2**63},
        {"answer": "YES"},
        {"seconds": float("nan")},
        {"seconds": float("inf")},
        {"seconds": -0.1},
        {"seconds": 86_400 * 7 + 1},
        {"reason": "zero \0 byte"},
        {"reason": "half a pair \ud800"},
        {"reason": "x" * 2001},
        {"private": 1},
        {"id": uuid.UUID(ID)},
        {"id": "x" * 65},
        {"person": 2},
    ],
)
def test_anything_else_is_refused_and_named(change):
    with pytest.raises(ValidationError) as caught:
        messages.Answer(**(GOOD | change))
    (error,) = caught.value.errors()
    assert next(iter(change)) in (*error["loc"], *error["msg"].replace(":", "").split())


@pytest.mark.parametrize("written", [ID.upper(), f"{{{ID}}}", ID.replace("-", ""), f"urn:uuid:{ID}"])
def test_one_id_in_any_spelling_is_one_id(written):
    """Otherwise a replay that spells it otherwise would be stored twice."""
    assert messages.Undo(id=written).id == ID


def test_a_claim_asks_for_one_to_five():
    assert messages.Claim() == messages.Claim(count=None, resume=False, exclude=[])
    assert messages.Claim(count=5).count == 5
    for count in (0, 6):
        with pytest.raises(ValidationError, match="count"):
            messages.Claim(count=count)


def test_lists_are_short():
    assert len(messages.Release(tasks=list(range(1, 201))).tasks) == 200
    with pytest.raises(ValidationError, match="tasks"):
        messages.Release(tasks=list(range(1, 202)))
    with pytest.raises(ValidationError, match="exclude"):
        messages.Claim(exclude=[1] * 201)


def test_only_a_skip_comes_with_a_guess():
    assert messages.Answer(**(GOOD | {"answer": "skip", "guess": "no"})).guess == "no"
    with pytest.raises(ValidationError, match="only"):
        messages.Answer(**(GOOD | {"answer": "yes", "guess": "no"}))


def test_an_empty_remark_is_no_flag():
    assert messages.Flag(id=ID, task=1, comment="two cats").comment == "two cats"
    with pytest.raises(ValidationError, match="comment"):
        messages.Flag(id=ID, task=1, comment="")
