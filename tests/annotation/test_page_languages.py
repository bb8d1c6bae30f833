"""The annotators' pages in other languages, in a real browser: every text, every number, and from right to left."""

from typing import Any

import pytest

from oneof.annotation.web.translating import Language, english, languages

from .browser import Open, Person, Serve, chromium, driver, open_page, serve

__all__ = ["chromium", "driver", "open_page", "serve"]

PSEUDO = "en-XA"  # the code that others use for English in brackets
# Letters that are neither in brackets, nor of the project, nor keys, numbers or times.
UNWRAPPED = """() => {
  const found = [], own = "[dir=auto], kbd, data, time, script, noscript, style, select, .prose, #announce";
  const letters = /\\p{L}/u;
  let depth = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, outside = [];
    for (const letter of node.data) {
      if (letter === "⟦") depth += 1;
      else if (letter === "⟧") depth -= 1;
      else if (depth === 0) outside.push(letter);
    }
    if (letters.test(outside.join("")) && !node.parentElement.closest(own)) found.push(node.data.trim());
  }
  for (const node of document.querySelectorAll("body *")) {
    for (const name of ["aria-label", "title", "alt", "placeholder"]) {
      const said = node.getAttribute(name);
      if (!said || !letters.test(said) || node.closest("[dir=auto], time")) continue;
      if (!/^⟦.*⟧$/.test(said)) found.push(`${name}: ${said}`);
    }
  }
  return found;
}"""

TEXT_END = """(node) => {
  const text = document.createRange();
  text.selectNodeContents(node);
  return text.getBoundingClientRect().right;
}"""


@pytest.fixture
def brackets(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrap(text: str) -> str:
        return f"⟦{text}⟧" if text else text

    texts = {
        key: wrap(text) if isinstance(text, str) else {form: wrap(one) for form, one in text.items()}
        for key, text in english().texts.items()
    }
    monkeypatch.setitem(languages(), PSEUDO, Language(PSEUDO, texts | {"direction": "ltr"}))


def speak(person: Person, code: str) -> None:
    person.page.context.add_cookies([{"name": "oneof_language", "value": code, "url": person.site.url}])


def wrapped(person: Person, where: str) -> None:
    assert person.page.evaluate(UNWRAPPED) == [], where


def test_no_text_of_the_pages_stands_outside_the_files(brackets: None, serve: Serve, open_page: Open) -> None:
    site = serve(count=4, epsilon=1.0)
    ada = open_page(site)
    speak(ada, PSEUDO)
    ada.page.reload()
    ada.ready()
    page = ada.page
    wrapped(ada, "a question, with all windows")
    ada.press("y")
    ada.press("c")
    ada.press("u")
    wrapped(ada, "undone")
    page.keyboard.press("?")
    page.locator(".change-key[data-action=no]").click()
    page.keyboard.press("y")
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    page.fill("#flag-text", "odd")
    page.locator("#flag-form button.primary").click()
    wrapped(ada, "a key that is taken, and a flag")
    for path in ("/me", "/classes", "/join/wrong", "/nowhere", "/admin"):
        page.goto(site.url + path)
        wrapped(ada, path)
    page.goto(site.url)
    ada.ready()
    page.route("**/items/*", lambda route: route.abort())
    site.pause(True)
    page.reload()
    ada.ready("broken")
    wrapped(ada, "a broken picture")
    ada.press("c")
    ada.ready("paused")
    wrapped(ada, "paused")
    page.context.clear_cookies(name=site_cookie(page))
    page.goto(f"{site.url}/?again=1")
    wrapped(ada, "not signed in")


def site_cookie(page: Any) -> str:
    cookies = page.context.cookies()
    return next(one["name"] for one in cookies if one["name"].endswith("_annotator"))


def test_plural_forms_are_those_of_the_browser(chromium: Any) -> None:
    page = chromium.new_page()
    numbers = [*range(0, 220), 1000, 1003, 1011, 10_000]
    for code in languages():
        forms = page.evaluate(
            "([code, numbers]) => numbers.map((n) => new Intl.PluralRules(code).select(n))", [code, numbers]
        )
        named = {form: form for form in ("zero", "one", "two", "few", "many", "other")}
        assert [Language(code, {"x": named}).pattern("x", n) for n in numbers] == forms, code
    page.close()


def test_arabic_is_chosen_on_the_page_and_stands_from_right_to_left(serve: Serve, open_page: Open) -> None:
    site = serve(count=6, name="Shapes and forms")
    ada = open_page(site, locale="de-DE", viewport={"width": 1366, "height": 650})
    ada.ready()
    page = ada.page
    assert page.locator("#yes span").first.inner_text() == "Ja"
    assert page.locator("#question").inner_text() == "Ist es eines davon?"
    with page.expect_navigation():
        page.select_option("#language", "ar")
    ada.ready()
    assert page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == ["ar", "rtl"]
    first = ada.press("y")
    ada.saved()
    assert page.locator("#last").inner_text() == "إجابتك: «نعم»."
    assert page.locator("#mine-answered").inner_text().startswith("إجابة واحدة")
    # What the project wrote keeps its own direction, and stands where a reader of this page begins.
    name = page.locator("#labels b").first
    assert name.evaluate("node => getComputedStyle(node).direction") == "ltr"
    for width in (320, 360, 768, 1366, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width, width
        boxes = {one: page.locator(f"#{one}").bounding_box() for one in ("yes", "no", "question")}
        assert boxes["yes"]["x"] > boxes["no"]["x"], "mirrored"
        row = page.locator("#labels li").first.bounding_box()
        assert row["x"] + row["width"] - name.evaluate(TEXT_END) < 120, "names begin at the right"
    page.keyboard.press("ArrowLeft")
    page.set_viewport_size({"width": 390, "height": 844})
    ada.keep("arabic")
    for path, said in (("/me", "إجاباتي"), ("/classes", "الفئات")):
        page.goto(site.url + path)
        assert page.locator("h1").inner_text() == said
        for width in (320, 768, 1366):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, width)
    assert first in site.held()
