"""The page in a real browser: what an annotator sees and does. Names follow the checklist of the annotation page."""

from typing import Any

import pytest

from .browser import Open, Person, Serve, chromium, driver, open_page, serve, wait_until

__all__ = ["chromium", "driver", "open_page", "serve"]


def box(person: Person, selector: str) -> dict[str, float]:
    return dict(person.page.locator(selector).bounding_box())


def test_item_01_one_keypress_answers_saves_and_shows_the_next(serve: Serve, open_page: Open) -> None:
    site = serve()
    ada = open_page(site)
    first = ada.ready()
    second = ada.press("y")
    third = ada.press("n")
    fourth = ada.press("c")
    assert len({first, second, third, fourth}) == 4
    for key in "123":
        ada.press(key)
    ada.saved()
    answers = [(event.task_id, event.answer) for event in site.events("answer")]
    assert answers[:3] == [(first, "yes"), (second, "no"), (third, "skip")]
    assert [answer for _, answer in answers[3:]] == ["yes", "no", "skip"]
    assert all(event.seconds >= 0 for event in site.events("answer"))


def test_item_01_keys_are_printed_listed_and_ignored_while_typing(serve: Serve, open_page: Open) -> None:
    site = serve()
    ada = open_page(site)
    before = ada.ready()
    page = ada.page
    for button, keys in (
        ("yes", ["Y", "1"]),
        ("no", ["N", "2"]),
        ("skip", ["C", "3"]),
        ("undo", ["U"]),
        ("flag", ["F"]),
    ):
        assert page.locator(f"#{button} kbd").all_inner_texts() == keys
    page.keyboard.press("?")
    assert page.locator("#keys").is_visible()
    listed = page.locator("#key-list").inner_text()
    assert all(word in listed for word in ("Yes", "No", "Can't tell", "Undo", "Redo", "Flag", "Guidelines", "Zoom"))
    page.keyboard.press("y")
    page.keyboard.press("Escape")
    assert page.locator("#keys").is_hidden()
    page.keyboard.press("f")
    page.keyboard.type("yes, no and 1 2 3 u r g ?")
    assert page.locator("#flag-text").input_value() == "yes, no and 1 2 3 u r g ?"
    page.keyboard.press("Escape")
    page.keyboard.press("Control+n")
    # A key that is held down answers once.
    page.evaluate("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'y', code: 'KeyY', repeat: true}))")
    assert ada.task == before
    # On a Greek keyboard the key in the place of Y sends another letter.
    page.evaluate("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'υ', code: 'KeyY'}))")
    assert ada.task != before
    ada.saved()
    assert len(site.events("answer")) == 1
    page.keyboard.press("?")
    page.locator("#keys-on").uncheck()
    page.keyboard.press("Escape")
    now = ada.task
    page.keyboard.press("y")
    assert ada.task == now, "single keys can be switched off"


def test_item_02_undo_and_redo_over_several_steps_and_a_reload(serve: Serve, open_page: Open) -> None:
    site = serve()
    ada = open_page(site)
    seen = [ada.ready()]
    for key in "ynyn":
        seen.append(ada.press(key))
    assert [ada.press("u") for _ in range(3)] == [seen[3], seen[2], seen[1]]
    ada.saved()
    assert site.current() == {seen[0]: "yes"}
    assert ada.press("r") == seen[2]
    ada.saved()
    assert site.current() == {seen[0]: "yes", seen[1]: "no"}

    ada.page.reload()
    assert ada.ready() == seen[2], "the undone question is on screen again"
    ada.page.wait_for_selector("#redo[aria-disabled=false]")
    assert ada.press("r") == seen[3], "redo goes on after the reload"
    assert ada.press("r") == seen[4]
    ada.saved()
    assert site.current() == dict(zip(seen[:4], ["yes", "no", "yes", "no"], strict=True))
    ada.page.reload()
    ada.ready()
    ada.page.wait_for_selector("#undo[aria-disabled=false]")
    for _ in range(4):  # faster than the server replies
        ada.page.keyboard.press("u")
    ada.page.wait_for_selector(f"body[data-task='{seen[0]}']")
    wait_until(lambda: site.current() == {})
    assert len(site.events("answer")) == 4, "nothing is deleted"

    # Fix the first, redo the rest: a new answer clears only what it replaces.
    ada.page.wait_for_selector("#undo[aria-disabled=true]")
    assert ada.press("c") == seen[1]
    assert [ada.press("r") for _ in range(3)] == seen[2:]
    ada.saved()
    assert site.current() == dict(zip(seen[:4], ["skip", "no", "yes", "no"], strict=True))


def test_item_02_many_undone_questions_come_back_after_a_reload(serve: Serve, open_page: Open) -> None:
    site = serve()
    ada = open_page(site)
    seen = [ada.ready()] + [ada.press("y") for _ in range(7)]
    for _ in range(7):
        ada.press("u")
    ada.saved()
    ada.page.reload()
    assert ada.ready() == seen[0]
    assert [ada.press("n") for _ in range(7)] == seen[1:]


