"""A judging round in the browser: asked for on the dashboard, answered among the others, with guesses after skips."""

from typing import Any

from sqlalchemy import func, insert, select

from oneof.annotation.store.schema import events, items, models, predictions, tasks
from oneof.annotation.web.dashboard.overview import figures

from .browser import Open, Serve, Served, chromium, driver, open_page, serve

__all__ = ["chromium", "driver", "open_page", "serve"]


def train(site: Served) -> None:
    """A model, as far as a judging round needs one: it has learned from no item, and says the first class of each."""

    def work(connection: Any) -> None:
        last = connection.execute(select(func.max(events.c.id))).scalar() or 0
        row = {"trained_at": 1.0, "last_event": last, "answers": 0, "held_out": 0, "last_item": 10**6}
        model = connection.execute(insert(models).values(row).returning(models.c.id)).scalar_one()
        for item in connection.scalars(select(items.c.id)).all():
            said = {"model_id": model, "item_id": item, "label": 0, "held_out": False}
            connection.execute(insert(predictions).values(said))

    site.in_database(work)


def test_a_judging_round_from_the_button_to_the_interval(serve: Serve, open_page: Open) -> None:
    site = serve(count=16)
    train(site)
    manager = open_page(site, path=site.link("Boss", "admin").removeprefix(site.url)).page
    manager.goto(f"{site.url}/admin/model")
    manager.locator("#judge-questions").fill("99")
    assert not manager.locator("#judge-questions").evaluate("field => field.checkValidity()"), (
        "more than there are items"
    )
    manager.locator("#judge-questions").fill("12")
    manager.get_by_role("button", name="Judge now").click()
    assert manager.get_by_text("nobody can tell them apart").first.is_visible()
    assert manager.locator("#round").inner_text() == "0 of 12 judging questions are answered."

    judging = {
        row.id
        for row in site.in_database(lambda c: c.execute(select(tasks).where(tasks.c.design == "prediction")).all())
    }
    ada = open_page(site)
    task, guesses = ada.ready(), []
    while len(guesses) < 3:
        if task not in judging:
            task = ada.press("y")
            continue
        ada.page.keyboard.press("c")
        assert ada.page.locator("#guess-dialog").is_visible()
        assert ada.task == task, "nothing is answered before the guess"
        if not guesses:
            ada.page.keyboard.press("Escape")
            assert ada.page.locator("#guess-dialog").is_hidden()
            assert site.current().get(task) is None, "closing the window answers nothing"
            ada.page.keyboard.press("c")
            ada.keep("guess")
        guesses.append({0: "y", 1: "n", 2: "c"}[len(guesses)])
        ada.page.keyboard.press(guesses[-1])
        ada.page.wait_for_function("before => Number(document.body.dataset.task || 0) !== before", arg=task)
        task = ada.task
    ada.saved()
    stored = [(event.answer, event.guess) for event in site.events("answer") if event.task_id in judging]
    assert stored == [("skip", "yes"), ("skip", "no"), ("skip", None)]
    assert ada.page.locator("#mine-skipped b").inner_text() == "3"
    item_or_done = "body[data-state='item'], body[data-state='done']"  # between them the page may wait for questions
    while ada.page.wait_for_selector(item_or_done) and ada.task:
        ada.press("y")
    ada.saved()
    figures.forget()  # else the page shows them as of some seconds ago
    manager.goto(f"{site.url}/admin/model")
    assert manager.locator("#round").inner_text() == "12 of 12 judging questions are answered."
    assert "After 2 of them people guessed" in manager.locator("main").inner_text()
    for width in (360, 768, 1366):
        manager.set_viewport_size({"width": width, "height": 740})
        assert manager.evaluate("document.documentElement.scrollWidth") <= width, "nothing is wider than the window"


def test_in_private_mode_the_guess_is_flipped_as_an_answer_is(serve: Serve, open_page: Open) -> None:
    site = serve(count=8, epsilon=40.0)
    train(site)
    manager = open_page(site, path=site.link("Boss", "admin").removeprefix(site.url)).page
    manager.goto(f"{site.url}/admin/model")
    manager.locator("#judge-questions").fill("8")
    manager.get_by_role("button", name="Judge now").click()
    ada = open_page(site)
    ada.ready()
    while not ada.page.locator("#guess-dialog[open]").count():
        ada.page.keyboard.press("c")
    ada.page.keyboard.press("n")
    ada.saved()
    guessed = [event for event in site.events("answer") if event.guess is not None]
    assert [(event.answer, event.guess, event.flip > 0) for event in guessed] == [("skip", "no", True)]
