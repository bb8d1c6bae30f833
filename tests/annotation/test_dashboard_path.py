"""From an empty project to a downloaded model in the browser, without a terminal."""

import io
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import httpx

from oneof.annotation.project.folder import Project, Settings, create_project
from oneof.annotation.store.auditing import audit
from oneof.annotation.store.upgrading import upgrade

from .browser import CLASSES, Open, Person, Served, chromium, draw, driver, open_page

__all__ = ["chromium", "driver", "open_page"]
COUNT = 60
DRAWN = CLASSES[:4]
"""What is on the pictures: a bar of another number may be the same picture."""


def empty_project(folder: Path) -> Project:
    classes = [type(one)(one.name, one.definition) for one in CLASSES]
    settings = Settings(name="Shapes", size=2, seed=5, gold_share=0.0, questions_per_item=2)
    project = create_project(folder / "project", settings, classes)
    database = project.database()
    upgrade(database)
    database.close()
    return project


def zipped_pictures(folder: Path) -> Path:
    with ZipFile(folder / "shapes.zip", "w") as archive:
        for number in range(COUNT):
            draw(folder / "one.png", DRAWN[number % len(DRAWN)].name, number, (240, 180))
            archive.write(folder / "one.png", f"{number:03}.png")
    return folder / "shapes.zip"


def answer_everything(link: str) -> int:
    """Ada at work: she is always right."""
    url, _, token = link.partition("/join/")
    count = 0
    with httpx.Client(base_url=url, headers={"X-Oneof": "1"}, timeout=60) as ada:
        ada.get(f"/join/{token}")
        while (claimed := ada.post("/api/claim", json={})).status_code == 200:
            question = claimed.json()
            truth = DRAWN[int(question["item"][:3]) % len(DRAWN)].name
            answer = "yes" if truth in [one["name"] for one in question["labels"]] else "no"
            body = {"id": f"00000000-0000-4000-8000-{count:012}", "task": question["task"], "answer": answer}
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


def test_from_an_upload_to_a_downloaded_model(tmp_path: Path, open_page: Open) -> None:
    site = Served(empty_project(tmp_path))
    site.start()
    try:
        manager = open_page(
            site, path=site.link("Boss", "admin").removeprefix(site.url), viewport={"width": 1366, "height": 900}
        )
        page = manager.page
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
        assert answer_everything(page.locator("#new-link").inner_text()) == 2 * COUNT

        go(page, "Model")
        press(page, "Train now")
        finished(manager)
        assert page.get_by_text("trained on").is_visible()
        assert page.locator("#download").is_visible()
        manager.keep("dashboard-model")
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
    database = site.project.database()
    assert audit(database) == []
    database.close()
