"""The one decoder: every mode a picture can be in, and every way in which a file can be none."""

import io

import numpy as np
import pytest
from PIL import Image

from oneof.items.pictures import Frame, Pictures, Unreadable, framed, read_picture, why_unreadable


def encoded(image, kind="PNG", **options):
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "I;16", "YCbCr"])
def test_every_mode_keeps_its_brightness(mode):
    grey = Image.new("L", (8, 8), 255 if mode == "1" else 200)
    image = Image.new("I;16", (8, 8), 200 * 256) if mode == "I;16" else grey.convert("RGB").convert(mode)
    kind = {"CMYK": "TIFF", "YCbCr": "JPEG"}.get(mode, "PNG")
    read = read_picture(encoded(image, kind))
    assert read.mode == ("L" if mode in ("1", "L", "LA", "I;16") else "RGB")
    assert abs(np.asarray(read).mean() - np.asarray(grey).mean()) <= 4


@pytest.mark.parametrize(
    ("kind", "mode"), [("GIF", "P"), ("WEBP", "RGB"), ("BMP", "RGB"), ("TIFF", "RGB"), ("JPEG", "CMYK")]
)
def test_every_format(kind, mode):
    read = read_picture(
        encoded(Image.new("RGB", (8, 6), (200, 40, 90)).convert(mode, palette=Image.Palette.ADAPTIVE), kind)
    )
    assert read.size == (8, 6)
    np.testing.assert_allclose(read.getpixel((3, 3)), (200, 40, 90), atol=12)


def test_sixteen_and_thirty_two_bits_are_neither_white_nor_black():
    ramp = np.arange(64, dtype=np.uint16).reshape(8, 8) * 1040
    assert np.ptp(np.asarray(read_picture(encoded(Image.fromarray(ramp))))) > 250
    assert np.ptp(np.asarray(read_picture(encoded(Image.fromarray(ramp.astype(np.int32)), "TIFF")))) > 250
    shares = Image.fromarray((ramp / 65535).astype(np.float32))
    assert np.ptp(np.asarray(read_picture(encoded(shares, "TIFF")))) > 250


def test_transparency_shows_the_background():
    icon = Image.new("RGBA", (8, 8), (0, 0, 0, 0))
    icon.paste((0, 0, 0, 255), (2, 2, 6, 6))
    assert np.ptp(np.asarray(read_picture(encoded(icon)))) == 255, "a black drawing is seen on white"
    assert read_picture(encoded(icon), background="#ff8000").getpixel((0, 0)) == (255, 128, 0)
    palette = Image.new("P", (8, 8), 0)
    palette.putpalette([10, 20, 30] * 256)
    assert read_picture(encoded(palette, transparency=0)).getpixel((0, 0)) == (255, 255, 255)
    assert read_picture(encoded(Image.new("LA", (8, 8), (9, 0)))).mode == "L"


def test_photographs_are_turned_upright():
    image = Image.new("L", (20, 10))
    exif = image.getexif()
    exif[0x0112] = 6
    for kind in ("JPEG", "PNG", "TIFF"):
        assert read_picture(encoded(image, kind, exif=exif)).size == (10, 20)


@pytest.mark.filterwarnings("ignore:Corrupt EXIF data")
def test_damaged_notes_of_a_camera_do_not_lose_the_picture():
    assert read_picture(encoded(Image.new("L", (20, 10)), "JPEG", exif=b"Exif\0\0MM\0*\0\0\0\x08\xff\xff")).size == (
        20,
        10,
    )


def test_a_large_jpeg_is_decoded_small():
    whole = encoded(Image.new("RGB", (4000, 3000), (10, 200, 30)), "JPEG")
    assert max(read_picture(whole, near=(64, 64)).size) <= 600
    np.testing.assert_allclose(read_picture(whole, near=(64, 64)).getpixel((5, 5)), (10, 200, 30), atol=4)


@pytest.mark.parametrize("size", [(3000, 20), (20, 3000), (1, 1), (5000, 1), (33, 31)])
@pytest.mark.parametrize("fill", ["pad", "crop"])
def test_proportions_are_kept(size, fill):
    frame = Frame(24, 32, fill=fill)
    black = framed(Image.new("RGB", size), frame)
    assert black.shape == frame.shape
    rows, columns = (np.flatnonzero((black[0] < 128).any(axis=axis)) for axis in (1, 0))
    if fill == "crop":
        assert (len(rows), len(columns)) == (24, 32)
    else:
        scale = min(32 / size[0], 24 / size[1])
        assert abs(len(columns) - max(1, size[0] * scale)) <= 1
        assert abs(len(rows) - max(1, size[1] * scale)) <= 1


