"""The page in a real browser when things go wrong: no network, a crash, two tabs, two people, private mode."""

import math
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from .browser import (
    OPTIONS,
    Open,
    Person,
    Serve,
    Served,
    chromium,
    driver,
    open_page,
    playwright,
    serve,
    wait_until,
    watch,
)

__all__ = ["chromium", "driver", "open_page", "serve"]


def test_g2_offline_and_back(serve: Serve, open_page: Open) -> None:
    site = serve()
    ada = open_page(site)
    seen = [ada.ready()]
    ada.saved()
    ada.page.wait_for_load_state("networkidle")
    ada.page.context.set_offline(True)
    for key in "yny":
        seen.append(ada.press(key))
    ada.page.wait_for_selector("#save-state[data-save='offline'][data-waiting='3']")
    assert ada.page.locator("#save-text").inner_text() == "Offline, 3 kept here"
    assert ada.page.locator("#image-frame img").is_visible(), "what was fetched ahead can be answered"
    ada.keep("offline")
    assert ada.press("u") == seen[2], "undo works without a network"
    assert ada.press("n") == seen[3]
    ada.press("y")
    ada.ready("offline")
    assert "No connection" in ada.page.locator("#message").inner_text()
    assert site.current() == {}
    ada.page.context.set_offline(False)
    ada.ready()
    ada.saved()
    assert site.current() == dict(zip(seen, ["yes", "no", "no", "yes"], strict=True))
    assert len(site.events("answer")) == 5


def test_g2_a_server_that_is_down_is_tried_again(serve: Serve, open_page: Open) -> None:
    site = serve()
    ada = open_page(site)
    first = ada.ready()
    ada.saved()
    site.stop()
    ada.press("y")
    ada.page.wait_for_selector("#save-state[data-save='offline']")
    site.start()
    ada.saved()
    assert site.current() == {first: "yes"}


@pytest.mark.parametrize("how", ["closed", "killed"])
def test_g2_an_answer_given_offline_survives_a_browser_restart(
    serve: Serve, driver: Any, tmp_path: Path, how: str
) -> None:
    site = serve()
    profile = tmp_path / "profile"
    ada, context = start_browser(driver, profile, site, site.link())
    seen = [ada.ready()]
    ada.saved()
    ada.page.wait_for_load_state("networkidle")
    site.stop()  # a closing browser drops the pretence of being offline; a server that is away stays away
    seen += [ada.press(key) for key in "yn"]
    ada.page.wait_for_selector("#save-state[data-save='offline'][data-waiting='2']")
    if how == "killed":
        kill_browser(profile)
    with suppress(playwright.Error):
        context.close()
    assert site.current() == {}

    site.start()
    # A killed browser may forget the cookie of the last seconds: the personal link signs in again.
    ada, context = start_browser(driver, profile, site, site.link())
    ada.ready()
    ada.saved()
    assert ada.task == seen[2], "and the page goes on where it was"
    assert site.current() == {seen[0]: "yes", seen[1]: "no"}
    assert len(site.events("answer")) == 2
    context.close()


def start_browser(driver: Any, profile: Path, site: Served, url: str) -> tuple[Person, Any]:
    context = driver.chromium.launch_persistent_context(profile, **OPTIONS)
    person = watch(context.pages[0], site)
    person.page.goto(url)
    return person, context


def kill_browser(profile: Path) -> None:
    """kill -9 of the browser of this profile: no chance to write anything."""
    killed = 0
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if any(str(profile) in part for part in process.cmdline()):
                process.kill()
                killed += 1
    assert killed


def test_g3_a_lost_reply_does_not_store_twice(serve: Serve, open_page: Open) -> None:
    site = serve()
    ada = open_page(site)
    first = ada.ready()
    ada.saved()
    lost: list[int] = []

    def lose_two(route: Any) -> None:
        if len(lost) < 2:
            lost.append(route.fetch().status)  # the server stores it, the page never hears
            route.abort()
        else:
            route.continue_()

    ada.page.route("**/api/answers", lose_two)
    ada.press("y")
    ada.page.wait_for_selector("#save-state[data-save='offline']")
    ada.saved()
    assert lost == [201, 200]
    assert site.current() == {first: "yes"}
    assert len(site.events("answer")) == 1


def test_g7_a_busy_server_is_tried_again(serve: Serve, open_page: Open) -> None:
    site = serve()
    ada = open_page(site)
    first = ada.ready()
    ada.saved()
    refused: list[str] = []

    def busy(route: Any) -> None:
        refused.append(route.request.url)
        if len(refused) == 1:
            route.fulfill(status=503, headers={"Retry-After": "1"}, json={"detail": "busy"})
        else:
            route.continue_()

    ada.page.route("**/api/answers", busy)
    ada.press("n")
    wait_until(lambda: ada.page.wait_for_timeout(50) or site.current())
    assert site.current() == {first: "no"}


def test_item_12_two_tabs_never_show_the_same_question(serve: Serve, open_page: Open) -> None:
    site = serve(count=16)
    one = open_page(site)
    one.ready()
    two = open_page(site, context=one.page.context, path="/")
    two.ready()
    seen: list[int] = []
    for _ in range(5):
        assert one.task != two.task
        for tab in (one, two):
            seen.append(tab.ready())
            tab.press("y")
    one.saved()
    two.saved()
    assert len(set(seen)) == 10
    wait_until(lambda: len(site.current()) == 10)
    assert len(site.events("answer")) == 10
    last = two.task
    assert two.press("u") == seen[-1], "undo takes back what this tab did"
    assert one.task not in (seen[-1], last)
    for tab in (one, two):
        tab.page.reload()
        tab.ready()
    assert one.task != two.task


