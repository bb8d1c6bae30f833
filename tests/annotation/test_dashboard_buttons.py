"""Every button of the dashboard, clicked in a real browser with the headers that the product sends."""

from sqlalchemy import select

from oneof.annotation.asking.claims import is_paused
from oneof.annotation.store.schema import people

from .browser import Open, Serve, chromium, driver, open_page, serve

__all__ = ["chromium", "driver", "open_page", "serve"]


def test_every_button_of_the_dashboard_works(serve: Serve, open_page: Open) -> None:
    site = serve(count=4)
    site.link("Ada")
    link = site.link("Boss", "admin")
    page = open_page(site, path=link.removeprefix(site.url)).page
    page.on("dialog", lambda dialog: dialog.accept())

    def row(name: str) -> tuple[bool, bool]:
        query = select(people.c.paused, people.c.revoked_at).where(people.c.name == name)
        found = site.in_database(lambda connection: connection.execute(query).one())
        return bool(found.paused), found.revoked_at is not None

    def click(name: str) -> None:
        with page.expect_response(lambda reply: reply.request.method == "POST") as caught:
            page.get_by_role("button", name=name, exact=True).click()
        assert caught.value.status < 400, (name, caught.value.status)
        page.wait_for_load_state()

    click("Pause")
    assert site.in_database(is_paused)
    click("Go on")
    assert not site.in_database(is_paused)
    click("Pause Ada")
    assert row("Ada") == (True, False)
    click("Go on Ada")
    assert row("Ada") == (False, False)
    click("Reassign Ada")
    page.get_by_text("More").click()
    click("Withdraw answers Ada")
    page.get_by_text("More").click()
    click("Revoke link Ada")
    assert row("Ada") == (False, True)
    page.get_by_label("Invite an annotator").fill("Bea")
    click("Make a link")
    assert page.get_by_text("/join/").is_visible()
    assert row("Bea") == (False, False)
