"""What the server does by itself."""

import threading
from types import SimpleNamespace

from oneof.annotation.web import ticking


def test_it_goes_on_after_a_failure_and_ends_with_the_server(monkeypatch, caplog):
    ticks = []
    twice = threading.Event()

    def tick(site):
        ticks.append(site)
        if len(ticks) == 2:
            twice.set()
        raise RuntimeError("no database")

    monkeypatch.setattr(ticking, "tick", tick)
    monkeypatch.setattr(ticking, "EVERY_SECONDS", 0.001)
    site = SimpleNamespace(project=SimpleNamespace(folder="here"), slug="")
    with ticking.ticking(site):
        assert twice.wait(10)
    seen = len(ticks)
    assert "no database" in caplog.text
    assert len(ticks) == seen
