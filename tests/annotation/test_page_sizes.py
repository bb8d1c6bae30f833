"""The page at every window size, in a real browser: whole pictures, every label in view or counted."""

from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from sqlalchemy import select

from oneof.annotation.project.classes import Class
from oneof.annotation.project.folder import Settings, create_project
from oneof.annotation.project.importing import import_items
from oneof.annotation.store.schema import tasks
from oneof.annotation.store.upgrading import upgrade

from .browser import Open, Person, Serve, Served, chromium, driver, open_page, serve

__all__ = ["chromium", "driver", "open_page", "serve"]

SIZES = [(320, 480), (360, 640), (390, 844), (768, 1024), (1024, 600), (1366, 650), (1920, 950), (3840, 2160)]
SHAPES = {"portrait": (600, 900), "square": (500, 500), "landscape": (900, 600), "panorama": (2400, 200)} | {
    "strip": (80, 2000),
    "icon": (16, 16),
}
BOXES = """() => {
  const box = (id) => {
    const node = document.querySelector(id), found = node.getBoundingClientRect();
    if (!node.checkVisibility()) return null;
    return [found.left, found.top, found.right, found.bottom];
  };
  const image = document.querySelector("#image-frame img");
  return { picture: box("#image-frame img"), frame: box("#image-frame"), stage: box(".stage"),
    answers: box(".answers"), labels: box("#labels"),
    over: [box("#item-name"), box("#zoom-tools")],
    natural: [image.naturalWidth, image.naturalHeight], window: [0, 0, innerWidth, innerHeight],
    page: [document.documentElement.scrollWidth, document.documentElement.scrollHeight] };
}"""
IN_VIEW = """() => {
  const list = document.querySelector("#labels").getBoundingClientRect();
  const end = Math.min(list.bottom, innerHeight, document.querySelector(".answers").getBoundingClientRect().top);
  return [...document.querySelectorAll("#labels li")].filter((row) => {
    const name = row.querySelector("b").getBoundingClientRect(), box = row.getBoundingClientRect();
    return box.top >= list.top - 1 && box.bottom <= end + 1 && name.right <= box.right + 1;
  }).length;
}"""
DEFINITION = "A thing whose description is so long that on a phone or a laptop it cannot stand beside its name"


def inside(inner: list[float], outer: list[float]) -> bool:
    slack = 1.0  # boxes are rounded to device pixels
    return (
        inner[0] >= outer[0] - slack
        and inner[1] >= outer[1] - slack
        and inner[2] <= outer[2] + slack
        and inner[3] <= outer[3] + slack
    )


def labelled_site(
    folder: Path, *, classes: int, size: int, shapes: dict[str, tuple[int, int]], **settings: Any
) -> Served:
    """Classes with definitions and example pictures, and items of several shapes."""
    kinds = [Class(f"class {number:02}", f"{DEFINITION} ({number})", f"{number}.png") for number in range(classes)]
    project = create_project(
        folder / "project", Settings(name="Sizes", size=size, seed=3, gold_share=0.0, **settings), kinds
    )
    for place in (folder / "pictures", folder / "project" / "examples"):
        place.mkdir()
    for number in range(classes):
        Image.new("RGB", (64, 64), (9 * number, 120, 200)).save(folder / "project" / "examples" / f"{number}.png")
    for name, wide in shapes.items():
        Image.new("RGB", wide, "#7a4").save(folder / "pictures" / f"{name}.png")
    database = project.database()
    upgrade(database)
    import_items(database, project, folder / "pictures")
    database.close()
    return Served(project)


@pytest.fixture
def sized(tmp_path: Path) -> Any:
    running: list[Served] = []

    def make(**options: Any) -> Served:
        site = labelled_site(tmp_path, **options)
        site.start()
        running.append(site)
        return site

    yield make
    for site in running:
        site.stop()


