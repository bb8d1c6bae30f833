"""The page in a real browser: pictures, texts, a phone, and people who do not use eyes or a mouse (item 9)."""

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw

from .browser import Open, Serve, Served, chromium, draw, driver, open_page, serve

__all__ = ["chromium", "driver", "open_page", "serve"]

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
SMALL_PHONE = PHONE | {"viewport": {"width": 320, "height": 568}}
SIZES = """() => {
  const page = document.documentElement;
  return [page.scrollWidth, innerWidth, page.scrollHeight, innerHeight];
}"""
HOSTILE = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'></textarea>{{7*7}}&amp;\u202eevil"


def pictures(site: Served) -> Path:
    return site.project.folder.parent / "pictures"


def test_item_09_zoom_by_key_button_wheel_and_double_click(serve: Serve, open_page: Open) -> None:
    ada = open_page(serve())
    ada.ready()
    page, level = ada.page, ada.page.locator("#zoom-level")

    def width() -> float:
        return float(page.locator("#image-frame img").bounding_box()["width"])

    fitted = width()
    page.keyboard.press("z")
    assert level.inner_text() == "250%"
    assert width() == pytest.approx(2.5 * fitted, rel=0.01)
    page.mouse.move(400, 400)
    page.mouse.down()
    page.mouse.move(480, 440)
    page.mouse.up()
    assert "translate(80px, 40px)" in page.locator("#image-frame img").get_attribute("style")
    ada.press("y")
    assert level.inner_text() == "Zoom", "the next item starts unzoomed"
    page.keyboard.press("+")
    page.locator("#zoom-in").click()
    assert level.inner_text() == "225%"
    page.locator("#zoom-toggle").click()
    assert level.inner_text() == "Zoom"
    page.mouse.move(400, 400)
    page.mouse.wheel(0, -300)
    page.wait_for_function("() => document.querySelector('#zoom-level').textContent !== 'Zoom'")
    page.mouse.dblclick(400, 400)
    assert level.inner_text() == "Zoom"


def test_item_09_exif_rotation(serve: Serve, open_page: Open) -> None:
    site = serve(count=2, prefetch=0)
    for path in pictures(site).iterdir():
        exif = Image.Exif()
        exif[0x0112] = 6
        Image.open(path).convert("RGB").save(path, "JPEG", exif=exif)  # 640 x 480, to be turned by 90 degrees
    ada = open_page(site)
    ada.ready()
    shown = ada.page.locator("#image-frame img").evaluate("image => [image.naturalWidth, image.naturalHeight]")
    assert shown == [480, 640]


def test_item_09_a_broken_picture_is_a_clear_state(serve: Serve, open_page: Open) -> None:
    site = serve(count=2)
    good = {path: path.read_bytes() for path in pictures(site).iterdir()}
    for path in good:
        path.write_bytes(b"not a picture")
    ada = open_page(site)
    before = ada.ready("broken")
    assert "cannot be shown" in ada.page.locator("#message").inner_text()
    ada.keep("broken-picture")
    for key in "yn":
        ada.page.keyboard.press(key)
    assert ada.task == before, "what cannot be seen is not answered by yes or no"
    ada.press("c")
    ada.saved()
    assert [event.comment for event in site.events("answer")] == ["The image could not be shown"]
    ada.press("u")
    ada.saved()
    for path, content in good.items():
        path.write_bytes(content)
    ada.page.route("**/items/*", lambda route: route.continue_(url=route.request.url + "?again"))
    ada.page.get_by_role("button", name="Try again").click()
    ada.ready()
    ada.press("c")
    ada.saved()
    assert site.current() == {before: "skip"}


def test_names_are_shown_where_the_project_says_so(serve: Serve, open_page: Open) -> None:
    ada = open_page(serve(count=2))
    ada.ready()
    assert ada.page.locator("#item-name").inner_text() in ("000.png", "001.png")
    bea = open_page(serve(count=2, show_names=False))
    bea.ready()
    assert bea.page.locator("#item-name").is_hidden()


def test_item_09_small_pictures_are_enlarged(serve: Serve, open_page: Open) -> None:
    site = serve(count=2, prefetch=0)
    for path in pictures(site).iterdir():
        draw(path, "disc", 1, (32, 32))
    ada = open_page(site)
    ada.ready()
    assert ada.page.locator("#image-frame img").bounding_box()["width"] == pytest.approx(320, abs=2)


def test_item_09_text_is_shown_and_never_run(serve: Serve, open_page: Open) -> None:
    site = serve(texts=[HOSTILE], prefetch=0, name="<i>Texts</i>")
    ada = open_page(site)
    ada.ready()
    assert ada.page.locator("#text").evaluate("node => node.textContent") == HOSTILE
    assert ada.page.locator("#text *").count() == 0
    assert ada.page.locator(".project").inner_text() == "<i>Texts</i>"
    ada.page.wait_for_timeout(200)
    assert ada.page.evaluate("window.hacked") is None
    ada.keep("hostile-text")


def test_item_09_text_right_to_left_and_long(serve: Serve, open_page: Open) -> None:
    arabic = "وصل الطرد متأخرا يومين."
    long = "One sentence after the other, and no end in sight.\n" * 200
    site = serve(texts=[arabic, long, "x" * 5000], prefetch=0)
    ada = open_page(site)
    seen = set()
    for _ in range(3):
        ada.ready()
        text = ada.page.locator("#text").evaluate("node => node.textContent")
        seen.add(text[:20])
        size = ada.page.evaluate(SIZES)
        assert size[0] <= size[1]
        assert size[2] <= size[3], "the page stands still, the text scrolls"
        if text == arabic:
            assert ada.page.locator("#text").evaluate("node => getComputedStyle(node).direction") == "rtl"
        if text == long:
            ada.page.keyboard.press("ArrowDown")
            ada.page.wait_for_function("() => document.querySelector('#text-frame').scrollTop > 100")
            assert ada.page.locator("#yes").is_visible()
        ada.press("c")
    assert len(seen) == 3