def bad_files(folder):
    whole = encoded(Image.effect_noise((64, 64), 50), "JPEG")
    (folder / "empty.png").write_bytes(b"")
    (folder / "text.png").write_bytes(b"not a picture")
    (folder / "cut.jpg").write_bytes(whole[: len(whole) // 2])
    (folder / "folder.png").mkdir()
    (folder / "dangling.png").symlink_to(folder / "nothing.png")


def test_files_that_are_no_pictures_have_a_reason(tmp_path, monkeypatch):
    bad_files(tmp_path)
    reasons = {path.name: why_unreadable(path) for path in sorted(tmp_path.iterdir())}
    assert reasons.pop("cut.jpg").startswith("image file is truncated")
    assert reasons == {
        "dangling.png": "not a file",
        "empty.png": "empty file",
        "folder.png": "not a file",
        "text.png": "not a picture of a known format",
    }
    Image.new("L", (64, 64)).save(tmp_path / "bomb.png")
    assert why_unreadable(tmp_path / "bomb.png") is None
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    assert "megapixels to hold in memory: make it smaller" in why_unreadable(tmp_path / "bomb.png")


def test_a_huge_jpeg_is_read_at_a_fraction_of_its_size(tmp_path, monkeypatch):
    huge = Image.linear_gradient("L").resize((640, 480))
    plain, progressive = encoded(huge, "JPEG"), encoded(huge, "JPEG", progressive=True)
    several = encoded(huge, "MPO", save_all=True, append_images=[huge])
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 320 * 240 // 2 - 1)
    for content in (plain, several):
        assert read_picture(content, near=(20, 20)).size == (80, 60)
        with pytest.raises(Unreadable, match="megapixels to hold in memory"):
            read_picture(content)
    with pytest.raises(Unreadable, match="megapixels to hold in memory"):  # its decoder holds all of it
        read_picture(progressive, near=(20, 20))
    (tmp_path / "huge.jpg").write_bytes(plain)
    pictures = Pictures([tmp_path / "huge.jpg"])
    assert pictures.outline(0) == (480, 640, True)
    (pixels,) = pictures.decoded(Frame(20, 20))
    assert pixels.shape == (3, 20, 20)


def test_pictures_in_order_and_the_bad_ones_in_their_place(tmp_path):
    sources = []
    for number in range(50):
        sources.append(tmp_path / f"{number}.png")
        Image.new("L", (8, 8), 5 * number).save(sources[-1])
    sources[7].write_bytes(b"gone bad")
    found = list(Pictures(sources).decoded(Frame(8, 8, grey=True)))
    assert isinstance(found.pop(7), Unreadable)
    assert [int(pixels[0, 0, 0]) for pixels in found] == [5 * n for n in range(50) if n != 7]


def test_arrays_and_pictures_in_memory():
    grey, channels_last, channels_first = np.full((9, 7), 3), np.full((9, 7, 3), 0.5), np.full((3, 9, 7), 200, np.uint8)
    some = Pictures([grey, channels_last, channels_first, Image.new("L", (7, 9), 8)])
    means = [round(float(pixels.mean())) for pixels in some.decoded(Frame(9, 7))]
    assert means == [3, 127, 200, 8]
    (problem,) = Pictures([np.zeros((2, 2, 2, 2))]).decoded(Frame(4, 4))
    assert "expected (h, w)" in str(problem)


def test_rows_of_pictures_and_their_content(tmp_path):
    Image.new("L", (4, 4), 5).save(tmp_path / "a.png")
    (tmp_path / "b.png").write_bytes((tmp_path / "a.png").read_bytes())
    Image.new("L", (4, 4), 6).save(tmp_path / "c.png")
    pictures = Pictures([tmp_path / name for name in ("a.png", "b.png", "c.png", "d.png")])
    assert pictures.content_hash(0) == pictures.content_hash(1) != pictures.content_hash(2)
    assert pictures[np.array([2, 0])].sources == [tmp_path / "c.png", tmp_path / "a.png"]
    assert len(pictures[:2]) == 2
    assert pictures[0] == tmp_path / "a.png"
    with pytest.raises(Unreadable, match="not a file"):
        pictures.content_hash(3)
    array = Pictures(np.zeros((3, 1, 4, 4), np.uint8))
    assert len(array[np.array([True, False, True])]) == 2
    assert array.content_hash(0) == array.content_hash(2) != Pictures(np.zeros((3, 4, 4), np.uint8)).content_hash(0)
