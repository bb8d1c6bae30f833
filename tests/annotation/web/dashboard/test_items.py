"""The items' pages."""

import pytest


@pytest.fixture
def backend():
    """SQLite alone: what is asked of the database here, other tests ask of PostgreSQL too."""
    return "sqlite"


def test_the_list_goes_on_and_one_item_opens(make_world):
    world = make_world(items=70)
    admin = world.admin()
    first = admin.get("/admin/items").text
    assert first.count('class="card tile-item"') == 60
    assert "after=60" in first
    assert admin.get("/admin/items?after=60").text.count('class="card tile-item"') == 10
    assert "No items here" in admin.get("/admin/items?show=flagged").text
    page = admin.get("/admin/items/3").text
    assert "text number 2" in page
    assert "not answered yet" in page
    for wrong in ("/admin/items?show=odd", "/admin/items/0", "/admin/items/999", "/admin/items?search=a%00b"):
        assert admin.get(wrong).status_code == 404


def test_asking_again_and_known_labels(world):
    admin = world.admin()
    again = admin.post("/admin/items/3", data={"action": "ask"})
    assert "A new question about this item" in admin.get(again.headers["location"]).text
    for label, words in (("c2", "kept as known"), ("", "not taken as known")):
        reply = admin.post("/admin/items/3", data={"action": "gold", "label": label})
        assert words in admin.get(reply.headers["location"]).text
    for fields in ({"action": "gold", "label": "zebra"}, {"action": "explode"}, {}):
        assert admin.post("/admin/items/3", data=fields).status_code == 422
    assert admin.post("/admin/items/999", data={"action": "ask"}).status_code == 422


def test_taking_out_asks_first_and_can_be_undone(world):
    admin = world.admin()
    asked = admin.post("/admin/items/3", data={"action": "remove", "reason": "blurred"})
    assert (asked.status_code, "asked no more" in asked.text) == (200, True)
    assert "t2" in admin.get("/admin/items").text
    gone = admin.post("/admin/items/3", data={"action": "remove", "reason": "blurred", "confirmed": "yes"})
    assert "Taken out:" in admin.get(gone.headers["location"]).text
    assert ">t2<" not in admin.get("/admin/items").text
    assert ">t2<" in admin.get("/admin/items?show=removed").text
    back = admin.post("/admin/items/3", data={"action": "restore"})
    assert "Back again" in admin.get(back.headers["location"]).text
    assert ">t2<" in admin.get("/admin/items").text
    assert admin.post("/admin/items/999", data={"action": "remove"}).status_code == 404
