"""An annotator's own pages."""

import html

import pytest

from oneof.annotation.project import changing_classes


@pytest.fixture
def backend():
    """SQLite alone: what is asked of the database here, other tests ask of PostgreSQL too."""
    return "sqlite"


def test_people_see_their_own_answers_and_nobody_elses(make_world):
    world = make_world(20, overlap=2)
    ann, bob = world.annotator("ann"), world.annotator("bob")
    assert "No answers yet" in ann.get("/me").text
    for answer in ("yes", "no", "skip"):
        world.give(ann, answer, seconds=4.0)
    world.give(bob, "no")
    page = ann.get("/me")
    assert page.status_code == 200
    assert page.headers["cache-control"] == "no-store"
    text = html.unescape(page.text)
    assert [text.count(f'class="answer-{one}"') for one in ("yes", "no", "skip")] == [1, 1, 1]
    assert "4.0 s" in text
    assert "bob" not in text
    assert [bob.get("/me").text.count(f'class="answer-{one}"') for one in ("yes", "no")] == [0, 1]


def test_in_private_mode_the_randomised_answer_is_not_called_theirs(make_world):
    world = make_world(5, epsilon=1.0)
    ann = world.annotator("ann")
    world.give(ann, "yes", private=True)
    world.give(ann, "skip", private=True)
    text = html.unescape(ann.get("/me").text)
    assert 'class="answer-yes"' not in text
    assert "<b>Answered</b>" in text
    assert 'class="answer-skip"' in text


def test_every_class_stands_on_its_page(world):
    ann = world.annotator("ann")
    text = ann.get("/classes").text
    for one in world.project.classes:
        assert f">{one.name}<" in text
        assert one.definition in text
    gone = changing_classes.Change("retire", world.project.classes[3].name)
    changing_classes.apply(world.database, world.project, gone, 5.0)
    assert f">{world.project.classes[3].name}<" not in ann.get("/classes").text
    for page in ("/me", "/classes"):
        assert world.browser().get(page).status_code == 401
        assert world.admin().get(page).status_code == 403
