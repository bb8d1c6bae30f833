"""The pictures of a project about fruit in docs/screenshots, taken anew in Chromium.

    python -m benchmarks.annotation.screenshots

The fruit is drawn here, so that the pictures show no photograph that belongs to somebody. The page is answered by hand,
as it were, key by key. The overview and the model are of a project that three simulated people answer, one answer in 25
wrong, and that is trained twice: every figure on them is what came out.
"""

import uuid
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter
from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.annotation.crowd import CHROMIUM, serving
from oneof.annotation.asking import access
from oneof.annotation.project.starting import start_project

SCREENSHOTS = Path(__file__).parents[2] / "docs" / "screenshots"
WIDTH, HEIGHT = 960, 680
Draw = Callable[[ImageDraw.ImageDraw, float, float, float], None]
"""Draws the outline of a fruit: onto what, the middle of its foot (x, y), and its size."""


def _round(pen: ImageDraw.ImageDraw, x: float, y: float, size: float, wide: float = 1.0, tall: float = 0.95) -> None:
    pen.ellipse((x - size * wide, y - 2 * size * tall, x + size * wide, y), fill=255)


def _apple(pen: ImageDraw.ImageDraw, x: float, y: float, size: float) -> None:
    _round(pen, x - 0.2 * size, y, size, 0.85)
    _round(pen, x + 0.2 * size, y, size, 0.85)


def _pear(pen: ImageDraw.ImageDraw, x: float, y: float, size: float) -> None:
    _round(pen, x, y, size, 0.8, 0.75)
    _round(pen, x, y - 0.9 * size, size, 0.45, 0.6)


def _banana(pen: ImageDraw.ImageDraw, x: float, y: float, size: float) -> None:
    pen.ellipse((x - 1.5 * size, y - 1.9 * size, x + 1.5 * size, y), fill=255)
    pen.ellipse((x - 1.45 * size, y - 2.6 * size, x + 1.45 * size, y - 0.65 * size), fill=0)


def _plum(pen: ImageDraw.ImageDraw, x: float, y: float, size: float) -> None:
    _round(pen, x, y, size, 0.75, 0.65)


FRUIT: dict[str, tuple[Draw, tuple[int, int, int], str]] = {
    "apple": (_apple, (176, 32, 38), "Round, a dip where the stem is"),
    "pear": (_pear, (142, 148, 46), "Narrow at the stem, wide below"),
    "banana": (_banana, (226, 184, 40), "Long, bent and yellow"),
    "orange": (_round, (220, 116, 26), "Round, with a skin of many small dents"),
    "plum": (_plum, (84, 40, 92), "Small, dark, a little longer than wide"),
    "lemon": (
        lambda pen, x, y, size: _round(pen, x, y, size, 1.1, 0.6),
        (232, 208, 60),
        "Yellow, pointed at both ends",
    ),
}


def picture(kind: str, rng: np.random.Generator) -> Image.Image:
    """One fruit on a table, before a wall."""
    draw, colour, _ = FRUIT[kind]
    horizon = int(HEIGHT * 0.55)
    rows = np.linspace(0, 1, HEIGHT)[:, None, None]
    wall, table = np.array([212, 220, 224]) - 22 * rows, np.array([176, 138, 100]) - 60 * (rows - 0.55)
    scene: NDArray[Any] = np.where(rows < horizon / HEIGHT, wall, table) * np.ones((1, WIDTH, 1))
    x, y, size = WIDTH * rng.uniform(0.35, 0.65), HEIGHT * rng.uniform(0.78, 0.88), HEIGHT * rng.uniform(0.2, 0.27)
    shape, shadow = Image.new("L", (WIDTH, HEIGHT)), Image.new("L", (WIDTH, HEIGHT))
    draw(ImageDraw.Draw(shape), x, y, size)
    ImageDraw.Draw(shadow).ellipse((x - 1.2 * size, y - 0.22 * size, x + 1.2 * size, y + 0.15 * size), fill=140)
    dark = np.asarray(shadow.filter(ImageFilter.GaussianBlur(14)))[..., None] / 255
    inside = np.asarray(shape.filter(ImageFilter.GaussianBlur(1)))[..., None] / 255
    across, down = np.meshgrid(np.arange(WIDTH) - x + 0.35 * size, np.arange(HEIGHT) - y + 1.3 * size)
    light = np.exp(-(across**2 + down**2) / (1.1 * size) ** 2)[..., None]
    body = np.array(colour) * (0.55 + 0.5 * light) + 70 * light**4
    mixed = scene * (1 - 0.7 * dark) * (1 - inside) + body * inside
    return Image.fromarray(np.clip(mixed, 0, 255).astype(np.uint8))


