"""Answers read through changes of the classes: by enumeration, nothing false is ever said, and nothing true is lost."""

from itertools import chain, combinations

import numpy as np
import pytest

from oneof.annotation.project.classes import Class
from oneof.annotation.project.lineage import Lineage

K = 5


def subsets(k, sizes=None):
    return [list(one) for size in sizes or range(1, k) for one in combinations(range(k), size)]


def possible(lineage, reading, yes):
    """The classes of today, by number, that a reading leaves possible."""
    active = np.array(lineage.active())
    return set(active.tolist()) if reading is None else set(active[reading.shown == yes].tolist())


def classes(**changes):
    made = [Class(f"c{number}") for number in range(K)]
    for name, change in changes.items():
        number = int(name[1:])
        made[number : number + 1] = [Class(name, **change)]
    return made


MERGED = Lineage(classes(c4={"ended": 1, "into": 1}))
RETIRED = Lineage(classes(c2={"ended": 1}))
ADDED = {before: Lineage([*classes(), Class("new", added=1, before=before)]) for before in ("none", None, 3)}


EVERY = [(labels, yes) for labels in subsets(K) for yes in (True, False)]
"""Every answer to every question of before the change."""


def test_a_merge_keeps_all_that_follows_and_nothing_else():
    """What is possible today is exactly what some possible class of then has become."""
    for labels, yes in EVERY:
        then = {number for number in range(K) if (number in labels) == yes}
        assert possible(MERGED, MERGED.read(labels, yes, 0), yes) == {MERGED.today(number) for number in then}


def test_a_retired_class_is_as_if_it_had_not_been_there():
    for labels, yes in EVERY:
        then = {number for number in range(K) if (number in labels) == yes} - {2}
        reading = RETIRED.read(labels, yes, 0)
        assert possible(RETIRED, reading, yes) == (then if reading is not None else {0, 1, 3, 4})
        assert reading is None or reading.uniform


def test_what_is_left_after_retiring_is_uniform_among_its_size():
    """So it may go on judging: each set of a size comes from as many questions as any other."""
    seen = {}
    for labels in subsets(K, [3]):
        shown = tuple(RETIRED.read(labels, True, 0).shown)
        seen.setdefault(sum(shown), []).append(shown)
    assert {size: len(found) for size, found in seen.items()} == {2: 6, 3: 4}
    assert all(len(set(found)) == len(found) for found in seen.values()), "each of the 6 pairs and 4 triples once"


@pytest.mark.parametrize("before", list(ADDED))
def test_a_new_class_is_possible_where_its_things_were(before):
    lineage = ADDED[before]
    for labels, yes in EVERY:
        then = {number for number in range(K) if (number in labels) == yes}
        joins = {"none": not yes, None: True}.get(before, 3 in then)
        reading = lineage.read(labels, yes, 0)
        assert possible(lineage, reading, yes) == then | ({5} if joins else set())
        assert reading is None or not reading.uniform


def test_changes_follow_one_another_and_questions_of_today_are_left_alone():
    """c4 was merged into c1, c1 was merged into c0, then c2 was retired; a class was split off c0 last."""
    made = classes(c4={"ended": 1, "into": 1}, c1={"ended": 2, "into": 0}, c2={"ended": 3})
    lineage = Lineage([*made, Class("c5", added=4, before=0)])
    assert (lineage.edition, lineage.active(), lineage.active(1)) == (4, [0, 3, 5], [0, 1, 2, 3])
    assert [lineage.today(number) for number in range(6)] == [0, 0, None, 3, 0, 5]
    assert lineage.place(4) == 0
    assert lineage.read([4, 1, 0, 2], True, 0).shown.tolist() == [True, False, True]
    assert lineage.read([4], False, 0) is None, "one of three parts: nothing is left of a no"
    assert lineage.read([0], True, 4).shown.tolist() == [True, False, False]
    assert lineage.read([0], True, 4).uniform
    for labels in chain(subsets(K)):
        for yes in (True, False):
            left = possible(lineage, lineage.read(labels, yes, 0), yes)
            truths = {number for number in range(K) if (number in labels) == yes and number != 2}
            assert {lineage.today(number) for number in truths} <= left


def taken_back(before):
    """A class was added in edition 1 and taken back in edition 2."""
    into = before if isinstance(before, int) else None
    return Lineage([*classes(), Class("c5", added=1, before=before, ended=2, into=into, undone=True)])


BACK = {
    "retired": Lineage(classes(c2={"away": ((1, 2, None),)})),
    "merged": Lineage(classes(c4={"away": ((1, 2, 1),)})),
    **{f"added, before {before}": taken_back(before) for before in ADDED},
}
BECAME = {
    # What an item of a class of edition 1 may be in edition 2; None: what was in no list.
    "retired": {None: {2}},
    "merged": {1: {1, 4}},
    "added, before none": {5: set()},
    "added, before None": {5: set(range(K))},
    "added, before 3": {5: {3}},
}


@pytest.mark.parametrize("change", list(BACK))
def test_what_was_taken_back_is_for_earlier_questions_as_if_it_had_not_been(change):
    lineage = BACK[change]
    assert (lineage.edition, lineage.active(0), lineage.active()) == (2, list(range(K)), list(range(K)))
    for labels in subsets(K):
        for yes in (True, False):
            reading = lineage.read(labels, yes, 0)
            assert reading.uniform
            assert np.flatnonzero(reading.shown).tolist() == labels


@pytest.mark.parametrize("change", list(BACK))
def test_questions_from_in_between_keep_all_that_follows_and_nothing_else(change):
    lineage = BACK[change]
    then = lineage.active(1)
    for size in range(1, len(then)):
        for labels in combinations(then, size):
            for yes in (True, False):
                could_be = [number for number in then if (number in labels) == yes] + ([] if yes else [None])
                became = set().union(*(BECAME[change].get(one, {one} - {None}) for one in could_be))
                reading = lineage.read(labels, yes, 1)
                assert possible(lineage, reading, yes) == (became or set(range(K))), (labels, yes)
                assert reading is None or not reading.uniform, "drawn from another list: they judge nothing"


def test_changes_are_taken_back_last_first():
    lineage = Lineage(classes(c2={"ended": 2}, c4={"ended": 1, "into": 1}))
    assert lineage.last_change() == 2
    assert Lineage(classes(c2={"away": ((2, 3, None),)}, c4={"ended": 1, "into": 1})).last_change() == 4
    both = Lineage(classes(c2={"away": ((2, 3, None),)}, c4={"away": ((1, 4, 1),)}))
    assert both.last_change() is None
    assert both.read([4, 2], True, 0).shown.tolist() == [False, False, True, False, True]
    # From edition 2, where c1 stood for c4 too, and c2 was in no list.
    assert both.read([1], True, 2).shown.tolist() == [False, True, False, False, True]
    assert both.read([0, 3], False, 2).shown.tolist() == [True, False, False, True, False]


def test_a_known_item_tells_right_from_wrong_only_where_the_question_still_means_the_same():
    assert MERGED.right(4, [1, 0], True, 1) is True, "a question of today about what is one class now"
    assert MERGED.right(4, [1, 0], False, 0) is None
    assert RETIRED.right(0, [0, 2], True, 0) is True
    assert RETIRED.right(0, [2, 3], True, 0) is False
    assert RETIRED.right(2, [2, 3], True, 0) is None
