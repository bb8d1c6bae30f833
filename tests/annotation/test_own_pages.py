"""The annotator's own pages in a real browser."""

from typing import Any

from .browser import Open, Serve, chromium, driver, open_page, serve

__all__ = ["chromium", "driver", "open_page", "serve"]

CUT = """() => [...document.querySelectorAll("main *, header *")].filter((node) =>
  node.checkVisibility() && node.getBoundingClientRect().right > innerWidth + 1 && !node.closest(".for-readers")
).map((node) => node.className || node.tagName)"""


def shows(page: Any, goal: str) -> None:
    """The question may change a moment before what is said of the goal."""
    page.wait_for_function("goal => document.querySelector('#goal').textContent === goal", arg=goal)


def test_answers_a_goal_and_classes_at_every_width(serve: Serve, open_page: Open) -> None:
    site = serve(count=12)
    ada = open_page(site)
    ada.ready()
    for key in "ync":
        ada.press(key)
    ada.saved()
    with ada.page.context.expect_page() as opened:
        ada.page.keyboard.press("m")
    own = opened.value
    own.wait_for_selector("#goal-card:not([hidden])")
    assert own.locator(".answers li").count() == 3
    own.fill("#goal-size", "2")
    own.locator("#goal-form button.primary").click()
    assert own.locator("#goal-now").inner_text() == "Goal 0 of 2"
    shows(ada.page, "Goal 0 of 2")  # the page with the questions hears of it at once, and counts
    for key, said in (("y", "Goal 1 of 2"), ("y", "Goal of 2 reached"), ("u", "Goal 1 of 2")):
        ada.press(key)
        shows(ada.page, said)
    own.reload()
    own.locator("#goal-end").click()
    ada.page.wait_for_function("() => document.querySelector('#goal').hidden")
    own.locator("#goal-form button.primary").click()
    with ada.page.context.expect_page() as opened:
        ada.page.keyboard.press("l")
    classes = opened.value
    classes.wait_for_selector(".glossary")
    assert classes.locator(".glossary li").count() == 5
    for width in (320, 360, 768, 1366, 1920):
        for page in (own, classes, ada.page):
            page.set_viewport_size({"width": width, "height": 800})
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                assert page.evaluate("document.documentElement.scrollWidth") <= width, (width, scheme, page.url)
                assert page.evaluate(CUT) == [], (width, scheme, page.url)
