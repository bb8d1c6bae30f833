"""Settings as a form."""

import pytest

from oneof.annotation.project.changing import FIXED
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import Settings
from oneof.annotation.web.dashboard.settings import FORM, read_form

SETTINGS = Settings(name="pets", size=2, seed=1)


def test_every_setting_is_explained_or_has_a_place_of_its_own():
    elsewhere = {"train_every_answers", "train_every_minutes"}
    assert {one.name for one in FORM} | set(FIXED) | elsewhere == set(Settings.model_fields)


def test_only_what_changed_is_told():
    fields = {
        "name": " animals ",
        "overlap": "2",
        "gold_share": "0.05",
        "has-show_names": "1",
        "show_names": "on",
        "size": "9",
    }
    assert read_form(SETTINGS, fields) == {"name": "animals", "overlap": 2, "show_names": True}
    assert read_form(SETTINGS, {}) == {}
    assert read_form(SETTINGS, {"has-show_predictions": "1", "show_predictions": "on"}) == {"show_predictions": True}


@pytest.mark.parametrize(("name", "text"), [("overlap", "1.5"), ("gold_share", "many"), ("prefetch", "")])
def test_what_is_no_number_is_named(name, text):
    with pytest.raises(ProjectError, match="is not a"):
        read_form(SETTINGS, {name: text})
