"""Descriptions of Debian packages, and the section each is filed under: texts that every Debian machine has.

They come from `apt-cache dumpavail`, and are not stored here.
"""

import re
import subprocess

import numpy as np
from numpy.typing import NDArray

SECTIONS = ("admin", "fonts", "games", "graphics", "mail", "math", "net", "science", "sound", "text", "video", "web")


def load_package_texts(seed: int) -> tuple[list[str], list[str], NDArray[np.int64]]:
    """Names of packages, their one-line descriptions without duplicates, and the numbers of their sections."""
    try:
        listed = subprocess.run(["apt-cache", "dumpavail"], check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise RuntimeError(f"the texts come from apt-cache dumpavail, which failed: {error}") from None
    found: dict[str, tuple[str, int]] = {}
    for block in listed.split("\n\n"):
        facts = dict(re.findall(r"^(Package|Section|Description(?:-en)?): (.*)$", block, re.MULTILINE))
        text = facts.get("Description") or facts.get("Description-en")
        section = facts.get("Section", "").rsplit("/", 1)[-1]
        if text and section in SECTIONS:
            found.setdefault(text, (facts["Package"], SECTIONS.index(section)))
    rows = sorted((name, text, section) for text, (name, section) in found.items())
    chosen = np.random.default_rng(seed).permutation(len(rows))[:8000]
    names, texts, labels = zip(*(rows[row] for row in chosen), strict=True)
    return list(names), list(texts), np.array(labels, dtype=np.int64)
