"""The one decoder of pictures: whatever a file holds becomes an upright 8-bit picture, grey or RGB.

16 bits per channel lose the lower eight, CMYK and palettes become RGB, what is transparent shows a background, and the
camera's orientation is applied. A file that cannot be decoded is an `Unreadable` with the reason; whoever reads many
files names it and goes on.
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
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError
from PIL.JpegImagePlugin import JpegImageFile

SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff")
GREY = ("1", "L", "LA", "La", "I", "I;16", "I;16L", "I;16B", "F")
Fill = Literal["pad", "crop"]


class Unreadable(ValueError):
    """A picture that cannot be decoded; the message is the reason."""


@dataclass(frozen=True)
class Frame:
    """What pictures are brought to, so that they fit one array.

    grey: one channel in place of three. fill: "pad" shows the whole picture and fills the rest with the background,
    "crop" fills the frame with the middle of the picture. Neither changes its proportions.
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


def find_pictures(folder: Path) -> list[Path]:
    """The picture files in a folder and the folders in it, in a fixed order, without hidden ones.

    Links to files are followed, links to folders are not: they may lead round in a circle.
    """
    found = []
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        paths = (Path(where, name) for name in sorted(files) if not name.startswith("."))
        found += [path for path in paths if path.suffix.lower() in SUFFIXES]
    return sorted(found)


def read_picture(
    source: Path | bytes, *, background: str = "white", near: tuple[int, int] | None = None
) -> Image.Image:
    """The picture, upright, in mode "L" where the file is grey and else "RGB".

    background: a colour that shows where the picture is transparent. near: (height, width) that are enough; a large
    JPEG is then decoded at a fraction of its size, so that hundreds of megapixels can be read. Of an animation or a
    document with pages: the first one.

    >>> buffer = io.BytesIO()
    >>> Image.new("RGBA", (4, 2), (255, 0, 0, 0)).save(buffer, "PNG")
    >>> read_picture(buffer.getvalue(), background="blue").getpixel((0, 0))
    (0, 0, 255)
    """
    # Decoders given hostile bytes raise anything; whatever it is, the file cannot be read and the others can.
    try:
        if isinstance(source, Path):
            if not source.is_file():  # a pipe would keep us waiting
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
    except Unreadable:
        raise
    except (UnidentifiedImageError, SyntaxError):
        raise Unreadable("not a picture of a known format") from None
    except Image.DecompressionBombError:
        most = 2 * (Image.MAX_IMAGE_PIXELS or 0) / 1e6
        raise Unreadable(f"more than {most:.0f} megapixels to hold in memory: make it smaller") from None
    except Exception as error:
        raise Unreadable(f"{error or type(error).__name__}") from None


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

    def content(self, row: int) -> bytes:
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
        pixels = np.ascontiguousarray(np.asarray(source))
        return hashlib.sha256(f"{pixels.dtype}{pixels.shape}".encode() + pixels.tobytes()).digest()

    def picture(self, row: int, background: str = "white", near: tuple[int, int] | None = None) -> Image.Image:
        """One picture, upright, in mode L or RGB; `Unreadable` if it cannot be decoded."""
        source = self.sources[row]
        if isinstance(source, (str, os.PathLike)):
            return read_picture(Path(source), background=background, near=near)
        if isinstance(source, Image.Image):
            return _flat(_upright(source), background)
        return _from_array(np.asarray(source))

    def outline(self, row: int) -> tuple[int, int, bool]:
        """Height, width and whether it is grey, of one picture, from the first bytes of its file."""
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
        except Unreadable:
            raise
        except Exception as error:  # as in `read_picture`
            raise Unreadable(str(error) or type(error).__name__) from None

    def decoded(self, frame: Frame, threads: int | None = None) -> Iterator[NDArray[np.uint8] | Unreadable]:
        """Each picture in the frame, uint8 (c, h, w), or why it cannot be; in order, some decoded ahead in parallel."""

        def one(row: int) -> NDArray[np.uint8] | Unreadable:
            try:
                return framed(self.picture(row, frame.background, (frame.height, frame.width)), frame)
            except Unreadable as error:
                return error

        # Threads, not processes: decoding and scaling let other threads run, and nothing has to be sent over.
        threads = threads or min(8, os.cpu_count() or 1)
        with ThreadPoolExecutor(threads) as pool:
            rows = iter(range(len(self)))
            ahead: list[Future[NDArray[np.uint8] | Unreadable]] = []
            ahead += [pool.submit(one, row) for row in islice(rows, 4 * threads)]
            while ahead:
                yield ahead.pop(0).result()
                ahead += [pool.submit(one, row) for row in islice(rows, 1)]


def _flat(image: Image.Image, background: str) -> Image.Image:
    """Eight bits per channel, L or RGB, over the background where there is transparency."""
    if image.mode.startswith("I;16"):
        return Image.fromarray((np.asarray(image) >> 8).astype(np.uint8))
    if image.mode in ("I", "F"):
        values = np.nan_to_num(np.asarray(image, dtype=np.float64))
        if image.mode == "F" and values.max() <= 1:  # shares of white
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
        # As in a file: whole numbers are bytes, floats are shares of white if none is above one.
        shares = pixels.dtype.kind == "f" and pixels.max() <= 1
        pixels = np.clip(pixels * (255 if shares else 1), 0, 255).astype(np.uint8)
    return Image.fromarray(
        np.ascontiguousarray(pixels[..., 0] if pixels.ndim == 3 and pixels.shape[2] == 1 else pixels)
    )
