"""The one decoder of pictures: whatever a file holds becomes an upright 8-bit picture, grey or RGB.

16 bits per channel lose the lower eight, CMYK and palettes become RGB, what is transparent shows a background, and the
camera's orientation is applied. A file that cannot be decoded raises `Unreadable` with the reason, so that whoever
reads many files can name it and go on.
"""

import hashlib
import io
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image, ImageOps, UnidentifiedImageError
from PIL.JpegImagePlugin import JpegImageFile

SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff")
"""Files that are taken for pictures."""

GREY = ("1", "L", "LA", "La", "I", "I;16", "I;16L", "I;16B", "F")
"""Modes of PIL that have no colour."""

Fill = Literal["pad", "crop"]


class Unreadable(ValueError):
    """A picture that cannot be decoded; the message is the reason."""


@dataclass(frozen=True)
class Frame:
    """The size and colours that all pictures are brought to, so that they fit one array.

    grey: one channel in place of three. fill: "pad" shows the whole picture on the background, "crop" fills the frame
    with the middle of the picture. Neither changes its proportions.
    """

    height: int
    width: int
    grey: bool = False
    fill: Fill = "pad"
    background: str = "white"

    @property
    def shape(self) -> tuple[int, int, int]:
        """(channels, height, width)."""
        return 1 if self.grey else 3, self.height, self.width


def read_picture(
    source: Path | bytes, *, background: str = "white", near: tuple[int, int] | None = None
) -> Image.Image:
    """The picture, upright, in mode "L" where the file is grey and else "RGB".

    background: a colour that shows where the picture is transparent. near: the (height, width) that is needed; a large
    JPEG is then decoded at a fraction of its size, so that hundreds of megapixels can be read. An animation, or a
    document with pages, gives its first picture.

    >>> buffer = io.BytesIO()
    >>> Image.new("RGBA", (4, 2), (255, 0, 0, 0)).save(buffer, "PNG")
    >>> read_picture(buffer.getvalue(), background="blue").getpixel((0, 0))
    (0, 0, 255)
    """
    # Decoders given hostile bytes raise anything; whatever it is, the file cannot be read and the others can.
    try:
        if isinstance(source, Path):
            if not source.is_file():  # reading a pipe would wait for ever
                raise Unreadable("not a file")
            source = source.read_bytes()
        if not source:
            raise Unreadable("empty file")
        with _opened(io.BytesIO(source)) as image:
            # The rows of an ordinary JPEG are made smaller as they are read; a progressive one is held whole.
            needed = image.size
            if near is not None and image.format == "JPEG":
                image.draft(None, (2 * max(near), 2 * max(near)))
                needed = needed if "progressive" in image.info else image.size
            if needed[0] * needed[1] > 2 * (Image.MAX_IMAGE_PIXELS or float("inf")):
                raise Image.DecompressionBombError
            image.load()
            return _flat(_upright(image), background)
    except Exception as error:
        raise _in_words(error) from None


def _in_words(error: Exception) -> Unreadable:
    """What a decoder raised as a reason for people."""
    if isinstance(error, Unreadable):
        return error
    if isinstance(error, UnidentifiedImageError | SyntaxError):
        return Unreadable("not a picture of a known format")
    if isinstance(error, Image.DecompressionBombError):
        most = 2 * (Image.MAX_IMAGE_PIXELS or 0) / 1e6
        return Unreadable(f"more than {most:.0f} megapixels to hold in memory: make it smaller")
    return Unreadable(str(error) or type(error).__name__)


def _opened(stream: IO[bytes]) -> Image.Image:
    """The file, not decoded yet. A JPEG, also one of several pictures as phones make them, goes to its decoder at once:
    PIL would refuse a large one before it can be asked for a fraction of its size."""
    start = stream.read(3)
    stream.seek(0)
    return JpegImageFile(stream) if start == b"\xff\xd8\xff" else Image.open(stream)


