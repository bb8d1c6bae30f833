"""Judging the current model: which answers count, and that the figure is the label-free estimate of them."""

import uuid

import numpy as np
import pytest
from sqlalchemy import func, insert, select, update

from oneof import Answers, estimate_accuracy
from oneof.annotation.asking import claims, events
from oneof.annotation.asking.questions import read_subset
from oneof.annotation.learning.judging import current_model
from oneof.annotation.store.schema import events as events_table
from oneof.annotation.store.schema import items, models, predictions, tasks

NOW = 1000.0


@pytest.fixture
def start(make_world):
    def make(*given, **settings):
        world = make_world(*given, **settings)
        for name in ("ann", "bob"):
            world.invite(name)
        return world

    return make


def claim(world, name):
    me = world.person(name)
    return world.database.write(lambda c: claims.claim(c, world.project, me, NOW)).tasks[0]


def answer(world, name, task, said="yes"):
    me, given = world.person(name), events.Given(str(uuid.uuid4()), task, said, 1.0)
    return world.database.write(lambda c: events.record_answer(c, world.project, me, given, NOW)[0])


def train(world, aside=()):
    """A model that takes every item for class 0, and has learned from all answers but those about `aside`."""

    def work(connection):
        last = connection.execute(select(func.coalesce(func.max(events_table.c.id), 0))).scalar_one()
        row = insert(models).values(trained_at=NOW, last_event=last, answers=last, held_out=0).returning(models.c.id)
        model = connection.execute(row).scalar_one()
        for item in connection.scalars(select(items.c.id)).all():
            values = {"model_id": model, "item_id": item, "label": 0, "held_out": item in aside}
            connection.execute(insert(predictions).values(values))

    world.database.write(work)


def judged(world):
    with world.database.read() as connection:
        return current_model(connection, world.project)


def item_of(world, task):
    return world.rows(select(tasks.c.item_id).where(tasks.c.id == task))[0][0]


def test_before_the_first_model_there_is_nothing_to_judge(start):
    assert judged(start(3)) is None


def test_a_model_without_fresh_answers_has_no_figure(start):
    world = start(5)
    answer(world, "ann", claim(world, "ann"))
    train(world)
    told = judged(world)
    assert (told["answers"], told["judged_on"], told["accuracy"], told["low"], told["high"]) == (1, 0, None, None, None)


@pytest.mark.parametrize("epsilon", [None, 2.0])
def test_the_figure_is_the_estimate_from_the_fresh_answers(start, epsilon):
    world = start(30, epsilon=epsilon)
    train(world)
    subsets, said = np.zeros((20, 5), dtype=bool), np.arange(20) % 3 > 0
    for number in range(20):
        task = claim(world, "ann")
        answer(world, "ann", task, "yes" if said[number] else "no")
        ((subset,),) = world.rows(select(tasks.c.subset).where(tasks.c.id == task))
        subsets[number, read_subset(subset)] = True
    flip, slip = world.project.settings.flip, world.project.settings.slip_rate
    rate = flip + slip * (1 - 2 * flip)
    answers = Answers(subsets, said, flip_yes=rate, flip_no=rate)
    wanted = estimate_accuracy(np.zeros(20, dtype=int), answers, anytime=True)
    told = judged(world)
    assert (told["accuracy"], told["low"], told["high"]) == pytest.approx(wanted[:3])
    assert (told["judged_on"], told["kind"], told["rates_from"]) == (20, "anytime", "settings")
    once = estimate_accuracy(np.zeros(20, dtype=int), answers)
    assert told["once"] == pytest.approx({"low": once.low, "high": once.high})
    assert [one["error"] for one in told["what_if"]] == [0.02, 0.05, 0.1]


def test_an_item_that_was_learned_from_never_judges_by_another_question_either(start):
    world = start(4, questions_per_item=2)
    first = claim(world, "ann")
    answer(world, "ann", first)
    train(world)
    for _ in range(7):
        answer(world, "ann", claim(world, "ann"))
    assert judged(world)["judged_on"] == 3, "the item of the first question is out with both of its questions"


def test_answers_given_beside_the_models_guess_do_not_judge(start):
    world = start(6, show_predictions=True)
    train(world)
    answer(world, "ann", claim(world, "ann"))
    assert judged(world)["judged_on"] == 0


def test_answers_that_do_not_fit_give_a_warning_that_names_who_gave_them(start):
    world = start(60)
    train(world)
    for _ in range(40):
        answer(world, "bob", claim(world, "bob"))
    told = judged(world)
    assert told["accuracy"] is None
    assert "do not fit questions drawn uniformly" in told["warning"]
    assert "bob: 100.0 % of 40 answers are yes" in told["warning"]


def test_flip_rates_come_from_gold_items(start):
    world = start(60)

    def make_gold(connection):
        connection.execute(update(items).values(gold=0))
        connection.execute(update(tasks).where(tasks.c.id.in_(given[:25])).values(kind="gold"))

    train(world)
    given = [claim(world, "ann") for _ in range(50)]
    for task in given:
        ((subset,),) = world.rows(select(tasks.c.subset).where(tasks.c.id == task))
        answer(world, "ann", task, "yes" if 0 in read_subset(subset) else "no")
    assert judged(world)["rates_from"] == "settings"
    world.database.write(make_gold)
    told = judged(world)
    assert told["rates_from"] == "gold"
    assert told["what_if"] == []
    assert told["low"] < told["accuracy"] <= told["high"] == 1


def test_items_kept_aside_judge_with_answers_from_before(start):
    world = start(5)
    given = [claim(world, "ann") for _ in range(3)]
    for task in given:
        answer(world, "ann", task)
    train(world, aside={item_of(world, given[0])})
    assert judged(world)["judged_on"] == 1


def test_a_question_that_was_learned_from_never_judges_whoever_answers_it_again(start):
    world = start(5, overlap=2)
    task = claim(world, "ann")
    answer(world, "ann", task)
    train(world)
    assert claim(world, "bob") == task
    answer(world, "bob", task)
    assert judged(world)["judged_on"] == 0
    # Nor does the same answer once it was taken back and given again.
    me = world.person("ann")
    world.database.write(lambda c: events.undo(c, world.project, me, str(uuid.uuid4()), NOW))
    assert judged(world)["judged_on"] == 0
    answer(world, "ann", task)
    assert judged(world)["judged_on"] == 0


def test_skips_and_adaptive_questions_do_not_judge_and_an_item_judges_once(start):
    world = start(4, questions_per_item=2)
    train(world)
    given = [claim(world, "ann") for _ in range(8)]
    for number, task in enumerate(given):
        answer(world, "ann", task, "skip" if number == 0 else "yes")
    assert judged(world)["judged_on"] == 4
    assert judged(world)["skipped"] == pytest.approx(1 / 8)
    world.database.write(lambda c: c.execute(update(tasks).where(tasks.c.id != given[0]).values(adaptive=True)))
    told = judged(world)
    assert (told["judged_on"], told["low"], told["high"]) == (1, 0, 1), "a skip may have agreed or not"


def test_the_newest_model_is_judged(start):
    world = start(5)
    train(world)
    answer(world, "ann", claim(world, "ann"))
    assert judged(world)["judged_on"] == 1
    train(world)
    assert (judged(world)["answers"], judged(world)["judged_on"]) == (1, 0)
