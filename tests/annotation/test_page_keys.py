"""Keys of one's own choice, in a real browser."""

from .browser import Open, Serve, chromium, driver, open_page, serve

__all__ = ["chromium", "driver", "open_page", "serve"]


def test_a_key_is_changed_shown_kept_and_reset(serve: Serve, open_page: Open) -> None:
    site = serve(count=12)
    ada = open_page(site)
    first = ada.ready()
    page, note = ada.page, ada.page.locator("#key-note")
    page.keyboard.press("?")
    page.locator(".change-key[data-action=yes]").click()
    assert "Press the new key" in note.inner_text()
    page.keyboard.press("j")
    assert "is J now" in note.inner_text()
    assert page.locator("#yes kbd").all_inner_texts() == ["J", "1"]
    assert page.locator("#yes").get_attribute("aria-keyshortcuts") == "J 1"
    # A key that does something else already, or is none of the keyboard's signs, is not taken.
    page.locator(".change-key[data-action=no]").click()
    page.keyboard.press("j")
    assert "taken: Yes" in note.inner_text()
    page.locator(".change-key[data-action=no]").click()
    page.keyboard.press("ArrowUp")
    assert "Choose a letter" in note.inner_text()
    page.locator(".change-key[data-action=no]").click()
    page.keyboard.press("Escape")
    assert page.locator("#keys").get_attribute("open") is not None
    assert page.locator("#no kbd").all_inner_texts() == ["N", "2"]
    page.keyboard.press("Escape")
    page.keyboard.press("y")
    assert ada.task == first, "the old key does nothing any more"
    second = ada.press("j")
    ada.press("1")
    ada.saved()
    assert site.current() == {first: "yes", second: "yes"}
    page.reload()
    ada.ready()
    assert page.locator("#yes kbd").first.inner_text() == "J"
    page.keyboard.press("?")
    page.locator("#keys-reset").click()
    assert page.locator("#yes kbd").first.inner_text() == "Y"
    page.set_viewport_size({"width": 360, "height": 640})
    ada.keep("keys-360")
    assert page.locator("#keys").evaluate("node => node.scrollWidth <= node.clientWidth")
    page.keyboard.press("?")
    third = ada.ready()
    ada.press("y")
    ada.saved()
    assert site.current()[third] == "yes"
