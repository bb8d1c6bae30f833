"""Joining, the page, and the files: who gets what, and that a key leads to its own picture only."""

import json
import os
from urllib.parse import quote

import pytest
from PIL import Image
from sqlalchemy import func, select, update

from oneof.annotation.asking import access
from oneof.annotation.store.schema import items, sessions
from oneof.annotation.store.schema import people as people_table
from oneof.annotation.web.page_routes import sign_in
from oneof.annotation.web.prose import render

without_postgresql = pytest.mark.parametrize("backend", ["sqlite"])


@pytest.fixture
def pictures(tmp_path):
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number in range(3):
        Image.new("L", (2, 2), number).save(folder / f"{number}.png")
    Image.new("L", (2, 2), 99).save(tmp_path / "secret.png")
    return folder


def keys(world):
    return {row.name: row.key for row in world.rows(select(items.c.name, items.c.key))}


def boot(client):
    return json.loads(client.get("/").text.split('id="boot">')[1].split("</script>")[0])


def test_a_link_makes_a_session_that_lasts_as_the_project_says(make_world):
    world = make_world(3, session_days=2)
    token = world.invite("ann")
    person, secret = sign_in(world.served.server.config.app.state.site, token)
    assert (person.name, person.role) == ("ann", "annotator")
    ((ends,),) = world.rows(select(sessions.c.expires_at - sessions.c.created_at))
    assert ends == pytest.approx(2 * 86_400)
    with world.database.read() as connection:
        assert access.by_session(connection, secret, world.clock()) == person


def test_a_wrong_link_makes_no_session_and_no_cookie(world):
    reply = world.browser().get(f"/join/{world.invite('ann')[:-1]}")
    assert reply.status_code == 403
    assert "set-cookie" not in reply.headers
    assert world.rows(select(func.count()).select_from(sessions)) == [(0,)]


def test_the_page_and_the_sign_in_are_kept_in_no_cache(world):
    browser = world.browser()
    assert browser.get(f"/join/{world.invite('ann')}").headers["cache-control"] == "no-store"
    assert browser.get("/").headers["cache-control"] == "no-store"


def test_the_page_remembers_which_guidelines_it_showed(world):
    ann = world.annotator("ann")
    seen = select(people_table.c.guidelines).where(people_table.c.name == "ann")
    assert world.rows(seen) == [(None,)]
    assert boot(ann)["guidelines"] == {"version": 1, "html": render(world.project.guidelines_file.read_text())}
    assert world.rows(seen) == [(1,)]


@without_postgresql
def test_a_private_project_tells_the_browser_its_coin(make_world):
    world = make_world(3, epsilon=2.0)
    shown = boot(world.annotator("ann"))
    assert shown["epsilon"] == 2.0
    assert shown["flip_probability"] == pytest.approx(world.project.settings.flip)


@without_postgresql
def test_a_key_leads_to_its_own_picture_and_a_name_to_none(make_world, pictures):
    world = make_world(pictures)
    ann = world.annotator("ann")
    for name, key in keys(world).items():
        reply = ann.get(f"/items/{key}")
        assert reply.content == (pictures / name).read_bytes()
        assert "private" in reply.headers["cache-control"]
        assert ann.get(f"/items/{name}").status_code == 404
        assert world.browser().get(f"/items/{key}").status_code == 401
        small = ann.get(f"/thumbnails/{key}")
        assert (small.status_code, small.headers["content-type"]) == (200, "image/jpeg")
        assert ann.get(f"/thumbnails/{name}").status_code == 404
        assert world.browser().get(f"/thumbnails/{key}").status_code == 401


@pytest.mark.parametrize("key", ["\0", "../secret.png", "/etc/passwd", "%", "x" * 5000, "ü", "0" * 24])
def test_a_key_that_is_none_is_not_found(make_world, pictures, key):
    world = make_world(pictures)
    ann = world.annotator("ann")
    for place in ("items", "thumbnails"):
        assert ann.get(f"/{place}/{quote(key, safe='')}").status_code == 404


@without_postgresql
def test_even_a_stored_name_leads_nowhere_outside(make_world, pictures):
    world = make_world(pictures)
    ann = world.annotator("ann")
    for name in ("../secret.png", str(pictures.parent / "secret.png"), "../pictures", "."):
        world.database.write(
            lambda connection, name=name: connection.execute(update(items).where(items.c.id == 1).values(name=name))
        )
        assert ann.get(f"/items/{keys(world)[name]}").status_code == 404


@without_postgresql
def test_a_picture_that_is_gone_or_goes_in_circles_is_not_found(make_world, pictures):
    world = make_world(pictures)
    ann, found = world.annotator("ann"), keys(world)
    (pictures / "0.png").unlink()
    (pictures / "1.png").unlink()
    os.symlink(pictures / "1.png", pictures / "1.png")
    (pictures / "2.png").unlink()
    os.symlink(pictures.parent / "secret.png", pictures / "2.png")
    for name in ("0.png", "1.png", "2.png"):
        assert ann.get(f"/items/{found[name]}").status_code == 404


@without_postgresql
def test_a_text_has_no_picture(make_world):
    world = make_world(3)
    ann = world.annotator("ann")
    for key in keys(world).values():
        assert ann.get(f"/items/{key}").status_code == 404


@without_postgresql
def test_examples_are_served_by_the_number_of_their_class(make_world, tmp_path):
    Image.new("L", (2, 2), 5).save(tmp_path / "cat.png")
    classes = tmp_path / "classes.csv"
    classes.write_text("name,definition,example\ncat,a cat,cat.png\ndog,a dog,\nfox,a fox,\n")
    world = make_world(3, classes=classes)
    ann = world.annotator("ann")
    assert ann.get("/examples/0").content == (tmp_path / "cat.png").read_bytes()
    assert ann.get("/examples/0").headers["content-type"] == "image/png"
    assert [ann.get(f"/examples/{index}").status_code for index in ("1", "3", "-1", "x")] == [404, 404, 404, 422]
    assert world.browser().get("/examples/0").status_code == 401


@without_postgresql
def test_pictures_of_the_guidelines_are_served_and_nothing_else_of_the_project(world):
    folder = world.project.folder / "guidelines"
    folder.mkdir()
    Image.new("L", (2, 2)).save(folder / "robin.png")
    (folder / "notes.txt").write_text("private")
    ann = world.annotator("ann")
    shown = ann.get("/guidelines/robin.png")
    assert (shown.status_code, shown.headers["content-type"]) == (200, "image/png")
    assert shown.headers["content-security-policy"] == "default-src 'none'"
    for name in ("notes.txt", "missing.png", ".hidden.png", "..%2Fproject.toml", "..%2Fadmin.token", "..%2Fx.png"):
        assert ann.get(f"/guidelines/{name}").status_code == 404, name
    assert world.browser().get("/guidelines/robin.png").status_code == 401
