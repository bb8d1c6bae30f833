"""Every button of the dashboard, clicked in a real browser with the headers that the product sends."""

from typing import Any

from sqlalchemy import select

from oneof.annotation.asking.claims import is_paused
from oneof.annotation.store.schema import people

from .browser import Open, Serve, Served, chromium, driver, open_page, serve

__all__ = ["chromium", "driver", "open_page", "serve"]


def state(site: Served, name: str) -> tuple[bool, bool]:
    """Paused, and without a link."""
    query = select(people.c.paused, people.c.revoked_at).where(people.c.name == name)
    found = site.in_database(lambda connection: connection.execute(query).one())
    return bool(found.paused), found.revoked_at is not None


def click(page: Any, name: str) -> None:
    """Press a button that sends a form."""
    with page.expect_response(lambda reply: reply.request.method == "POST") as caught:
        page.get_by_role("button", name=name, exact=True).click()
    assert caught.value.status < 400, (name, caught.value.status)
    page.wait_for_load_state()


def test_overview_and_people(serve: Serve, open_page: Open) -> None:
    site = serve(count=4)
    site.link("Ada")
    page = open_page(site, path=site.link("Boss", "admin").removeprefix(site.url)).page
    click(page, "Pause the project")
    assert site.in_database(is_paused)
    click(page, "Go on")
    assert not site.in_database(is_paused)
    page.get_by_role("link", name="People", exact=True).first.click()
    click(page, "Pause Ada")
    assert state(site, "Ada") == (True, False)
    click(page, "Go on Ada")
    assert state(site, "Ada") == (False, False)

    def more() -> None:
        page.get_by_label("More for Ada").click()

    more()
    click(page, "Give questions to others Ada")
    more()
    click(page, "Withdraw answers… Ada")
    click(page, "Withdraw")
    more()
    click(page, "End the link… Ada")
    page.get_by_role("link", name="Cancel").click()
    assert state(site, "Ada") == (False, False)
    more()
    click(page, "End the link… Ada")
    click(page, "End the link")
    assert state(site, "Ada") == (False, True)
    more()
    click(page, "New link for Ada")
    assert state(site, "Ada") == (False, False)
    page.get_by_label("Name").fill("Bea")
    click(page, "Make a link")
    assert "/join/" in page.locator("#new-link").inner_text()
    assert page.locator(".qr svg").bounding_box()["width"] == 200
    page.evaluate("void (navigator.clipboard.writeText = async () => { throw new Error('not allowed') })")
    page.get_by_role("button", name="Copy the link").click()
    page.get_by_role("button", name="Selected: copy it with your keyboard").wait_for()
    assert "/join/" in page.evaluate("getSelection().toString()")
    page.evaluate("void (navigator.clipboard.writeText = async (text) => { window.copied = text })")
    page.get_by_role("button", name="Selected: copy it with your keyboard").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("window.copied") == page.locator("#new-link").inner_text()
    assert state(site, "Bea") == (False, False)


def test_items_review_model_and_project(serve: Serve, open_page: Open) -> None:
    site = serve(count=6, overlap=2)
    for name, key in (("Ada", "y"), ("Bob", "n")):
        annotator = open_page(site, name)
        annotator.ready()
        for _ in range(6):
            annotator.page.keyboard.press(key)
            annotator.saved()
        annotator.page.context.close()
    page = open_page(site, path=site.link("Boss", "admin").removeprefix(site.url)).page

    page.goto(f"{site.url}/admin/items")
    page.get_by_label("Show").first.select_option("disagreeing")
    page.wait_for_url("**show=disagreeing*")
    assert page.locator(".tile-item").count() == 6
    page.locator(".tile-item").first.click()
    click(page, "Ask again")
    page.get_by_label("The label is known to be").select_option("disc")
    click(page, "Save")
    assert page.get_by_text("kept as known").is_visible()
    click(page, "Take out…")
    click(page, "Take it out")
    click(page, "Bring back")

    page.goto(f"{site.url}/admin/review")
    for number, answer in enumerate(("Yes", "No", "Can't tell", "Leave as it is")):
        assert page.locator(".case").count() == 6 - number
        with page.expect_navigation():
            page.locator(".case").first.get_by_role("button", name=answer).click()
        assert page.locator(".done").is_visible()
    assert len(site.events("resolve")) == 4

    page.goto(f"{site.url}/admin/model")
    assert page.get_by_role("button", name="Train now").is_disabled()
    page.get_by_label("After so many new answers").fill("50")
    click(page, "Save")

    page.goto(f"{site.url}/admin/project")
    page.locator("#guidelines-text").fill("# Look twice\n\nThen answer.")
    assert page.locator("#guidelines-preview h3").inner_text() == "Look twice"
    click(page, "Save the guidelines")
    page.locator("textarea[name=definition-1]").fill("Round")
    click(page, "Save the classes")
    page.locator("input[name=name-1]").fill("circle")
    click(page, "Save the classes")
    click(page, "Rename")
    page.locator("input[name=prefetch]").fill("2")
    click(page, "Save the settings")
    assert page.get_by_text("hold from now on").is_visible()
    history = page.locator(".history").inner_text()
    assert all(words in history for words in ("settings", "classes", "guidelines", "item-gold"))
