"""Judging the current model: which answers count, and that the figure is the label-free estimate of them."""

import uuid

import numpy as np
import pytest
from sqlalchemy import select, update

from oneof import Answers, estimate_accuracy
from oneof.annotation.asking import claims, decoys, recording
from oneof.annotation.asking.questions import read_subset
from oneof.annotation.learning.judging import current_model
from oneof.annotation.project.folder import save_settings
from oneof.annotation.store.schema import items, tasks

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


def answer(world, name, task, said="yes", guess=None):
    me, given = world.person(name), recording.Given(str(uuid.uuid4()), task, said, 1.0, guess=guess)
    return world.database.write(lambda c: recording.record_answer(c, world.project, me, given, NOW)[0])


def train(world, aside=()):
    """A model that takes every item for class 0."""
    world.model(aside, label=lambda _: 0)


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
    world.database.write(lambda c: recording.undo(c, world.project, me, str(uuid.uuid4()), NOW))
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
    world.database.write(lambda c: c.execute(update(tasks).where(tasks.c.id != given[0]).values(design="adaptive")))
    told = judged(world)
    assert (told["judged_on"], told["low"], told["high"]) == (1, 0, 1), "a skip may have agreed or not"


def test_the_newest_model_is_judged(start):
    world = start(5)
    train(world)
    answer(world, "ann", claim(world, "ann"))
    assert judged(world)["judged_on"] == 1
    train(world)
    assert (judged(world)["answers"], judged(world)["judged_on"]) == (1, 0)


def ask_round(world, count):
    world.database.write(lambda c: decoys.ask_round(c, world.project, count, NOW))
    return {row.id: row for row in world.rows(select(tasks).where(tasks.c.design == "prediction"))}


def test_a_judging_round_judges_and_says_how_far_it_is(start):
    world = start(60)
    train(world)
    made = ask_round(world, 40)
    subsets, said = [], []
    while len(said) < 30:
        task = claim(world, "ann")
        if task not in made:
            continue
        subsets.append(np.isin(np.arange(5), read_subset(made[task].subset)))
        said.append(len(said) % 6 > 0)
        answer(world, "ann", task, "yes" if said[-1] else "no")
    slip = world.project.settings.slip_rate
    zeros = np.zeros(30, dtype=int)
    answers = Answers(subsets, said, design="prediction", predicted=zeros, flip_yes=slip, flip_no=slip)
    wanted = estimate_accuracy(zeros, answers, anytime=True)
    told = judged(world)
    assert (told["accuracy"], told["low"], told["high"]) == pytest.approx(wanted[:3])
    assert (told["judged_on"], told["round"]) == (30, {"asked": 40, "answered": 30})


def test_an_item_judges_by_its_judging_question_rather_than_by_a_uniform_one(start):
    world = start(4)
    train(world)
    made = ask_round(world, 4)
    for _ in range(8):
        task = claim(world, "ann")
        answer(world, "ann", task, "yes" if task in made else "no")
    told = judged(world)
    assert told["judged_on"] == 4
    assert told["accuracy"] == 1, "every guess was confirmed, whatever the other four answers say"


def test_rounds_about_an_earlier_model_judge_the_next_one_only_where_the_two_agree(start):
    world = start(40)
    first = set(range(1, 41))
    train(world, aside=first)
    made = ask_round(world, 40)
    for _ in range(80):
        task = claim(world, "ann")
        answer(world, "ann", task) if task in made else None
    world.model(first, label=lambda item: int(item == 1))
    told = judged(world)
    assert told["judged_on"] == 40
    assert any("changed since its question was made" in note for note in told["notes"])
    world.model(first, label=lambda item: item % 2)
    told = judged(world)
    assert told["judged_on"] == 0


def test_guesses_count_once_their_errors_are_bounded_and_the_width_without_them_is_told(start):
    world = start(60)
    train(world)
    made = ask_round(world, 50)
    skips = 0
    for _ in range(110):
        task = claim(world, "ann")
        if task in made:
            skips += 1
            skip = skips % 2 == 0
            answer(world, "ann", task, "skip" if skip else "yes", "yes" if skip else None)
    told = judged(world)
    assert (told["judged_on"], told["guessed"], told["skipped"]) == (50, 25, 0.5)
    assert (told["low"], told["high"]) == (told["unguessed"]["low"], told["unguessed"]["high"]), "nobody knows yet"
    asserted = save_settings(world.project, {"guess_error": 0.25})
    told = judged(type(world)(asserted, world.database, world.admin_token))
    assert "counts guesses on the word of the settings that at most 25% of them are wrong" in told["notes"]
    assert told["unguessed"]["low"] < told["low"]
    assert told["high"] - told["low"] < told["unguessed"]["high"] - told["unguessed"]["low"]


def test_what_was_shown_beside_the_guess_is_remembered_even_after_the_setting_is_off(start):
    world = start(10, show_predictions=True)
    train(world)
    client = world.annotator("eve")
    world.give(client)
    hidden = type(world)(save_settings(world.project, {"show_predictions": False}), world.database, world.admin_token)
    assert judged(hidden)["judged_on"] == 0
    answer(hidden, "ann", claim(hidden, "ann"))
    assert judged(hidden)["judged_on"] == 1
