"""What a server does by itself every few seconds, in a thread beside the requests."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from oneof.annotation.learning.automatic import predict_if_due, train_if_due
from oneof.annotation.learning.hooks import deliver, note_if_finished
from oneof.annotation.web.site import Site

EVERY_SECONDS = 5.0
log = logging.getLogger("oneof.annotation")


def tick(site: Site) -> None:
    """Train if it is time, predict new items, note when all answers are in, and send webhooks."""
    now = site.clock()
    train_if_due(site.database, site.project, now)
    predict_if_due(site.database, site.project, now)
    note_if_finished(site.database, now)
    deliver(site.database, site.project, now)


@contextmanager
def ticking(site: Site) -> Iterator[None]:
    """Call `tick` every few seconds within this block. A failure is logged, and tried again the next time."""
    ended = threading.Event()

    def loop() -> None:
        while not ended.wait(EVERY_SECONDS):
            try:
                tick(site)
            except Exception:
                log.exception("%s: looking after the project failed", site.project.folder)

    thread = threading.Thread(target=loop, daemon=True, name=f"ticking-{site.slug or 'project'}")
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
