"""A set of 100 classes that needs no download: letters of five scripts, drawn in the fonts that come with matplotlib.

Each picture is one letter in one of the twelve DejaVu faces (sans, serif, mono; regular, bold, oblique), turned,
sheared, scaled, moved, blurred and covered with noise. Its class is the letter; the script is the class's group, which
a person can name at a glance. Letters that look the same in two scripts are left out of one of them.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from scipy.ndimage import gaussian_filter

SCRIPTS = {
    "Latin": "abcdefghijklmnpqrstz",
    "Greek": "αβγδεζηθλμνξπρστφχψω",
    "Cyrillic": "бвгджзийлмнптцчшыэюя",
    "Armenian": "աբգդեզէըթժլխծկհձղճմյ",
    "Georgian": "აბგდევზთიკლმნოპჟრსტუ",
}
CLASSES = [letter for letters in SCRIPTS.values() for letter in letters]
PARENTS = [script for script, letters in SCRIPTS.items() for _ in letters]
FACES = [f"DejaVu{kind}{style}" for kind in ("Sans", "SansMono", "Serif") for style in ("", "-Bold")] + [
    "DejaVuSans-Oblique", "DejaVuSans-BoldOblique", "DejaVuSansMono-Oblique", "DejaVuSansMono-BoldOblique",
    "DejaVuSerif-Italic", "DejaVuSerif-BoldItalic",
]  # fmt: skip
SIDE = 32


def draw_characters(count: int, seed: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Pictures, uint8 (count, 32, 32), and the place of each letter in `CLASSES`, int (count,)."""
    import matplotlib

    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    fonts = [ImageFont.truetype(folder / f"{face}.ttf", 44) for face in FACES]
    rng = np.random.default_rng(seed)
    labels = rng.integers(len(CLASSES), size=count)
    return np.stack([_draw(CLASSES[label], fonts[rng.integers(len(fonts))], rng) for label in labels]), labels


def _draw(letter: str, font: ImageFont.FreeTypeFont, rng: np.random.Generator) -> NDArray[np.uint8]:
    middle = Image.new("L", (96, 96))
    ImageDraw.Draw(middle).text((48, 48), letter, fill=255, font=font, anchor="mm")
    turn, shear, (across, down) = rng.normal(0, 0.08), rng.normal(0, 0.08), np.exp(rng.normal(0, 0.06, 2))
    c, s = np.cos(turn), np.sin(turn)
    change = np.array([[c, -s], [s, c]]) @ np.array([[across, shear], [0, down]])
    shift = np.array([48, 48]) - change @ (np.array([48, 48]) + rng.normal(0, 1.0, 2))
    terms = (change[0, 0], change[0, 1], shift[0], change[1, 0], change[1, 1], shift[1])
    drawn = middle.transform((96, 96), Image.Transform.AFFINE, terms, Image.Resampling.BILINEAR)
    drawn = drawn.crop((22, 22, 74, 74)).filter(ImageFilter.GaussianBlur(float(rng.uniform(0.3, 1.2))))
    small = np.asarray(drawn.resize((SIDE, SIDE), Image.Resampling.BOX), dtype=np.float64)
    noisy = small * rng.uniform(0.6, 1.0) + rng.normal(0, 10, small.shape)
    return noisy.clip(0, 255).astype(np.uint8)


def gradients(pictures: NDArray[np.uint8], cells: int = 7, bins: int = 8) -> NDArray[np.float32]:
    """Histograms of oriented gradients, (n, cells * cells * bins): quick features of letters for linear models.

    Every pixel's gradient votes for the two nearest of `bins` directions; the votes are smoothed, read on a grid and
    normalised over the picture.
    """
    x = pictures.reshape(len(pictures), *pictures.shape[-2:]).astype(np.float32) / 255
    x = gaussian_filter(x, (0, 0.7, 0.7))
    down, across = np.gradient(x, axis=(1, 2))
    strength, angle = np.hypot(down, across), (np.arctan2(down, across) / (2 * np.pi) * bins) % bins
    side = x.shape[1]
    places = np.linspace(0, side - 1, 2 * cells + 1)[1::2].round().astype(int)
    parts = []
    for direction in range(bins):
        distance = np.abs(angle - direction)
        vote = strength * np.maximum(0, 1 - np.minimum(distance, bins - distance))
        parts.append(gaussian_filter(vote, (0, side / cells / 2, side / cells / 2))[:, places][:, :, places])
    found = np.sqrt(np.stack(parts, axis=3).reshape(len(x), -1))
    return np.asarray(found / (np.linalg.norm(found, axis=1, keepdims=True) + 1e-3), dtype=np.float32)
