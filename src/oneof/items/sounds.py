"""Sound files as browsers play them: which ones, and whether a file is what its name says.

Sounds are asked about and never decoded here: there is no encoder for them. The header shows an empty file, another
format, or a file without sound; other damage shows only when the page plays the file.
"""

from pathlib import Path

SOUND_TYPES = {
    ".wav": "audio/wav",
    ".mp3": "audio/mpeg",
    ".ogg": "audio/ogg",
    ".opus": "audio/ogg",
    ".flac": "audio/flac",
    ".m4a": "audio/mp4",
}
"""What current browsers play: suffixes of files, and the media type that they are sent as."""
HEADER = 4096


def why_unplayable(path: Path) -> str | None:
    """Why this file cannot be played, by its first bytes; None if they look right.

    >>> from tempfile import mkdtemp
    >>> file = Path(mkdtemp()) / "a.flac"
    >>> _ = file.write_bytes(b"RIFF")
    >>> why_unplayable(file)
    'this is not a .flac file'
    """
    try:
        with path.open("rb") as stream:
            head = stream.read(HEADER)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if not head:
        return "the file is empty"
    kind = path.suffix.lower()
    if not _looks_like(kind, head):
        return f"this is not a {kind} file"
    return _silent_wav(head, path.stat().st_size) if kind == ".wav" else None


def sound_ending(content: bytes) -> str | None:
    """The ending of a sound file that begins like this; None if it is no sound.

    >>> sound_ending(b"fLaC")
    '.flac'
    """
    return next((kind for kind in SOUND_TYPES if _looks_like(kind, content)), None)


def _looks_like(kind: str, head: bytes) -> bool:
    if kind == ".wav":
        return head[:4] in (b"RIFF", b"RF64") and head[8:12] == b"WAVE"
    if kind == ".mp3":
        # A tag, or the eleven bits that begin every frame, with a layer that exists.
        return head[:3] == b"ID3" or (len(head) > 3 and head[0] == 0xFF and head[1] >= 0xE0 and head[1] & 0x06 != 0)
    if kind == ".flac":
        return head[:4] == b"fLaC"
    if kind == ".m4a":
        return head[4:8] == b"ftyp"
    return head[:4] == b"OggS"


def _silent_wav(head: bytes, size: int) -> str | None:
    """Why a wave file, which is a list of chunks, is silent: there must be a chunk of data, and something in it."""
    at = 12
    while at + 8 <= len(head):
        name, length = head[at : at + 4], int.from_bytes(head[at + 4 : at + 8], "little")
        if name == b"data":
            # The length is not to be trusted: recorders that were switched off leave 0 or the largest number.
            return "there is no sound in it" if size <= at + 8 else None
        at += 8 + length + length % 2
    return "there is no sound in it" if at >= size else None
