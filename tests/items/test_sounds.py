"""Sound files: what is what its name says."""

import wave

import pytest

from oneof.items.sounds import SOUND_TYPES, why_unplayable

BEGINNINGS = {
    ".mp3": (b"ID3\x04\x00", b"\xff\xfb\x90\x00"),
    ".ogg": (b"OggS\x00\x02",),
    ".opus": (b"OggS\x00\x02",),
    ".flac": (b"fLaC\x00",),
    ".m4a": (b"\x00\x00\x00\x20ftypM4A ",),
}


def write_wav(path, frames=100):
    with wave.open(str(path), "wb") as out:
        out.setparams((1, 2, 8000, 0, "NONE", ""))
        out.writeframes(b"\x01\x00" * frames)
    return path


def test_every_kind_is_known_by_its_beginning(tmp_path):
    assert set(SOUND_TYPES) == {".wav", *BEGINNINGS}
    assert why_unplayable(write_wav(tmp_path / "a.WAV")) is None
    for kind, beginnings in BEGINNINGS.items():
        for beginning in beginnings:
            path = tmp_path / f"a{kind}"
            path.write_bytes(beginning + bytes(50))
            assert why_unplayable(path) is None, (kind, beginning)


@pytest.mark.parametrize("kind", SOUND_TYPES)
def test_what_is_empty_or_something_else_is_told(tmp_path, kind):
    path = tmp_path / f"a{kind}"
    path.write_bytes(b"")
    assert why_unplayable(path) == "the file is empty"
    for other in (b"<html>", b"\x89PNG\r\n\x1a\n", b"\xff\xf9", b"RIFF1234WEBP"):
        path.write_bytes(other)
        assert why_unplayable(path) == f"this is not a {kind} file", other


def test_a_wave_file_without_sound(tmp_path):
    path = write_wav(tmp_path / "a.wav", frames=0)
    assert why_unplayable(path) == "there is no sound in it"
    path.write_bytes(write_wav(path).read_bytes()[:36])
    assert why_unplayable(path) == "there is no sound in it"
    assert why_unplayable(tmp_path / "gone.wav") == "cannot be read: No such file or directory"