def test_item_12_both_tabs_work_to_the_end(serve: Serve, open_page: Open) -> None:
    site = serve(count=9)
    one = open_page(site)
    one.ready()
    two = open_page(site, context=one.page.context, path="/")
    two.ready()  # tabs that are just opening may for a moment show the same question; its second answer is refused
    for _ in range(40):
        for tab in (one, two):
            if tab.task:
                tab.page.keyboard.press("n")
                tab.page.wait_for_timeout(30)
        if len(site.current()) == 9:
            break
    one.ready("done")
    two.ready("done")
    assert len(site.events("answer")) == 9
    assert one.page.locator("#banner").is_hidden()


def test_item_13_a_revoked_or_changed_session_keeps_answers(serve: Serve, open_page: Open) -> None:
    site = serve()
    ada = open_page(site)
    first = ada.ready()
    ada.saved()
    bob = open_page(site, "Bob", context=ada.page.context)
    bob.ready()
    ada.press("y")
    ada.page.wait_for_selector("#save-state[data-save='signed-out'][data-waiting='1']")
    assert "no longer signed in" in ada.page.locator("#banner").inner_text()
    bob.press("n")
    bob.saved()
    assert first not in site.current(), "Ada's answer was not sent as Bob's"
    again = open_page(site, context=ada.page.context)
    again.ready()
    again.saved()
    wait_until(lambda: site.current().get(first) == "yes")
    ada.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # coming back to the old tab
    ada.saved()
    assert ada.page.locator("#banner").is_hidden()


def test_item_13_a_bad_link_is_a_friendly_page(serve: Serve, open_page: Open) -> None:
    stranger = open_page(serve(), path="/join/nothing")
    assert stranger.page.locator("h1").is_visible()
    assert "link" in stranger.page.locator("main").inner_text()
    stranger.keep("bad-link")


def test_item_14_predictions_are_hidden_unless_the_project_says_so(serve: Serve, open_page: Open) -> None:
    def add_guess(route: Any) -> None:
        reply = route.fetch()
        data = reply.json() if reply.status == 200 else {"tasks": []}
        for task in data["tasks"]:
            task["prediction"] = "square"
        route.fulfill(response=reply, json=data)

    for shown in (False, True):
        site = serve(show_predictions=shown)
        ada = open_page(site, path="/join/nothing")
        ada.page.route("**/api/claim", add_guess)
        ada.page.goto(site.link())
        ada.ready()
        assert ada.page.locator("#prediction").is_visible() == shown


def test_item_23_the_browser_randomises_and_says_so(serve: Serve, open_page: Open) -> None:
    site = serve(texts=[f"Text number {number}" for number in range(40)], epsilon=0.1)
    ada = open_page(site)
    ada.ready()
    assert "Private mode" in ada.page.locator("#private-notice").inner_text()
    ada.page.locator("#private-notice summary").click()
    assert "47.5" in ada.page.locator("#private-notice").inner_text()
    ada.keep("private-mode")
    sent: list[dict[str, Any]] = []
    ada.page.on("request", lambda request: sent.append(request.post_data_json) if "answers" in request.url else None)
    for number in range(30):
        ada.ready()
        ada.press("c" if number % 10 == 9 else "y")
    ada.saved()
    assert all(body["private"] for body in sent)
    answers = [event.answer for event in site.events("answer")]
    assert answers.count("skip") == 3, "can't tell is sent as it is"
    assert 0 < answers.count("no") < 27, "none or all are flipped once in ten million times"
    assert {round(event.flip, 6) for event in site.events("answer")} == {0.0, round(1 / (1 + math.exp(0.1)), 6)}


def test_item_23_answering_again_does_not_wear_the_noise_away(serve: Serve, open_page: Open) -> None:
    site = serve(texts=[f"Text number {number}" for number in range(8)], epsilon=0.1)
    ada = open_page(site)
    for number in range(4):
        ada.ready()
        for _ in range(4):
            ada.press("y")
            ada.press("u")
        if number % 2:
            ada.saved()
            ada.page.reload()
            ada.ready()
        ada.press("y")
    ada.saved()
    sent: dict[int, set[str]] = {}
    for event in site.events("answer"):
        sent.setdefault(event.task_id, set()).add(event.answer)
    assert len(sent) == 4
    # Drawn anew each time, four questions would agree with themselves five times in one of 60,000 runs.
    assert all(len(values) == 1 for values in sent.values()), "one draw a question"


def test_the_coin_is_fair(serve: Serve, open_page: Open) -> None:
    ada = open_page(serve())
    ada.ready()
    toss = """async (p) => {
      const { coin } = await import("/static/privacy.js");
      let heads = 0;
      for (let i = 0; i < 100000; i++) heads += coin(p);
      return heads;
    }"""
    for p in (0.0, 0.1, 0.5, 1.0):
        heads = ada.page.evaluate(toss, p)
        assert abs(heads - 100000 * p) <= 5 * math.sqrt(100000 * p * (1 - p))


def test_no_request_leaves_the_server_and_nothing_breaks_the_policy(serve: Serve, open_page: Open) -> None:
    site = serve()
    ada = open_page(site)
    ada.ready()
    for key in ("?", "Escape", "g", "Escape", "w", "Escape", "z", "y", "u", "r"):
        ada.page.keyboard.press(key)
    ada.saved()
    assert ada.requests
    assert all(url.startswith(site.url) for url in ada.requests)
    assert ada.troubles == []
    assert ada.page.locator("[onclick], style, script:not([src]):not([type='application/json'])").count() == 0
