"""The dashboard's figures."""

import random

import pytest

from oneof.annotation.learning.quality import dashboard, expected_yes_rate, krippendorff_alpha


def alpha_by_definition(units):
    """1 - D_o/D_e over all pairs, straight from Krippendorff's definition."""
    units = [unit for unit in units if len(unit) > 1]
    values = [value for unit in units for value in unit]
    n = len(values)
    observed = sum(
        sum(a != b for i, a in enumerate(unit) for j, b in enumerate(unit) if i != j) / (len(unit) - 1)
        for unit in units
    )
    expected = sum(a != b for i, a in enumerate(values) for j, b in enumerate(values) if i != j) / (n - 1)
    return 1 - observed / expected


def test_item_16_alpha_is_krippendorffs():
    rng = random.Random(1)
    for _ in range(30):
        units = [[rng.random() < 0.4 for _ in range(rng.randint(1, 4))] for _ in range(12)]
        counts = [(sum(unit), len(unit) - sum(unit), 1) for unit in units]
        flat = [value for unit in units if len(unit) > 1 for value in unit]
        if len(set(flat)) < 2:
            assert krippendorff_alpha(counts) is None
        else:
            assert krippendorff_alpha(counts) == pytest.approx(alpha_by_definition(units))


def test_item_16_alpha_needs_repeated_questions():
    assert krippendorff_alpha([]) is None
    assert krippendorff_alpha([(1, 0, 50), (0, 1, 50)]) is None
    assert krippendorff_alpha([(2, 0, 5)]) is None


def test_item_16_the_dashboard_tells_how_annotators_do(make_world, tmp_path):
    gold = tmp_path / "gold.csv"
    gold.write_text("item,label\nt0,c0\n")
    world = make_world(12, overlap=2, gold=gold, gold_share=0.3, too_fast_seconds=0.5)
    ann, bob = world.annotator("ann"), world.annotator("bob")
    agreeing = {}
    for number in range(8):
        question = world.claim(ann)
        names = {label["name"] for label in question["labels"]}
        answer = ("yes" if "c0" in names else "no") if question["item"] == "t0" else "yes" if number % 2 else "no"
        agreeing[question["task"]] = answer
        seconds = 0.1 if number < 2 else 3.0
        ann.post("/api/answers", json=world.body(question["task"], answer, seconds=seconds))
    for _ in range(8):
        question = world.claim(bob)
        bob.post("/api/answers", json=world.body(question["task"], agreeing.get(question["task"], "yes"), seconds=2.0))
    world.give(bob, "skip")
    figures = dashboard(world.database, world.project, world.clock())
    assert figures["agreement_alpha"] == pytest.approx(1.0)
    assert figures["needed"] == 22
    assert figures["expected_yes_rate"] == pytest.approx(0.4)
    assert figures["answers_last_hour"] == 17
    by_name = {person["name"]: person for person in figures["annotators"]}
    assert by_name["ann"]["median_seconds"] == 3.0
    assert by_name["ann"]["too_fast"] == pytest.approx(0.25)
    assert by_name["ann"]["gold_asked"] == by_name["ann"]["gold_right"]
    assert by_name["bob"]["skipped"] == 1
    assert figures["model"] is None


def test_item_16_self_repeats_are_compared(make_world):
    world = make_world(20, repeat_share=0.6, repeat_gap=2)
    ann = world.annotator("ann")
    first = {}
    for _ in range(15):
        question = world.claim(ann)
        # The first time yes, and no when the item comes back.
        answer = "no" if question["item"] in first else "yes"
        first[question["item"]] = answer
        ann.post("/api/answers", json=world.body(question["task"], answer))
    (person,) = dashboard(world.database, world.project, world.clock())["annotators"]
    assert person["repeats_asked"] >= 1
    assert person["repeats_same"] == 0


def test_item_16_an_unusual_yes_rate_is_pointed_out(make_world):
    world = make_world(60)
    ann, bob = world.annotator("ann"), world.annotator("bob")
    for number in range(30):
        world.give(ann, "yes")
        world.give(bob, "yes" if number % 5 < 2 else "no")
    by_name = {one["name"]: one for one in dashboard(world.database, world.project, world.clock())["annotators"]}
    assert by_name["ann"]["unusual_yes_rate"] is True
    assert by_name["bob"]["unusual_yes_rate"] is False


def test_item_23_the_expected_yes_rate_allows_for_the_flips(make_world):
    world = make_world(3, epsilon=1.0)
    flip = world.project.settings.flip
    assert expected_yes_rate(world.project) == pytest.approx(0.4 * (1 - flip) + 0.6 * flip)


def test_item_16_the_dashboard_page_shows_the_figures(make_world):
    world = make_world(6, overlap=2)
    for name in ("ann", "bob"):
        client = world.annotator(name)
        for answer in ("yes", "no"):
            world.give(client, answer)
    admin = world.admin()
    page = admin.get("/admin").text + admin.get("/admin/people").text
    for words in ("Krippendorff", "1.00", "40.0\u00a0%", "Median time", "Too fast", "Answers per hour", "ann", "bob"):
        assert words in page