@pytest.mark.parametrize("device", [PHONE, SMALL_PHONE], ids=["phone", "small-phone"])
def test_item_09_phone_has_thumb_sized_buttons_at_the_bottom(
    serve: Serve, open_page: Open, device: dict[str, Any]
) -> None:
    site = serve()
    ada = open_page(site, **device)
    ada.ready()
    page, height, width = ada.page, device["viewport"]["height"], device["viewport"]["width"]
    for name in ("yes", "no", "skip", "why", "undo", "redo", "flag"):
        place = page.locator(f"#{name}").bounding_box()
        assert place["height"] >= 44, name
        assert place["width"] >= 44, name
        assert place["x"] >= 0, name
        assert place["x"] + place["width"] <= width, name
        assert height * 0.6 < place["y"] <= height - place["height"], name
    assert page.locator("#yes").bounding_box()["width"] > width * 0.4
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    picture = page.locator("#image-frame").bounding_box()
    assert picture["height"] >= 0.25 * height
    if height > 800:
        last_label = page.locator("#labels li").last.bounding_box()
        assert last_label["y"] + last_label["height"] <= page.locator("#yes").bounding_box()["y"], "all in one view"
    before = ada.task
    page.locator("#yes").tap()
    page.wait_for_function("before => Number(document.body.dataset.task) !== before", arg=before)
    ada.saved()
    assert site.current() == {before: "yes"}
    ada.keep(f"phone-{width}")


def test_item_09_contrast_is_enough_in_light_and_dark(serve: Serve, open_page: Open) -> None:
    ada = open_page(serve(epsilon=1.0))
    ada.ready()
    ada.page.wait_for_selector("#undo")
    for scheme in ("light", "dark"):
        ada.page.emulate_media(color_scheme=scheme)
        worst = ada.page.evaluate(CONTRAST)
        assert len(worst) > 15
        assert [entry for entry in worst if entry[1] < 4.5] == [], scheme
        ada.keep(f"desktop-{scheme}")


def test_item_09_names_and_focus_order(serve: Serve, open_page: Open) -> None:
    ada = open_page(serve())
    ada.ready()
    ada.press("y")
    ada.press("u")
    ada.press("n")
    page = ada.page
    for name in ("Yes", "No", "Can't tell", "Can't tell, with a reason", "Undo", "Redo", "Flag this item", "Zoom in"):
        assert page.get_by_role("button", name=name, exact=True).count() == 1, name
    assert page.get_by_role("heading", name="Is it one of these?").count() == 1
    assert page.get_by_role("img", name="Item to judge").count() == 1
    assert page.get_by_role("list", name="Labels").get_by_role("listitem").count() == 3
    assert page.get_by_role("progressbar", name="Progress of the project").count() == 1
    spoken = page.locator("#announce").inner_text()
    assert "You said “No”" in spoken
    assert all(label in spoken for label in ada.labels)

    page.evaluate("document.activeElement.blur()")
    order = []
    for _ in range(20):
        page.keyboard.press("Tab")
        order.append(page.evaluate("document.activeElement.id || document.activeElement.className"))
    at = {name: order.index(name) for name in order}
    path = [
        "skip-link",
        "open-guidelines",
        "open-keys",
        "zoom-toggle",
        "yes",
        "no",
        "skip",
        "why",
        "undo",
        "redo",
        "flag",
    ]
    assert sorted(path, key=lambda name: at[name]) == path
    page.locator("#no").focus()
    before = ada.task
    page.keyboard.press("Enter")
    assert ada.task != before
    assert page.evaluate("document.activeElement.id") == "no", "the focus stays where it is"
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


CONTRAST = """() => {
  const parse = (text) => text.match(/[0-9.]+/g).map(Number);
  const light = (rgb) => {
    const linear = (v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = rgb.slice(0, 3).map((v) => linear(v / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const node of document.querySelectorAll("body *")) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    if (!own || !node.checkVisibility()) continue;
    if (node.closest("[aria-disabled=true], .for-readers, .skip-link, kbd")) continue;
    const [a, b] = [light(parse(getComputedStyle(node).color)), light(ground(node))].sort((x, y) => y - x);
    found.push([node.textContent.trim().slice(0, 30), (a + 0.05) / (b + 0.05)]);
  }
  return found;
}"""


def test_a_transparent_picture_stands_on_light_squares_in_the_dark(serve: Serve, open_page: Open) -> None:
    site = serve(count=1)
    icon = Image.new("RGBA", (200, 200), (0, 0, 0, 0))
    ImageDraw.Draw(icon).ellipse((80, 80, 120, 120), fill=(0, 0, 0, 255))
    icon.save(site.project.folder.parent / "pictures" / "000.png")
    ada = open_page(site, color_scheme="dark")
    ada.ready()
    seen = Image.open(BytesIO(ada.page.locator("#image-frame img").screenshot())).convert("L")
    corner = seen.crop((2, 2, seen.width // 5, seen.height // 5))
    shades = {shade for _, shade in corner.getcolors() or []}
    assert min(shades) > 200, "light where nothing is drawn"
    assert len(shades) > 1, "in squares"
    assert seen.getpixel((seen.width // 2, seen.height // 2)) < 50, "the icon itself is black"
