"""Every page of a project at four widths, light and dark, in Chromium; and what does not fit.

    python -m benchmarks.annotation.looks FOLDER [--languages en,ar] [--widths 360,1366] [--schemes dark]

The content is hard to lay out: portraits, panoramas, tall strips, long names of classes, 8 and 20 labels, long texts,
Arabic. Screenshots of all pages go to FOLDER. A page that is wider than its window, text that is cut off without an
ellipsis and a title, and a picture that is not shown whole are printed, and the exit code is 1 then.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PIL import Image, ImageDraw
from playwright.sync_api import sync_playwright

from benchmarks.annotation.crowd import CHROMIUM, serving
from oneof.annotation.asking import access
from oneof.annotation.learning.training import train_project
from oneof.annotation.project.folder import Project
from oneof.annotation.project.starting import start_project

HEIGHTS = {360: 640, 768: 1024, 1366: 650, 1920: 950}
SHAPES = [(600, 900), (2400, 300), (90, 1600), (500, 500), (900, 600), (32, 32)]
DEFINITION = "a definition that is too long to stand beside its name on a phone, and is folded until it is opened"
NAMES = ["robin", "Great spotted woodpecker (Dendrocopos major), adult male", "غراب", "喜鹊", "owl", "kingfisher"]
OWN = ("", "me", "classes", "nowhere")
DASHBOARD = ("", "/items", "/review", "/people", "/model", "/project", "/project/programs")
MISFITS = """() => {
  const LET_BE = ".for-readers, .skip-link, svg, select, option, .scroll, .text-face";
  const found = [], wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) found.push(`the page is ${wide} wide`);
  for (const node of document.querySelectorAll("body *")) {
    if (!node.checkVisibility() || node.closest(LET_BE)) continue;
    const style = getComputedStyle(node), box = node.getBoundingClientRect();
    const name = `${node.tagName.toLowerCase()}#${node.id}.${node.className}`;
    if (box.width && (box.right > innerWidth + 1 || box.left < -1)) found.push(`${name} leaves the window`);
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
    const cut = node.scrollWidth > node.clientWidth + 1 && style.overflowX === "hidden" && node.clientWidth;
    const folded = style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
    const told = folded && (node.title || node.closest("button:enabled"));
    if (own && cut && !told) found.push(`${name} cuts off "${node.textContent.trim().slice(0, 40)}"`);
    const tall = node.scrollHeight > node.clientHeight + 2 && style.overflowY === "hidden" && node.clientHeight;
    const opens = node.title || node.closest("button:enabled");
    if (own && tall && !opens) found.push(`${name} hides lines of "${node.textContent.trim().slice(0, 40)}"`);
    const loose = style.overflowX === "visible" && style.display !== "inline";
    const squeezed = loose && node.scrollWidth > node.clientWidth + 2;
    const bar = node.matches(".top > *");
    const words = node.textContent.trim().slice(0, 40);
    if ((own || bar) && squeezed && node.clientWidth) found.push(`${name} spills "${words}"`);
    const next = bar && node.nextElementSibling?.getBoundingClientRect();
    const level = next && next.top < box.bottom && box.top < next.bottom;
    const over = level && next.width && next.left < box.right && box.left < next.right;
    if (over) found.push(`${name} lies over what follows`);
  }
  const rows = [...document.querySelectorAll("#labels li")].filter((row) => row.checkVisibility());
  if (rows.length) {
    const box = (id) => document.querySelector(id).getBoundingClientRect();
    const told = document.querySelector("#more-labels"), counted = told.checkVisibility();
    const end = Math.min(box("#labels").bottom, box(".ask-text").bottom, box(".answers").top);
    const below = rows.filter((row) => row.getBoundingClientRect().bottom > end + 1).length;
    const says = counted ? Number(told.textContent.replace(/[^0-9]/g, "")) : 0;
    if (below !== says) found.push(`${below} labels are out of sight, and it says ${says}`);
    if (counted && box("#more-labels").bottom > box(".answers").top + 1) found.push("the number of labels is hidden");
  }
  const picture = document.querySelector("#image-frame img"), frame = document.querySelector("#image-frame");
  if (picture?.checkVisibility()) {
    const [inner, outer] = [picture.getBoundingClientRect(), frame.getBoundingClientRect()];
    const whole = inner.left >= outer.left - 1 && inner.right <= outer.right + 1 && inner.top >= outer.top - 1;
    if (!whole || inner.bottom > outer.bottom + 1) found.push("the picture is not whole");
  }
  return found;
}"""


def pictures(folder: Path) -> Path:
    """Pictures of every shape, with a frame that shows whether they are whole."""
    folder.mkdir()
    for number, (width, height) in enumerate(SHAPES * 4):
        picture = Image.new("RGB", (width, height), (90 + 5 * number, 140, 200 - 4 * number))
        pen = ImageDraw.Draw(picture)
        pen.rectangle((0, 0, width - 1, height - 1), outline="black", width=max(1, min(width, height) // 30))
        pen.line((0, 0, width, height), fill="white", width=2)
        picture.save(folder / f"{number:02} a file whose name is rather long, as cameras and people write them.png")
    return folder


def texts(path: Path) -> Path:
    """Short and long texts, written from the left and from the right."""
    long = "One sentence after the other, and no end in sight. " * 60
    shown = ["Short.", long, "وصل الطرد متأخرا يومين. " * 12, "x" * 400, "这是一段很长的文字。" * 40]
    rows = [f'{number},"{shown[number % 5]} ({number})"\n' for number in range(60)]
    path.write_text("id,text\n" + "".join(rows), encoding="utf-8")
    return path


def classes(path: Path, count: int) -> Path:
    """Classes with names and definitions of every length."""
    names = [NAMES[n] if n < len(NAMES) else f"class {n} of a long list" for n in range(count)]
    path.write_text("name,definition\n" + "".join(f'"{name}","{name}: {DEFINITION}"\n' for name in names))
    return path


def answers(project: Project, count: int) -> dict[str, str]:
    """Give `count` answers, train a model, and invite; returns the tokens of an annotator and of a manager."""
    from oneof.annotation.asking import claims, recording

    database, rng = project.database(), np.random.default_rng(0)
    database.write(lambda connection: access.invite(connection, "Ada of the very long family name", "annotator", 0.0))
    with database.read() as connection:
        ada = access.find(connection, "Ada of the very long family name")
    for number in range(count):

        def give(connection: Any, number: int = number) -> None:
            got = claims.claim(connection, project, ada, time.time() - count + number)
            answer = ["yes", "no", "no", "skip"][rng.integers(4)]
            given = recording.Given(f"{number:032x}", got.tasks[0], answer, 2.5, None, 1, None)
            recording.record_answer(connection, project, ada, given, time.time() - 60 * (count - number))
            if number % 9 == 0:
                text = "This is odd, and the remark about it is long enough to need a second line on a phone."
                recording.flag(connection, ada, f"{number + 1000:032x}", got.tasks[0], text, time.time())

        database.write(give)
    if count > 40:
        train_project(database, project, now=time.time(), epochs=2)
    admin = database.write(lambda connection: access.invite(connection, "a manager", "admin", 0.0))
    annotator = database.write(lambda connection: access.invite(connection, "an annotator", "annotator", 0.0))
    database.close()
    return {"annotator": annotator, "admin": admin}


def projects(home: Path) -> dict[str, dict[str, str]]:
    """Make projects: pictures with 8 labels, pictures with 20, texts with a model; returns the tokens of each."""
    found = {}
    for name, items, size in (("eight", "pictures", 8), ("twenty", "pictures", 20), ("texts", "texts", 3)):
        source = pictures(home / f"{name}-items") if items == "pictures" else texts(home / "texts.csv")
        values = {"name": "Birds of the northern hills, second survey", "size": size, "seed": 3, "show_names": True}
        values |= {"epsilon": 1.0} if name == "twenty" else {}
        file = classes(home / f"classes-{name}.csv", size + 4)
        project = start_project(home / "served" / name, values, file, source).project
        found[name] = answers(project, 50 if name == "texts" else 6)
    return found


def pages(links: dict[str, dict[str, str]], language: str) -> Iterator[tuple[str, str, str]]:
    """(name of the screenshot, role, address) of every page."""
    for name in links:
        for path in OWN if name == "eight" else OWN[:1]:
            yield f"{name}-{path or 'question'}", "annotator", f"/{name}/{path}"
    if language == "en":
        for path in DASHBOARD:
            yield f"dashboard{path.replace('/', '-') or '-overview'}", "admin", f"/texts/admin{path}"
        for path in ("/items", "/items/1", "/review"):
            yield f"pictures{path.replace('/', '-')}", "admin", f"/eight/admin{path}"
        yield "projects", "admin", "/"


def main(arguments: list[str] | None = None) -> int:
    """Take the screenshots; returns how many things do not fit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--languages", default="en,ar")
    parser.add_argument("--widths", default=",".join(map(str, HEIGHTS)))
    parser.add_argument("--schemes", default="light,dark")
    chosen = parser.parse_args(arguments)
    chosen.folder.mkdir(parents=True, exist_ok=True)
    misfits = 0
    with TemporaryDirectory() as home:
        links = projects(Path(home))
        with serving(Path(home, "served"), Path(home), first="eight") as (address, _), sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
            for language in chosen.languages.split(","):
                for scheme in chosen.schemes.split(","):
                    context = browser.new_context(locale=language, color_scheme=scheme)
                    page = context.new_page()
                    for name, tokens in links.items():
                        for token in tokens.values():
                            page.goto(f"{address}/{name}/join/{token}")
                    for name, _role, path in pages(links, language):
                        page.goto(address + path)
                        if name.endswith("question"):
                            page.wait_for_selector("body[data-state='item']")
                        for width in map(int, chosen.widths.split(",")):
                            page.set_viewport_size({"width": width, "height": HEIGHTS[width]})
                            page.wait_for_timeout(150)
                            file = f"{name}-{language}-{width}-{scheme}.png"
                            page.screenshot(path=chosen.folder / file, full_page=not name.endswith("question"))
                            for misfit in dict.fromkeys(page.evaluate(MISFITS)):
                                print(f"{file}: {misfit}", flush=True)
                                misfits += 1
                    context.close()
            browser.close()
    return misfits


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
