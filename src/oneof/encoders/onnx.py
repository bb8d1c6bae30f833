"""Pictures through any network in an .onnx file (CLIP, DINO, one of your own), run by onnxruntime.

The network's input is (n, 3, h, w): bytes if it takes uint8, else (bytes - mean) / deviation, by default those of
ImageNet. Where the file leaves h and w open, they are `size`. Its first output, (n, d) or (n, ...), is the features.
"""

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oneof.encoders.base import Encoded, Encoder, State
from oneof.encoders.cache import FeatureCache
from oneof.encoders.reading import as_pictures, decode_all
from oneof.items.pictures import Fill, Frame, Pictures, Unreadable

BATCH = 32
IMAGENET = (123.675, 116.28, 103.53), (58.395, 57.12, 57.375)
"""Mean and deviation of red, green and blue, in bytes."""


class OnnxPictures(Encoder):
    """Float32 features (n, d) of pictures, kept on disk by content, so that each picture is encoded once.

    path: the .onnx file. size: height and width of the pictures for a network that takes any. fill, background: how
    other pictures are brought to that, see `oneof.items.pictures.Frame`. mean, deviation: of each channel, in bytes.
    """

    name: str = "onnx"
    takes: str = "pictures"

    def __init__(
        self,
        path: str,
        size: int = 224,
        fill: Fill = "pad",
        background: str = "white",
        mean: tuple[float, ...] = IMAGENET[0],
        deviation: tuple[float, ...] = IMAGENET[1],
    ) -> None:
        self.path = path
        self.size = size
        self.fill = fill
        self.background = background
        self.mean = mean
        self.deviation = deviation

    def file(self) -> Path:
        """The network's file."""
        return Path(self.path)

    def encode(self, X: Any, *, shown: bool = False) -> Encoded:
        """Float32 (m, d). Only pictures whose features are not on disk are decoded, a batch at a time."""
        pictures = as_pictures(X)
        keys: dict[int, bytes] = {}
        problems: dict[int, str] = {}
        for row in range(len(pictures)):
            try:
                keys[row] = pictures.content_hash(row)
            except Unreadable as error:
                problems[row] = str(error)
        cache = FeatureCache(self.fingerprint)
        known = cache.get(list(dict.fromkeys(keys.values())))
        first = {key: row for row, key in reversed(keys.items()) if key not in known}
        missing = np.array(sorted(first.values()), dtype=np.int64)
        for made, bad in self._batches(pictures, missing, shown):
            rows = {keys[row]: features for row, features in made.items()}
            known |= rows
            cache.put(rows)
            problems |= bad
        same = {keys[row]: reason for row, reason in problems.items() if row in keys}
        problems |= {row: same[key] for row, key in keys.items() if key in same}
        good = [row for row, key in keys.items() if key in known]
        width = len(next(iter(known.values()), ()))
        x = np.empty((len(good), width), dtype=np.float32)
        for place, row in enumerate(good):
            x[place] = known[keys[row]]
        return Encoded(x, np.array(good, dtype=np.int64), dict(sorted(problems.items())))

    def _batches(self, pictures: Pictures, rows: NDArray[np.int64], shown: bool) -> Any:
        """Features by row and problems by row, a batch at a time."""
        if not len(rows):
            return
        session = self.session()
        frame = self.frame(session)
        batch: list[tuple[int, NDArray[np.uint8]]] = []
        bad: dict[int, str] = {}
        for place, found in decode_all(pictures[rows], frame, shown=shown):
            if isinstance(found, Unreadable):
                bad[int(rows[place])] = str(found)
            else:
                batch.append((int(rows[place]), found))
            if len(batch) == BATCH or place == len(rows) - 1:
                features = list(self.run(session, np.stack([pixels for _, pixels in batch]))) if batch else []
                yield {row: numbers for (row, _), numbers in zip(batch, features, strict=True)}, bad
                batch, bad = [], {}

    def run(self, session: Any, pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
        """The features of a batch (b, 3, h, w) of bytes."""
        (taken,) = session.get_inputs()
        given: NDArray[Any] = pictures
        if taken.type != "tensor(uint8)":
            kind = np.float16 if taken.type == "tensor(float16)" else np.float32
            mean, deviation = (np.array(each, np.float32).reshape(-1, 1, 1) for each in (self.mean, self.deviation))
            given = ((pictures - mean) / deviation).astype(kind)
        out = np.asarray(session.run(None, {taken.name: given})[0], dtype=np.float32)
        if len(out) != len(pictures) or out.ndim < 2:
            raise ValueError(f"{self.file()}: gives {out.shape} for {len(pictures)} pictures, expected a row for each")
        if not np.isfinite(out).all():
            raise ValueError(f"{self.file()}: gives numbers that are not finite")
        return out.reshape(len(out), -1)

    def session(self) -> Any:
        """The network, loaded. It takes as many threads as OMP_NUM_THREADS says, by default one for each core."""
        try:
            import onnxruntime
        except ImportError:
            raise ValueError(f"the encoder {self.name} needs onnxruntime: pip install 'oneof[pretrained]'") from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count() or 1)
        options.log_severity_level = 3
        file = self.file()
        try:
            session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's own kinds of errors have no common parent
            raise ValueError(f"{file}: not a network that onnxruntime can run: {str(error).splitlines()[0]}") from None
        inputs = session.get_inputs()
        if len(inputs) != 1 or len(inputs[0].shape) != 4 or inputs[0].shape[1] not in (3, None, "channels"):
            found = ", ".join(f"{each.name} {each.shape}" for each in inputs)
            raise ValueError(f"{file}: takes {found}, expected one input (n, 3, height, width)")
        return session

    def frame(self, session: Any) -> Frame:
        """What pictures are brought to: the size that the network takes, or `size` where it takes any."""
        (taken,) = session.get_inputs()
        height, width = (side if isinstance(side, int) else self.size for side in taken.shape[2:])
        return Frame(height, width, False, self.fill, self.background)

    def state(self) -> State:
        """The checksum of the network's file."""
        file = self.file()
        if not file.is_file():
            raise ValueError(f"{file}: no such network")
        with file.open("rb") as stream:
            return {"network": hashlib.file_digest(stream, "sha256").hexdigest()}, {}