def why_unreadable(path: Path) -> str | None:
    """The reason why a picture cannot be decoded, or None where it can. Decodes all of it.

    >>> why_unreadable(Path("there-is-no-such.png"))
    'not a file'
    """
    try:
        read_picture(path, near=(1, 1))
    except Unreadable as error:
        return str(error)
    return None


def framed(image: Image.Image, frame: Frame) -> NDArray[np.uint8]:
    """The picture in the frame, (channels, height, width), its proportions kept.

    >>> framed(Image.new("L", (100, 10)), Frame(8, 8, grey=True))[0, :, 0].tolist()
    [255, 255, 255, 0, 255, 255, 255, 255]
    """
    image = image.convert("L" if frame.grey else "RGB")
    scales = frame.width / image.width, frame.height / image.height
    scale = min(scales) if frame.fill == "pad" else max(scales)
    size = max(1, round(image.width * scale)), max(1, round(image.height * scale))
    if image.size != size:
        image = image.resize(size, Image.Resampling.BICUBIC, reducing_gap=3.0)
    if image.size != (frame.width, frame.height):
        canvas = Image.new(image.mode, (frame.width, frame.height), frame.background)
        canvas.paste(image, ((frame.width - image.width) // 2, (frame.height - image.height) // 2))
        image = canvas
    pixels = np.asarray(image)
    return pixels[None] if frame.grey else np.ascontiguousarray(pixels.transpose(2, 0, 1))


class Pictures(Sequence[Any]):
    """Pictures as they are given, decoded only when asked for: paths, PIL images, or arrays (h, w[, c]) or (c, h, w).

    >>> pictures = Pictures([np.zeros((8, 8), np.uint8), Image.new("RGB", (20, 10))])
    >>> [pixels.shape for pixels in pictures.decoded(Frame(16, 16))]
    [(3, 16, 16), (3, 16, 16)]
    """

    def __init__(self, sources: Sequence[Any] | NDArray[Any]) -> None:
        self.sources = sources

    def __len__(self) -> int:
        return len(self.sources)

    def __getitem__(self, rows: Any) -> Any:
        """The source of one picture, or, by a slice or an array of rows, some of the pictures."""
        if isinstance(rows, (int, np.integer)):
            return self.sources[int(rows)]
        if isinstance(rows, slice) or isinstance(self.sources, np.ndarray):
            return Pictures(self.sources[rows])
        return Pictures([self.sources[int(row)] for row in np.arange(len(self))[rows]])

    def content_hash(self, row: int) -> bytes:
        """The SHA-256 of a picture's file or pixels; `Unreadable` where there is no file."""
        source = self.sources[row]
        if isinstance(source, (str, os.PathLike)):
            if not Path(source).is_file():
                raise Unreadable("not a file")
            try:
                with Path(source).open("rb") as stream:
                    return hashlib.file_digest(stream, "sha256").digest()
            except OSError as error:
                raise Unreadable(error.strerror or str(error)) from None
        return array_hash(source)

    def picture(self, row: int, background: str = "white", near: tuple[int, int] | None = None) -> Image.Image:
        """One picture, upright, in mode L or RGB; `Unreadable` if it cannot be decoded."""
        source = self.sources[row]
        if isinstance(source, (str, os.PathLike)):
            return read_picture(Path(source), background=background, near=near)
        if isinstance(source, Image.Image):
            return _flat(_upright(source), background)
        return _from_array(np.asarray(source))

    def outline(self, row: int) -> tuple[int, int, bool]:
        """Height and width of one picture, and whether it is grey, by the first bytes of its file."""
        source = self.sources[row]
        if not isinstance(source, (str, os.PathLike, Image.Image)):
            source = _from_array(np.asarray(source))
        if isinstance(source, Image.Image):
            return source.height, source.width, source.mode in GREY
        try:
            if not Path(source).is_file():
                raise Unreadable("not a file")
            with Path(source).open("rb") as stream, _opened(stream) as image:
                width, height = image.size
                lying = image.getexif().get(0x0112) in (5, 6, 7, 8)
                return (width, height, image.mode in GREY) if lying else (height, width, image.mode in GREY)
        except Exception as error:  # as in `read_picture`
            raise _in_words(error) from None

    def decoded(self, frame: Frame) -> Iterator[NDArray[np.uint8] | Unreadable]:
        """Each picture in the frame, uint8 (c, h, w), or why it cannot be; in order, some decoded ahead in parallel."""

        def one(row: int) -> NDArray[np.uint8] | Unreadable:
            try:
                return framed(self.picture(row, frame.background, (frame.height, frame.width)), frame)
            except Unreadable as error:
                return error

        # Threads, not processes: decoding and scaling let other threads run, and nothing has to be sent over.
        threads = min(8, os.cpu_count() or 1)
        with ThreadPoolExecutor(threads) as pool:
            rows = iter(range(len(self)))
            ahead: list[Future[NDArray[np.uint8] | Unreadable]] = []
            ahead += [pool.submit(one, row) for row in islice(rows, 4 * threads)]
            while ahead:
                yield ahead.pop(0).result()
                ahead += [pool.submit(one, row) for row in islice(rows, 1)]


def array_hash(array: ArrayLike) -> bytes:
    """The SHA-256 of an array: its type, its shape and its numbers."""
    numbers = np.ascontiguousarray(np.asarray(array))
    return hashlib.sha256(f"{numbers.dtype}{numbers.shape}".encode() + numbers.tobytes()).digest()


def _flat(image: Image.Image, background: str) -> Image.Image:
    """Eight bits per channel, L or RGB, over the background where there is transparency."""
    if image.mode.startswith("I;16"):
        return Image.fromarray((np.asarray(image) >> 8).astype(np.uint8))
    if image.mode in ("I", "F"):
        values = np.nan_to_num(np.asarray(image, dtype=np.float64))
        if image.mode == "F" and values.max() <= 1:  # 1 is white
            values *= 255
        elif image.mode == "I" and values.max() > 255:  # 16 bits in a wider number
            values /= 256
        return Image.fromarray(values.clip(0, 255).astype(np.uint8))
    if "A" in image.mode or "a" in image.mode or "transparency" in image.info:
        grey = image.mode in GREY
        over = image.convert("RGBA")
        flat = Image.alpha_composite(Image.new("RGBA", image.size, background), over).convert("RGB")
        pixels = np.asarray(flat)
        return flat.convert("L") if grey and (pixels == pixels[..., :1]).all() else flat
    return image.convert("L" if image.mode in GREY else "RGB")


def _upright(image: Image.Image) -> Image.Image:
    try:
        return ImageOps.exif_transpose(image)
    except Exception:  # damaged notes of a camera are no reason to lose the picture
        return image


def _from_array(pixels: NDArray[Any]) -> Image.Image:
    if pixels.ndim == 3 and pixels.shape[0] in (1, 3) and pixels.shape[2] not in (1, 3):
        pixels = pixels.transpose(1, 2, 0)
    if pixels.ndim not in (2, 3) or (pixels.ndim == 3 and pixels.shape[2] not in (1, 3)) or not pixels.size:
        raise Unreadable(f"an array of shape {pixels.shape}, expected (h, w), (h, w, 1 or 3) or (1 or 3, h, w)")
    if pixels.dtype != np.uint8:
        # As in a file: whole numbers are bytes; of floats of which none is above 1, 1 is white.
        white_is_one = pixels.dtype.kind == "f" and pixels.max() <= 1
        pixels = np.clip(pixels * (255 if white_is_one else 1), 0, 255).astype(np.uint8)
    return Image.fromarray(
        np.ascontiguousarray(pixels[..., 0] if pixels.ndim == 3 and pixels.shape[2] == 1 else pixels)
    )
