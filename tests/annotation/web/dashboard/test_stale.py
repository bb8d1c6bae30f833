"""Forms that were opened before a change."""

import pytest
from starlette.exceptions import HTTPException

from oneof.annotation.web.dashboard.stale import Change, StaleFormError, carried, refuse_stale

TODAY = {"name": "zoo", "question": "Which?"}


def test_a_form_that_shows_what_holds_is_taken():
    refuse_stale("settings", {"name": "mine", "seen": carried(TODAY)}, TODAY)
    refuse_stale("settings", {"name": "mine"}, TODAY)


def test_typing_wins_over_the_new_values_and_new_values_over_untouched_fields():
    seen = carried({"name": "pets", "question": "Who?", "gone": "x"})
    with pytest.raises(StaleFormError) as refused:
        refuse_stale("settings", {"name": "mine", "question": "Who?", "gone": "y", "seen": seen}, TODAY)
    assert refused.value.typed == {"name": "mine", "question": "Which?"}
    assert refused.value.changes == [
        Change("name", "pets", "zoo"),
        Change("question", "Who?", "Which?"),
        Change("gone", "x", None),
    ]


def test_lines_tell_what_went_and_what_came():
    assert Change("text", "one\ntwo\nthree", "one\n2\nthree").lines == ["-two", "+2"]


def test_what_no_form_sends_is_refused():
    for seen in ("", "{", "null", '{"a": 1}', "[" * 100_000):
        with pytest.raises(HTTPException):
            refuse_stale("settings", {"seen": seen}, TODAY)
