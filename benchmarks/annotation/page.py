"""From a key press to the next item on screen, in Chromium, with the server on the same machine.

    python -m benchmarks.annotation.page [--presses 100]

The clock starts when the page gets the key press, and stops in the frame after the one that draws the next item. Before
the next press, everything that the page has requested has arrived, as when a person looks at the item for a while.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright

from benchmarks.annotation import keep
from benchmarks.annotation.crowd import CHROMIUM, serving
from oneof.annotation.asking import access
from oneof.annotation.project.starting import start_project

WATCH = """() => {
  window.waits = [];
  addEventListener("keydown", () => {
    const [from, before] = [performance.now(), document.body.dataset.task];
    const look = () => {
      if (document.body.dataset.task === before || document.body.dataset.state !== "item") requestAnimationFrame(look);
      else requestAnimationFrame(() => window.waits.push(performance.now() - from));
    };
    requestAnimationFrame(look);
  }, { capture: true });
}"""


def main(arguments: list[str] | None = None) -> None:
    """Press the key again and again, and add the percentiles to the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--presses", type=int, default=100)
    presses: int = parser.parse_args(arguments).presses
    with tempfile.TemporaryDirectory() as home:
        pictures = Path(home, "pictures")
        pictures.mkdir()
        rng = np.random.default_rng(0)
        for number in range(presses + 20):
            noise = rng.integers(0, 256, (48, 64, 3), dtype=np.uint8)
            Image.fromarray(noise).resize((1280, 960)).save(pictures / f"{number}.jpg")
        Path(home, "classes.txt").write_text("\n".join(f"class {number}" for number in range(10)))
        settings = {"name": "speed", "size": 3, "seed": 0}
        project = start_project(Path(home, "project"), settings, Path(home, "classes.txt"), pictures).project
        database = project.database()
        token = database.write(lambda connection: access.invite(connection, "ann", "annotator", 0.0))
        database.close()
        with serving(project.folder, Path(home)) as (address, _), sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
            page = browser.new_page(viewport={"width": 1366, "height": 768})
            page.goto(f"{address}/join/{token}")
            page.wait_for_selector("body[data-state='item']")
            page.evaluate(WATCH)
            for count in range(1, presses + 1):
                page.keyboard.press("y")
                page.wait_for_function("count => window.waits.length === count", arg=count)
                page.wait_for_selector("#save-state[data-save='saved'][data-waiting='0']")
                page.wait_for_load_state("networkidle")
            waits = page.evaluate("window.waits")
            browser.close()
    p50, p95 = (round(float(np.percentile(waits, share)), 1) for share in (50, 95))
    keep([{"benchmark": "page", "database": "SQLite", "annotators": 1, "key_p50_ms": p50, "key_p95_ms": p95}])


if __name__ == "__main__":
    main(sys.argv[1:])
