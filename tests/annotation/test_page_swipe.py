"""Swiping on a phone, with the touches of a real browser."""

from typing import Any

from .browser import Open, Person, Serve, chromium, driver, open_page, serve

__all__ = ["chromium", "driver", "open_page", "serve"]
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}


class Finger:
    def __init__(self, person: Person) -> None:
        self.session = person.page.context.new_cdp_session(person.page)

    def send(self, kind: str, *points: tuple[float, float]) -> None:
        touches: list[dict[str, Any]] = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

    def move(self, *points: tuple[float, float]) -> None:
        self.send("touchStart", points[0])
        for point in points[1:]:
            self.send("touchMove", point)


def test_a_swipe_answers_and_half_a_one_does_not(serve: Serve, open_page: Open) -> None:
    site = serve(count=12)
    ada = open_page(site, **PHONE)
    first = ada.ready()
    finger, hint = Finger(ada), ada.page.locator("#swipe-hint")
    frame = ada.page.locator("#image-frame").bounding_box()
    x, y = frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2

    def lift() -> None:
        finger.send("touchEnd")
        ada.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    # Too short, taken back, mostly upwards: nothing.
    finger.move((x, y), (x + 20, y), (x + 60, y))
    lift()
    finger.move((x, y), (x + 60, y), (x + 140, y))
    ada.page.wait_for_selector("#swipe-hint[data-answer=yes]:not([hidden])")
    assert hint.inner_text() == "Yes"
    ada.keep("swipe")
    finger.send("touchMove", (x + 10, y))
    lift()
    finger.move((x - 60, y), (x, y - 60), (x + 60, y - 110))
    lift()
    assert ada.task == first
    assert hint.is_hidden()
    finger.move((x, y), (x + 60, y + 5), (x + 140, y + 8))
    lift()
    ada.page.wait_for_function("before => Number(document.body.dataset.task) !== before", arg=first)
    second = ada.ready()
    finger.move((x, y), (x - 60, y), (x - 140, y))
    lift()
    ada.page.wait_for_function("before => Number(document.body.dataset.task) !== before", arg=second)
    ada.saved()
    assert site.current() == {first: "yes", second: "no"}
    # Zoomed in, a finger moves the picture.
    third = ada.ready()
    ada.page.keyboard.press("z")
    finger.move((x, y), (x + 60, y), (x + 140, y))
    lift()
    assert ada.task == third
    ada.page.keyboard.press("z")
    # Two fingers zoom.
    finger.send("touchStart", (x - 20, y), (x + 20, y))
    finger.send("touchMove", (x - 120, y), (x + 120, y))
    lift()
    assert ada.task == third
    assert ada.page.locator("#zoom-level").evaluate("node => node.textContent") != "Zoom"
