"""What photographs cost: the rate of encoding, the time to a model, and memory. Rows for results/photographs.csv.

    python -m benchmarks.photographs

Rate: EfficientNet-Lite0 on pictures of CIFAR-10, from bytes to features in the cache, beside onnxruntime alone on
arrays that are ready for it; the two take turns, in CPU seconds, one thread. Time: from 2,000 photographs as files and
an answer about each to a judged model, with an empty cache and again with a full one. Memory: the most that encoding
takes beside what was in use before, for photographs of 12 megapixels, each a JPEG file of its own; it must not grow
with their number: a hundred of them, and ten thousand.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from PIL import Image

from benchmarks import pages
from benchmarks.encoders import ask
from benchmarks.timing import peak_resident, side_by_side
from oneof import datasets, encoders
from oneof.classifier.choosing_encoders import choose_encoder
from oneof.classifier.choosing_networks import fit_chosen
from oneof.encoders.cache import cache_folder
from oneof.encoders.onnx import BATCH
from oneof.encoders.reading import as_pictures
from oneof.files.atomic import replacing
from oneof.items.loading import load
from oneof.training import Config

ROWS = pages.RESULTS / "photographs.csv"
ENCODED, PHOTOGRAPHS = 320, 2000
"""Pictures for the rate, and for the time to a model."""

FEW, MANY = 100, 10_000
"""Photographs of 12 megapixels."""


@contextmanager
def empty_cache() -> Iterator[Path]:
    """A cache of its own, with the exported network in it but no features."""
    with TemporaryDirectory() as folder:
        before = os.environ.get("ONEOF_CACHE")
        os.environ["ONEOF_CACHE"] = folder
        try:
            encoders.create("efficientnet-lite0").file()
            yield Path(folder)
        finally:
            os.environ.pop("ONEOF_CACHE")
            if before is not None:
                os.environ["ONEOF_CACHE"] = before


def rate() -> Iterator[dict[str, Any]]:
    """Pictures per CPU second, of this library and of onnxruntime alone."""
    images = datasets.load("cifar10", "test").images[:ENCODED]
    with empty_cache():
        encoder: Any = encoders.create("efficientnet-lite0")
        session = encoder.session()
        frame = encoder.frame(session)
        ready = np.stack([pixels for pixels in as_pictures(images).decoded(frame) if isinstance(pixels, np.ndarray)])
        scaled = ((ready - np.float32(127)) / np.float32(128)).astype(np.float32)
        name = session.get_inputs()[0].name

        def ours() -> None:
            rmtree(cache_folder() / "features", ignore_errors=True)
            encoder.encode(images)

        def bare() -> None:
            for start in range(0, ENCODED, BATCH):
                session.run(None, {name: scaled[start : start + BATCH]})

        found = side_by_side(ours, bare, turns=5, warm_up=1)
    for how, seconds in (("oneof", found.ours), ("onnxruntime", found.theirs)):
        yield {"what": "encoding", "how": how, "items": ENCODED, "value": ENCODED / seconds, "unit": "a second"}


def to_a_model() -> Iterator[dict[str, Any]]:
    """CPU seconds from files and answers to a judged model."""
    train = datasets.load("cifar10", "train")
    with TemporaryDirectory() as folder, empty_cache():
        for number in range(PHOTOGRAPHS):
            Image.fromarray(train.images[number].transpose(1, 2, 0)).save(Path(folder, f"{number:05d}.png"))
        names = [f"{number:05d}.png" for number in range(PHOTOGRAPHS)]
        answers = ask(train.labels[:PHOTOGRAPHS], 10, 5, 0, names)
        for how in ("cold", "cached"):
            started = time.process_time()
            chosen = choose_encoder(load(folder), answers)
            fit_chosen(chosen.items.x, chosen.items.align(answers), Config(seed=0), encoded=True)
            spent = time.process_time() - started
            yield {"what": "to a model", "how": how, "items": PHOTOGRAPHS, "value": spent, "unit": "CPU seconds"}


def memory() -> Iterator[dict[str, Any]]:
    """Megabytes for photographs of 4,000 x 3,000 pixels."""
    rng = np.random.default_rng(0)
    scene = Image.fromarray(rng.integers(0, 256, (30, 40, 3), dtype=np.uint8)).resize((4000, 3000))
    with TemporaryDirectory() as folder:
        scene.save(Path(folder, "0.jpg"), quality=90)
        content = Path(folder, "0.jpg").read_bytes()
        for number in range(1, MANY):  # decoders ignore bytes after the end of a JPEG, but they change its hash
            Path(folder, f"{number}.jpg").write_bytes(content + number.to_bytes(4, "big"))
        paths = [str(Path(folder, f"{number}.jpg")) for number in range(MANY)]
        for count in (FEW, MANY):
            with empty_cache():
                encoder = encoders.create("efficientnet-lite0")
                encoder.encode(paths[:1])
                taken = peak_resident(partial(encoder.encode, paths[:count]))
            megabytes = float("nan") if taken is None else taken / 1e6
            yield {"what": "memory", "how": "12 megapixels", "items": count, "value": megabytes, "unit": "MB"}


def facts() -> dict[str, str]:
    """Texts for the pages, from the rows."""
    rows = pd.read_csv(ROWS)
    value = rows.set_index(["what", "how", "items"])["value"]
    of = rows[rows["what"] != "memory"].set_index(["what", "how"])["value"]
    cold, cached = of["to a model", "cold"], of["to a model", "cached"]
    return {
        "rate": f"{of['encoding', 'oneof'] / of['encoding', 'onnxruntime']:.2f}",
        "pictures": f"{of['encoding', 'oneof']:.0f}",
        "cold": f"{cold:.0f}",
        "cached": f"{cached:.1f}",
        "times": f"{cold / cached:.1f}",
        "few": f"{FEW}",
        "many": f"{MANY}",
        "few-megabytes": f"{value['memory', '12 megapixels', FEW]:.0f}",
        "many-megabytes": f"{value['memory', '12 megapixels', MANY]:.0f}",
    }


def main() -> None:
    """Measure and keep the rows."""
    rows = []
    for measured in (rate, to_a_model, memory):
        for row in measured():
            rows.append(row | {"value": round(row["value"], 2)})
            print(rows[-1], flush=True)
    with replacing(ROWS) as part:
        pd.DataFrame(rows).to_csv(part, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