def test_item_03_cannot_tell_has_an_optional_reason(serve: Serve, open_page: Open) -> None:
    site = serve()
    ada = open_page(site)
    ada.ready()
    ada.press("c")
    before = ada.task
    ada.page.keyboard.press("w")
    ada.keep("reason")
    ada.page.keyboard.press("Escape")
    assert ada.task == before, "closing the window answers nothing"
    ada.page.keyboard.press("w")
    ada.press("2")
    ada.page.keyboard.press("w")
    ada.page.locator("#why-text").fill("two things in one picture")
    ada.press("Control+Enter")
    ada.saved()
    stored = [(event.answer, event.comment) for event in site.events("answer")]
    assert stored == [("skip", None), ("skip", "I don't know these labels"), ("skip", "two things in one picture")]
    assert ada.page.locator("#mine-skipped b").inner_text() == "3"
    assert ada.page.locator("#mine-answered b").inner_text() == "0"


def test_item_04_labels_are_all_visible_in_a_stable_order(serve: Serve, open_page: Open) -> None:
    site = serve()
    ada = open_page(site)
    ada.ready()
    order = [one.name for one in site.project.classes]
    places = {name: box(ada, f"#{name}") for name in ("yes", "no", "skip")}
    for _ in range(6):
        assert len(ada.labels) == 3
        for row, name in zip(ada.page.locator("#labels li").all(), ada.labels, strict=True):
            one = site.project.classes[order.index(name)]
            assert one.definition is not None
            assert one.definition in row.inner_text()
            assert row.locator("img").count() == (one.example is not None)
            assert row.is_visible()
        assert {name: box(ada, f"#{name}") for name in places} == places, "the buttons never move"
        ada.press("n")
    # Told apart by word and mark, not by colour alone.
    marks = [ada.page.locator(f"#{name} path").get_attribute("d") for name in ("yes", "no")]
    assert marks[0] != marks[1]
    assert ada.page.locator("#yes").inner_text() != ada.page.locator("#no").inner_text()


def test_item_04_a_label_shows_its_example_larger(serve: Serve, open_page: Open) -> None:
    ada = open_page(serve())
    ada.ready()
    while not ada.page.locator(".thumbnail").count():
        ada.press("n")
    ada.page.locator(".thumbnail").first.click()
    assert ada.page.locator("#example-image").evaluate("image => image.decode().then(() => image.naturalWidth)") == 160
    ada.page.keyboard.press("Escape")


WITNESS = """() => {
  window.decoded = [];
  new MutationObserver(() => {
    const image = document.querySelector("#image-frame img");
    window.decoded.push(image !== null && image.complete && image.naturalWidth > 0);
  }).observe(document.body, {attributes: true, attributeFilter: ["data-task"]});
}"""


def test_item_05_the_next_item_is_in_memory_before_the_key_is_pressed(serve: Serve, open_page: Open) -> None:
    ada = open_page(serve(count=20))
    ada.ready()
    ada.page.evaluate(WITNESS)
    for number in range(8):
        ada.saved()
        ada.page.wait_for_load_state("networkidle")
        before = len(ada.requests)
        ada.press("y" if number % 2 else "n")
        shown = ada.page.locator("#image-frame img").evaluate("image => image.src")
        assert shown in ada.requests[:before], "the picture had been fetched already"
        assert shown not in ada.requests[before:]
    assert ada.page.evaluate("window.decoded") == [True] * 8, "drawn in the same step as the key press"


def test_item_05_unused_claims_are_released(serve: Serve, open_page: Open) -> None:
    site = serve()
    ada = open_page(site)
    on_screen = ada.ready()
    wait_until(lambda: len(site.held()) == 1 + site.project.settings.prefetch)
    ada.page.goto("about:blank")
    wait_until(lambda: site.held() == [on_screen])


def test_item_05_what_ran_out_during_a_break_is_fetched_anew(serve: Serve, open_page: Open) -> None:
    site = serve(claim_seconds=2.0)
    ada = open_page(site)
    ada.ready()
    wait_until(lambda: len(site.held()) == 1 + site.project.settings.prefetch)
    ada.page.wait_for_timeout(2200)
    for _ in range(3):
        ada.press("y")
        ada.saved()
    assert [event.late for event in site.events("answer")] == [True, False, False], "only what was on screen is late"


