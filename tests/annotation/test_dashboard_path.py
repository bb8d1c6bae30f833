"""From an empty project to a downloaded model in the browser, without a terminal."""

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4
from zipfile import ZipFile

import httpx
from PIL import Image, ImageColor

from oneof.annotation.project.folder import open_project
from oneof.annotation.store.auditing import audit
from oneof.annotation.web.creating import server_key
from oneof.annotation.web.hosting import Host, Hosting

from .browser import CLASSES, COLOURS, Open, Person, Served, chromium, draw, driver, open_page

__all__ = ["chromium", "driver", "open_page"]
COUNT = 60
DRAWN = CLASSES[:4]
"""What is on the pictures: a bar of another number may be the same picture."""


@dataclass
class Several(Served):
    """A server of a folder that holds no project yet."""

    project: Any = None
    home: Path = Path()

    def app(self) -> Any:
        return Host(Hosting(folders=[self.home])).app()


def zipped_pictures(folder: Path) -> Path:
    with ZipFile(folder / "shapes.zip", "w") as archive:
        for number in range(COUNT):
            draw(folder / "one.png", DRAWN[number % len(DRAWN)].name, number, (240, 180))
            archive.write(folder / "one.png", f"{number:03}.png")
    return folder / "shapes.zip"


def seen_on(picture: bytes) -> str:
    """The shape, by its colour: names of files are not shown."""
    colours = {colour for _, colour in Image.open(io.BytesIO(picture)).convert("RGB").getcolors(100_000) or []}
    return next(name for name, colour in COLOURS.items() if ImageColor.getrgb(colour) in colours)


def answer_everything(link: str) -> int:
    """Ada at work: she is always right."""
    url, _, token = link.partition("/join/")
    count = 0
    with httpx.Client(base_url=url, headers={"X-Oneof": "1"}, timeout=60, verify=False) as ada:
        ada.get(f"/join/{token}")
        while (claimed := ada.post("/api/claim", json={})).status_code == 200:
            question = claimed.json()
            truth = seen_on(ada.get(question["content_url"].removeprefix(urlsplit(url).path)).content)
            answer = "yes" if truth in [one["name"] for one in question["labels"]] else "no"
            body = {"id": str(uuid4()), "task": question["task"], "answer": answer}
            assert ada.post("/api/answers", json=body | {"seconds": 1.5}).status_code == 201
            count += 1
    return count


def go(page: Any, name: str) -> None:
    page.get_by_role("navigation", name="Dashboard").get_by_role("link", name=name, exact=True).click()
    page.wait_for_load_state()


def press(page: Any, name: str) -> None:
    with page.expect_response(lambda reply: reply.request.method == "POST") as caught:
        page.get_by_role("button", name=name, exact=True).click()
    assert caught.value.status < 400, (name, caught.value.status)
    page.wait_for_load_state()


def finished(person: Person) -> None:
    """Wait until the page, which looks by itself, shows that the work is over."""
    person.page.wait_for_selector("[data-working]", state="detached", timeout=180_000)


def test_from_nothing_to_a_downloaded_model(tmp_path: Path, open_page: Open) -> None:
    home = tmp_path / "projects"
    home.mkdir()
    site = Several(home=home)
    site.start()
    try:
        manager = open_page(site, path=f"/new/{server_key(home)}", viewport={"width": 1366, "height": 900})
        page = manager.page
        page.locator("input[name=name]").fill("Shapes")
        page.locator("textarea[name=classes]").fill("\n".join(f"{one.name}: {one.definition}" for one in CLASSES))
        page.locator("input[name=size]").fill("2")
        page.locator("input[name=questions_per_item]").fill("2")
        manager.keep("new-project")
        press(page, "Create the project")
        assert page.get_by_text("There are no items yet").is_visible()
        go(page, "Project")
        page.locator("input[name=files]").set_input_files(zipped_pictures(tmp_path))
        press(page, "Upload")
        finished(manager)
        assert page.get_by_text(f"{COUNT} new items").is_visible()
        manager.keep("dashboard-project")

        go(page, "People")
        page.get_by_label("Name").fill("Ada")
        press(page, "Make a link")
        manager.keep("dashboard-people")
        link = page.locator("#new-link").inner_text()
        assert answer_everything(link) == 2 * COUNT

        go(page, "Model")
        press(page, "Train now")
        finished(manager)
        assert page.get_by_text("trained on").is_visible()
        page.locator("#judge-questions").fill("5")
        press(page, "Judge now")
        assert answer_everything(link) == 5
        page.reload()
        assert page.locator("#round").inner_text() == "5 of 5 judging questions are answered."
        manager.keep("dashboard-model")
        assert page.locator("#download").is_visible()
        with page.expect_download() as model:
            page.locator("#download").click()
        with ZipFile(io.BytesIO(Path(model.value.path()).read_bytes())) as archive:
            assert archive.testzip() is None
            assert any(name.startswith("model-0001/") for name in archive.namelist())
        with page.expect_download() as predictions:
            page.get_by_role("link", name="Download predictions").click()
        assert len(Path(predictions.value.path()).read_text().splitlines()) == COUNT + 1
        go(page, "Overview")
        manager.keep("dashboard-overview")
        go(page, "Items")
        manager.keep("dashboard-items")
        go(page, "Project")
        for kind in ("CSV", "Download a backup"):
            with page.expect_download() as taken:
                page.get_by_role("link", name=kind, exact=True).click()
            assert Path(taken.value.path()).stat().st_size > 0
    finally:
        site.stop()
    database = open_project(home / "shapes").database()
    assert audit(database) == []
    database.close()