def project(home: Path, count: int = 60, **settings: Any) -> tuple[dict[str, str], dict[bytes, str]]:
    """A project of so many pictures: the token of each person, and which fruit is on a file with this content."""
    rng = np.random.default_rng(5)
    items, kinds = home / "items", list(FRUIT)
    items.mkdir(parents=True)
    truth = {}
    for number in range(count):
        kind = kinds[rng.integers(len(kinds))]
        picture(kind, rng).save(items / f"{number:03}.jpg", quality=90)
        truth[(items / f"{number:03}.jpg").read_bytes()] = kind
    for kind in ("apple", "pear", "plum"):
        picture(kind, rng).save(home / f"{kind}.png")
    rows = [f"{kind},{FRUIT[kind][2]!r},{kind}.png" for kind in ("apple", "pear", "plum")]
    rows += [f"{kind},{FRUIT[kind][2]!r}," for kind in ("banana", "orange", "lemon")]
    (home / "classes.csv").write_text("name,definition,example\n" + "\n".join(rows).replace("'", '"') + "\n")
    values = {"name": "Fruit on the table", "size": 3, "seed": 4, "gold_share": 0.0} | settings
    made = start_project(home / "project", values, home / "classes.csv", items).project
    database = made.database()
    tokens = {name: database.write(access.invite, name, "annotator", 0.0) for name in ("Ada", "Ben", "Cleo")}
    tokens["Boss"] = database.write(access.invite, "Boss", "admin", 0.0)
    database.close()
    return tokens, truth


def answer_many(place: str, tokens: dict[str, str], truth: dict[bytes, str], count: int, seed: int) -> None:
    """The annotators answer so many questions in turn; one answer in 25 is wrong, one in 50 is "can't tell"."""
    rng = np.random.default_rng(seed)
    with ExitStack() as stack:
        people = [stack.enter_context(httpx.Client(base_url=place, headers={"X-Oneof": "1"})) for _ in range(3)]
        for person, name in zip(people, ("Ada", "Ben", "Cleo"), strict=True):
            person.get(f"/join/{tokens[name]}")
        for number in range(count):
            person = people[number % len(people)]
            question = person.post("/api/claim", json={}).raise_for_status().json()
            kind = truth[person.get(question["content_url"]).content]
            yes = (kind in [label["name"] for label in question["labels"]]) ^ (rng.random() < 0.04)
            said = "skip" if rng.random() < 0.02 else "yes" if yes else "no"
            body = {
                "id": str(uuid.uuid4()),
                "task": question["task"],
                "answer": said,
                "seconds": 1.5 + rng.exponential(),
            }
            person.post("/api/answers", json=body).raise_for_status()


def train(page: Page, place: str) -> None:
    """Press "Train now", and wait until it is done."""
    page.goto(f"{place}/admin/model")
    page.get_by_role("button", name="Train now", exact=True).click()
    page.wait_for_load_state()
    page.wait_for_selector("[data-working]", state="detached", timeout=300_000)


def answer(page: Page, keys: str) -> None:
    """Press one key after the other, each for the next question."""
    for key in keys:
        page.wait_for_selector("body[data-state='item'], dialog[open]")
        before = page.evaluate("document.body.dataset.task")
        page.wait_for_timeout(700)  # as long as a person takes at least
        page.keyboard.press(key)
        if page.locator("#guess-dialog[open]").count():
            page.keyboard.press("c")
        page.wait_for_function("before => document.body.dataset.task !== before", arg=before)
    page.wait_for_selector("#save-state[data-save='saved'][data-waiting='0']")
    page.wait_for_selector("body[data-state='item']")


def take_dashboard(browser: Browser, home: Path) -> None:
    """The overview and the model of a project that was trained twice."""
    tokens, truth = project(home, 400, gold_share=0.05)
    with serving(home / "project", home) as (place, _):
        boss = browser.new_page(viewport={"width": 1366, "height": 1000}, locale="en")
        boss.goto(f"{place}/join/{tokens['Boss']}")
        for round_ in range(2):
            answer_many(place, tokens, truth, 190, round_)
            train(boss, place)
        for name in ("overview", "model"):
            boss.goto(f"{place}/admin" + ("/model" if name == "model" else ""))
            boss.wait_for_load_state("networkidle")
            boss.screenshot(path=SCREENSHOTS / f"dashboard-{name}.png", full_page=name == "overview")


def main() -> None:
    """Take the pictures."""
    with TemporaryDirectory() as folder, sync_playwright() as driver:
        home = Path(folder)
        tokens, _ = project(home / "page")
        home, dashboard = home / "page", home / "dashboard"
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        with serving(home / "project", home) as (place, _):
            ada = browser.new_page(viewport={"width": 1280, "height": 800}, locale="en")
            ada.goto(f"{place}/join/{tokens['Ada']}")
            answer(ada, "nynnynncn")
            ada.screenshot(path=SCREENSHOTS / "annotate-desktop.png")
            phone: dict[str, Any] = {
                "is_mobile": True,
                "has_touch": True,
                "device_scale_factor": 2,
                "color_scheme": "dark",
            }
            ada = browser.new_page(viewport={"width": 390, "height": 844}, locale="en", **phone)
            ada.goto(f"{place}/join/{tokens['Ada']}")
            answer(ada, "nnyn")
            ada.wait_for_timeout(2500)  # until "You said" has gone
            ada.screenshot(path=SCREENSHOTS / "annotate-phone-dark.png")
            boss = browser.new_page(viewport={"width": 1366, "height": 900}, locale="en")
            boss.goto(f"{place}/join/{tokens['Boss']}")
            for name in ("people", "project"):
                boss.goto(f"{place}/admin/{name}")
                boss.wait_for_load_state("networkidle")
                boss.screenshot(path=SCREENSHOTS / f"dashboard-{name}.png")
        take_dashboard(browser, dashboard)
        browser.close()


if __name__ == "__main__":
    main()