def test_item_06_progress_and_the_state_of_saving(serve: Serve, open_page: Open) -> None:
    site = serve(count=6, overlap=2)
    ada, bob = open_page(site), open_page(site, "Bob")
    for person in (ada, bob):
        person.ready()
        person.press("y")
        person.saved()
    bob.press("c")
    bob.saved()
    assert [bob.page.locator(f"#mine-{name} b").inner_text() for name in ("answered", "skipped")] == ["1", "1"]
    assert bob.page.locator(".whole span").first.inner_text() == "Project: 2 of 12, 1 can't tell"
    assert bob.page.locator("#project-bar").evaluate("bar => bar.value") == pytest.approx(2 / 12)

    waiting: list[Any] = []
    ada.page.route("**/api/answers", lambda route: waiting.append(route))
    ada.press("n")
    assert ada.page.locator("#save-text").inner_text() == "Saving…"
    assert ada.page.locator("#mine-answered b").inner_text() == "2", "counted at once"
    wait_until(lambda: ada.page.wait_for_timeout(20) or waiting)
    waiting[0].continue_()
    ada.saved()
    assert ada.page.locator("#save-text").inner_text() == "Saved"


def test_item_07_coming_back_resumes_exactly(serve: Serve, open_page: Open) -> None:
    site = serve()
    ada = open_page(site)
    ada.ready()
    ada.press("y")
    task, labels = ada.press("n"), ada.labels
    image = ada.page.locator("#image-frame img").get_attribute("src")
    ada.saved()
    for _ in range(3):
        ada.page.reload()
        assert ada.ready() == task
        assert ada.labels == labels
        assert ada.page.locator("#image-frame img").get_attribute("src") == image
    ada.page.close()
    again = open_page(site, context=ada.page.context, path="/")
    assert again.ready() == task
    assert again.labels == labels
    other_device = open_page(site)
    assert other_device.ready() != 0


def test_item_08_guidelines_and_their_version(serve: Serve, open_page: Open) -> None:
    site = serve()
    site.project.guidelines_file.write_text("# Shapes\n- Count **the** corners\n\n<img src=x onerror=alert(1)>\n")
    site.stop()
    site.start()
    ada = open_page(site)
    ada.ready()
    page = ada.page
    assert page.locator("#guidelines-news").is_visible()
    page.keyboard.press("g")
    assert (
        page.locator("#guidelines-title").inner_text().endswith("version 2")
        or "version" in page.locator("#guidelines-title").inner_text()
    )
    assert page.locator("#guidelines-text h3").inner_text() == "Shapes"
    assert page.locator("#guidelines-text li").inner_text() == "Count the corners"
    assert page.locator("#guidelines-text li strong").inner_text() == "the"
    assert "<img src=x onerror=alert(1)>" in page.locator("#guidelines-text").inner_text()
    ada.keep("guidelines")
    page.keyboard.press("g")
    assert page.locator("#guidelines").is_hidden()
    assert page.locator("#guidelines-news").is_hidden()
    ada.press("y")
    ada.saved()
    version = site.events("answer")[0].guidelines
    site.project.guidelines_file.write_text("Count the corners twice.\n")
    site.stop()
    site.start()
    ada.press("y")
    page.wait_for_selector("#banner:not([hidden])")
    assert "guidelines have changed" in page.locator("#banner-text").inner_text()
    assert site.events("answer")[1].guidelines == version, "the version that was on screen"
    page.locator("#banner-action").click()
    ada.ready()
    ada.press("y")
    ada.saved()
    assert site.events("answer")[2].guidelines == version + 1


def test_item_10_the_end_screen_tells_done_from_held_from_paused(serve: Serve, open_page: Open) -> None:
    site = serve(count=3, prefetch=0)
    ada = open_page(site)
    ada.ready()
    bob = open_page(site, "Bob")
    bob.ready()
    ada.press("y")
    ada.ready()
    ada.press("y")
    ada.ready("held")
    assert "Other people have the last questions" in ada.page.locator("#message").inner_text()
    bob.page.goto("about:blank")  # Bob's question stays his until it runs out or he comes back and answers
    site.pause(True)
    bob.page.goto(site.url + "/")
    bob.ready()
    bob.page.keyboard.press("n")
    bob.ready("paused")
    assert "paused" in bob.page.locator("#message").inner_text()
    bob.keep("paused")
    site.pause(False)
    bob.ready("done")
    ada.ready("done")
    assert "All done" in ada.page.locator("#message").inner_text()
    ada.page.wait_for_function("() => document.querySelector('#project-text').textContent === '3 of 3'")
    assert ada.page.locator("#yes").get_attribute("aria-disabled") == "true"
    ada.keep("all-done")
    ada.press("u")
    ada.ready()
    ada.press("n")
    ada.ready("done")


def test_item_11_an_item_can_be_flagged(serve: Serve, open_page: Open) -> None:
    site = serve()
    ada = open_page(site)
    task = ada.ready()
    ada.page.keyboard.press("f")
    ada.page.keyboard.type("The picture is upside down <b>")
    ada.page.get_by_role("button", name="Send").click()
    assert ada.task == task, "a flag is not an answer"
    wait_until(lambda: len(site.events("flag")) == 1)
    flag = site.events("flag")[0]
    assert (flag.task_id, flag.comment) == (task, "The picture is upside down <b>")
