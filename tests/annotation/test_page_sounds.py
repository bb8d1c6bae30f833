"""Sounds on the page, in a real browser: played on arrival, again and faster by keys, broken ones told."""

import math
import struct
import wave
from pathlib import Path

import pytest

from oneof.annotation.learning.content import load_content
from oneof.annotation.project.classes import Class, ProjectError
from oneof.annotation.project.folder import Settings, create_project
from oneof.annotation.project.importing import import_items
from oneof.annotation.store.upgrading import upgrade

from .browser import Open, Served, chromium, driver, open_page

__all__ = ["chromium", "driver", "open_page"]

AUDIO = "document.querySelector('#sound-holder audio')"


def write_wav(path: Path, tone: int, seconds: float = 3.0, rate: int = 8000) -> None:
    beat = [int(8000 * math.sin(2 * math.pi * tone * n / rate)) for n in range(int(seconds * rate))]
    with wave.open(str(path), "wb") as out:
        out.setparams((1, 2, rate, 0, "NONE", ""))
        out.writeframes(struct.pack(f"<{len(beat)}h", *beat))


def test_a_sound_plays_on_arrival_and_by_keys(tmp_path: Path, open_page: Open) -> None:
    sounds = tmp_path / "sounds"
    sounds.mkdir()
    for number in range(3):
        write_wav(sounds / f"{number}.wav", 300 + 100 * number)
    (sounds / "empty.wav").write_bytes(b"")
    (sounds / "text.mp3").write_text("not a sound")
    kinds = [Class("crow"), Class("owl"), Class("robin")]
    project = create_project(tmp_path / "project", Settings(name="Calls", size=1, seed=3, gold_share=0.0), kinds)
    database = project.database()
    upgrade(database)
    done = import_items(database, project, sounds)
    assert done.added == 3
    assert done.left_out == [
        "file 'empty.wav': this sound cannot be played: the file is empty",
        "file 'text.mp3': this sound cannot be played: this is not a .mp3 file",
    ]
    with database.read() as connection, pytest.raises(ProjectError, match="oneof annotate export"):
        load_content(connection)
    database.close()
    site = Served(project)
    site.start()
    try:
        listen(site, open_page)
    finally:
        site.stop()


def test_compressed_sounds_are_played_and_the_dashboard_has_a_player(tmp_path: Path, open_page: Open) -> None:
    kinds = [Class("crow"), Class("owl"), Class("robin")]
    project = create_project(tmp_path / "project", Settings(name="Calls", size=1, seed=3, gold_share=0.0), kinds)
    database = project.database()
    upgrade(database)
    assert import_items(database, project, Path(__file__).parent / "sounds").added == 3
    database.close()
    site = Served(project)
    site.start()
    try:
        ada = open_page(site)
        played = set()
        for _ in range(3):
            ada.ready()
            ada.page.keyboard.press("p")
            ada.page.wait_for_function(f"() => {AUDIO}.currentTime > 0")
            played.add(ada.page.request.get(ada.page.evaluate(f"{AUDIO}.src")).headers["content-type"])
            ada.press("y")
        assert played == {"audio/ogg", "audio/mpeg", "audio/flac"}
        page = open_page(site, path=site.link("Boss", "admin").removeprefix(site.url)).page
        page.goto(f"{site.url}/admin/items")
        assert page.locator(".gallery audio[controls]").count() == 3
        for number in range(3):
            player = page.locator(".gallery audio").nth(number)
            assert player.bounding_box()["width"] > 100
            player.evaluate("node => node.play()")
            page.wait_for_function("n => document.querySelectorAll('.gallery audio')[n].currentTime > 0", arg=number)
        page.locator(".gallery a").first.click()
        page.wait_for_url("**/admin/items/1")
        page.locator("audio.whole-item").evaluate("node => node.play()")
        page.wait_for_function("() => document.querySelector('audio.whole-item').currentTime > 0")
    finally:
        site.stop()


def listen(site: Served, open_page: Open) -> None:
    ada = open_page(site)
    ada.ready()
    page = ada.page
    assert page.locator("#sound-play").is_visible()
    assert page.locator("#sound-time").inner_text().endswith("/ 0:03")
    assert page.locator("#zoom-tools").is_hidden()
    page.keyboard.press("p")
    page.wait_for_function(f"() => !{AUDIO}.paused && {AUDIO}.currentTime > 0")
    assert page.locator("#sound-play").inner_text().strip() == "Pause"
    page.keyboard.press("s")
    assert page.evaluate(f"{AUDIO}.playbackRate") == 1.25
    page.locator("#sound-play").click()
    assert page.evaluate(f"{AUDIO}.paused")
    # After the first key, the next one begins by itself, at the speed that was chosen.
    ada.press("y")
    ada.ready()
    page.wait_for_function(f"() => !{AUDIO}.paused && {AUDIO}.playbackRate === 1.25")
    # Each file is asked for by ranges, and nothing but the sound is sent.
    url = page.evaluate(f"{AUDIO}.src")
    part = page.request.get(url, headers={"Range": "bytes=0-43"})
    assert (part.status, len(part.body()), part.headers["content-type"]) == (206, 44, "audio/wav")
    assert part.headers["content-security-policy"] == "default-src 'none'"
    assert part.headers["x-content-type-options"] == "nosniff"
    page.keyboard.press("?")
    listed = page.locator("#key-list").inner_text()
    assert "Play a sound again" in listed
    assert page.locator(".change-key[data-action=speed]").count() == 1
    page.keyboard.press("Escape")
    ada.press("u")
    ada.ready()
    page.wait_for_function(f"() => !{AUDIO}.paused")
    ada.press("n")
    ada.press("y")
    for width, height in ((360, 640), (768, 1024), (1366, 650)):
        page.set_viewport_size({"width": width, "height": height})
        frame, stage = (page.locator(one).bounding_box() for one in ("#sound-frame", ".stage"))
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert frame["height"] <= stage["height"] + 1, width
        assert page.locator("#sound-frame").evaluate("node => node.scrollHeight <= node.clientHeight + 1"), width
    ada.keep("sound")
    # A sound that does not arrive says so; what cannot be heard is not answered by yes or no.
    page.route("**/items/*", lambda route: route.abort())
    page.reload()
    last = ada.ready("broken")
    assert "cannot be played" in page.locator("#message").inner_text()
    page.keyboard.press("y")
    assert ada.task == last
    ada.press("c")
    ada.saved()
    assert site.events("answer")[-1].comment == "The sound could not be played"