def resize(ada: Person, size: tuple[int, int]) -> None:
    ada.page.set_viewport_size({"width": size[0], "height": size[1]})
    ada.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def test_every_picture_is_whole_in_every_window_and_labels_beside_it(sized: Any, open_page: Open) -> None:
    ada = open_page(sized(classes=12, size=8, shapes=SHAPES))
    seen = set()
    for _ in SHAPES:
        ada.ready()
        for size in SIZES:
            resize(ada, size)
            at = ada.page.evaluate(BOXES)
            where = (at["natural"], size, at)
            seen.add(tuple(at["natural"]))
            assert inside(at["picture"], at["stage"]), where
            assert inside(at["picture"], at["window"]), where
            assert inside(at["answers"], at["window"]), where
            assert at["stage"][3] <= at["labels"][1] + 1 or at["stage"][2] <= at["labels"][0] + 1, where
            assert at["page"][0] <= size[0], where
            assert at["page"][1] <= size[1], where
            wide, high = at["picture"][2] - at["picture"][0], at["picture"][3] - at["picture"][1]
            assert wide * at["natural"][1] == pytest.approx(high * at["natural"][0], rel=0.02, abs=1500), where
            assert all(other is None or other[1] >= at["frame"][3] - 1 for other in at["over"]), where
            # As large as it can be: it touches the rim of the frame, or is ten times its own size.
            room = [at["frame"][2] - at["frame"][0] - 26, at["frame"][3] - at["frame"][1] - 26]
            assert wide >= room[0] - 2 or high >= room[1] - 2 or wide == 10 * at["natural"][0], where
            if size[0] > 1000:
                assert at["frame"][2] - at["frame"][0] > at["labels"][2] - at["labels"][0], (
                    "the item has most of the room"
                )
            if size == (768, 1024):
                assert at["frame"][2] - at["frame"][0] > 0.9 * size[0], "a tablet held upright"
            if size in ((1366, 650), (360, 640), (768, 1024)):
                assert ada.page.evaluate(IN_VIEW) == 8, size
                assert ada.page.locator("#more-labels").is_hidden()
        resize(ada, (1366, 650))
        ada.press("y")
    assert seen == set(SHAPES.values())
    assert ada.page.evaluate("document.querySelector('#zoom-level').textContent") in ("Zoom", "Fit")


@pytest.mark.parametrize("language", ["en", "fr"])
def test_in_the_smallest_windows_labels_are_in_view_or_counted(sized: Any, open_page: Open, language: str) -> None:
    """In private mode, whose notice takes room too; on a phone that is held upright, and on its side."""
    ada = open_page(sized(classes=12, size=8, shapes={"one": (300, 300)}, epsilon=1.0, language=language))
    ada.ready()
    for size in ((320, 480), (320, 568), (360, 640), (390, 844), (640, 360), (667, 375), (740, 360), (844, 390)):
        resize(ada, size)
        seen, more = ada.page.evaluate(IN_VIEW), ada.page.locator("#more-labels")
        where = (size, seen)
        assert seen == 8 or size not in ((360, 640), (390, 844)), where
        assert seen >= 2, where
        if seen < 8:
            assert int(more.inner_text().split()[0]) == 8 - seen, where
            line, answers = more.bounding_box(), ada.page.locator(".answers").bounding_box()
            assert line["y"] + line["height"] <= answers["y"] + 1, where
        at = ada.page.evaluate(BOXES)
        assert inside(at["picture"], at["stage"]), where
        assert inside(at["answers"], at["window"]), where
        assert at["page"] == [*size], where


def test_a_folded_definition_opens_and_many_labels_are_counted(sized: Any, open_page: Open) -> None:
    site = sized(classes=24, size=20, shapes={"one": (300, 300), "two": (301, 300)})
    ada = open_page(site, viewport={"width": 1366, "height": 650})
    ada.ready()
    page, more = ada.page, ada.page.locator("#more-labels")
    below = 20 - page.evaluate(IN_VIEW)
    assert 0 < below <= 12
    assert more.inner_text().startswith(f"{below} more")
    # "No" before having seen them asks once, and shows the next ones.
    before = ada.task
    page.keyboard.press("n")
    page.wait_for_function(
        "() => document.querySelector('#more-labels').textContent.includes('not seen yet') || "
        "document.querySelector('#more-labels').hidden"
    )
    assert ada.task == before
    assert site.current() == {}
    ada.press("n")
    ada.saved()
    assert site.current() == {before: "no"}
    # Arrow keys reach them; whoever has seen them is not asked.
    second = ada.task
    for _ in range(20):
        if more.is_hidden():
            break
        page.keyboard.press("ArrowDown")
        page.wait_for_timeout(30)
    assert more.is_hidden()
    ada.press("n")
    ada.saved()
    assert site.current()[second] == "no"
    ada.press("u")
    words = page.locator("#labels button.words").first
    folded = words.bounding_box()["height"]
    words.click()
    assert words.get_attribute("aria-expanded") == "true"
    assert words.bounding_box()["height"] > folded
    assert words.evaluate("node => node.scrollWidth <= node.clientWidth + 1"), "nothing of it is cut off"
    page.keyboard.press("d")
    assert page.locator("#labels [aria-expanded=true]").count() == 20
    page.keyboard.press("d")
    assert page.locator("#labels [aria-expanded=true]").count() == 0


def test_labels_are_shuffled_and_a_reload_shows_the_same(serve: Serve, open_page: Open) -> None:
    site = serve(count=10, prefetch=0)
    ada = open_page(site)
    ada.ready()
    orders = []
    for _ in range(8):
        orders.append(ada.labels)
        ada.press("y")
        ada.ready()
    order = [one.name for one in site.project.classes]
    assert any(labels != sorted(labels, key=order.index) for labels in orders)
    before = ada.labels
    ada.page.reload()
    ada.ready()
    assert ada.labels == before
    query = select(tasks.c.subset).where(tasks.c.id == ada.task)
    stored = site.in_database(lambda connection: connection.scalar(query))
    assert [order[int(number)] for number in stored.split(",")] == before
