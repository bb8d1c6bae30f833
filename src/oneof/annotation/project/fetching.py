"""Pictures and sounds given as a table of addresses (`id`, `url`); the server fetches them from hosts that are named.

Otherwise whoever can upload a table could make the server send requests to anything that it can reach. So an address
must be on one of the hosts that the operator has named (ONEOF_PICTURE_HOSTS, not a setting of the project), also after
each redirect, and the host must have a public network address; the server connects to the very address that was
checked. The size of a file and the time to fetch it are limited.
"""

import os
import secrets
import socket
import ssl
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from ipaddress import ip_address
from pathlib import Path
from shutil import rmtree
from urllib.parse import urljoin, urlsplit

import pandas as pd

from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.uploading import MOST_FILES, TABLES, safe_name
from oneof.files.spreadsheets import csv_format
from oneof.items.sounds import SOUND_TYPES, sound_ending
from oneof.items.texts import columns

HOSTS = "ONEOF_PICTURE_HOSTS"
LARGEST = 30 * 2**20
LONGEST_SECONDS = 20.0
MOST_REDIRECTS = 3
AT_ONCE = 8
PORTS = {"http": 80, "https": 443}
BEGINNINGS = {b"\x89PNG\r\n\x1a\n": ".png", b"\xff\xd8\xff": ".jpg", b"GIF8": ".gif", b"RIFF": ".webp", b"BM": ".bmp"}
"""How pictures of each kind begin; the import decodes the whole file later."""


class Unfetchable(Exception):
    """A file cannot be fetched; the message says why."""


@dataclass
class Fetched:
    """The folder of files. names: of its files, by id. left_out: addresses that gave no picture or sound, and why."""

    folder: Path
    names: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)


def has_addresses(path: Path) -> bool:
    """Whether this is a table of addresses rather than of texts."""
    if not path.is_file() or path.suffix.lower() not in TABLES:
        return False
    try:
        found = columns(path)
    except ValueError:
        return False  # the reader of texts will tell what is wrong with it
    return {"id", "url"} <= set(found) and "text" not in found


def allowed_hosts() -> tuple[str, ...]:
    """The hosts that the operator has named: `host` for the usual ports, or `host:port`."""
    return tuple(one.strip().lower() for one in os.environ.get(HOSTS, "").split(",") if one.strip())


def fetch_items(
    home: Path, path: Path, hosts: Sequence[str] | None = None, report: Callable[[int], None] | None = None
) -> Fetched:
    """Fetch every file of the table into a new folder inside `home`. An address on another host is an error.

    report: called with the number of addresses that were tried so far.
    """
    hosts = allowed_hosts() if hosts is None else hosts
    rows = _read(path)
    for number, (_, url) in enumerate(rows, 1):
        try:
            check_address(url, hosts)
        except Unfetchable as error:
            raise ProjectError(f"{path}, row {number}: {error}") from None
    done = Fetched(home / f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}" / "fetched")
    done.folder.mkdir(parents=True)

    def one(row: tuple[str, str]) -> tuple[str, str | None, str]:
        name, url = row
        try:
            return name, _keep(done.folder, name, fetch(url, hosts)), ""
        except Unfetchable as error:
            return name, None, f"{url}: {error}"

    with ThreadPoolExecutor(AT_ONCE) as pool:
        for count, (name, file, problem) in enumerate(pool.map(one, rows), 1):
            if file is None:
                done.left_out.append(f"{name!r}: {problem}")
            else:
                done.names[name] = file
            if report is not None:
                report(count)
    if not done.names:
        rmtree(done.folder.parent)
        raise ProjectError(f"{path}: nothing could be fetched; {done.left_out[0]}")
    return done


def check_address(url: str, hosts: Sequence[str]) -> tuple[str, str, int, str]:
    """(scheme, host, port, path and query) of an address; an error if it is not on one of the hosts.

    >>> check_address("https://images.example.org/a.png", ["images.example.org"])
    ('https', 'images.example.org', 443, '/a.png')
    """
    try:
        parts = urlsplit(url)
        port = parts.port or PORTS.get(parts.scheme, 0)
    except ValueError:
        raise Unfetchable(f"{url[:100]!r} is not an address") from None
    host = (parts.hostname or "").lower()
    if (
        parts.scheme not in PORTS
        or not host
        or parts.username is not None
        or not url.isascii()
        or not url.isprintable()
    ):
        raise Unfetchable(f"{url[:100]!r}: expected http:// or https:// and a host")
    if not hosts:
        raise Unfetchable(f"addresses are not fetched: the operator has named no host ({HOSTS}, or --picture-host)")
    usual = port == PORTS[parts.scheme] and host in hosts
    if not usual and f"{host}:{port}" not in hosts:
        raise Unfetchable(f"host {host}:{port} is not one of those that the operator has named")
    return parts.scheme, host, port, (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def fetch(url: str, hosts: Sequence[str]) -> bytes:
    """The bytes at an address, within the limits of size, time and redirects."""
    deadline = time.monotonic() + LONGEST_SECONDS
    for _ in range(MOST_REDIRECTS + 1):
        scheme, host, port, path = check_address(url, hosts)
        connection = _connect(scheme, host, port, deadline)
        try:
            connection.request("GET", path, headers={"User-Agent": "oneof", "Accept": "image/*, audio/*"})
            reply = connection.getresponse()
            if reply.status in (301, 302, 303, 307, 308):
                url = urljoin(url, reply.getheader("Location", ""))
                continue
            if reply.status != 200:
                raise Unfetchable(f"answered {reply.status}")
            return _body(reply, connection, deadline)
        except (OSError, HTTPException) as error:
            raise Unfetchable(f"not reached: {str(error) or type(error).__name__}") from None
        finally:
            connection.close()
    raise Unfetchable(f"more than {MOST_REDIRECTS} redirects")


def is_public(address: str) -> bool:
    """Whether an address belongs to the public network: not this machine, not a private one, nothing reserved.

    >>> is_public("93.184.215.14"), is_public("127.0.0.1"), is_public("169.254.169.254"), is_public("::ffff:10.0.0.1")
    (True, False, False, False)
    """
    one = ip_address(address)
    mapped = getattr(one, "ipv4_mapped", None)
    return (mapped or one).is_global and not one.is_multicast


def _connect(scheme: str, host: str, port: int, deadline: float) -> HTTPConnection:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError:
        raise Unfetchable(f"host {host} is not known") from None
    addresses = [str(one[4][0]) for one in found]
    private = next((one for one in addresses if not is_public(one)), None)
    if private is not None:
        raise Unfetchable(f"host {host} leads to {private}, which is not a public address")
    timeout = max(0.1, deadline - time.monotonic())
    try:
        # To the address that was checked: to look up the name once more could give another one.
        plain = socket.create_connection((addresses[0], port), timeout)
        if scheme == "http":
            connection: HTTPConnection = HTTPConnection(host, port)
            connection.sock = plain
        else:
            connection = HTTPSConnection(host, port)
            connection.sock = ssl.create_default_context().wrap_socket(plain, server_hostname=host)
    except OSError as error:
        raise Unfetchable(f"not reached: {error}") from None
    return connection


def _body(reply: HTTPResponse, connection: HTTPConnection, deadline: float) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            raise Unfetchable(f"took longer than {LONGEST_SECONDS:g} seconds")
        if connection.sock is not None:
            connection.sock.settimeout(left)
        piece = reply.read1(1 << 16)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
        size += len(piece)
        if size > LARGEST:
            raise Unfetchable(f"is larger than {LARGEST} bytes")


def _keep(folder: Path, name: str, content: bytes) -> str:
    """Store a file under its id, with the suffix of what its bytes are; returns the name of the file."""
    suffix = next((kind for start, kind in BEGINNINGS.items() if content.startswith(start)), None)
    if suffix is None or (suffix == ".webp" and content[8:12] != b"WEBP"):
        suffix = sound_ending(content)
    if suffix is None:
        kinds = ", ".join(one.lstrip(".") for one in (*BEGINNINGS.values(), *SOUND_TYPES))
        raise Unfetchable(f"is not a picture or a sound ({kinds})")
    file = name if Path(name).suffix.lower() == suffix else name + suffix
    target = folder / file
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as stream:
            stream.write(content)
    except FileExistsError:
        raise Unfetchable(f"another id has the file {file!r} already") from None
    except OSError as error:
        with suppress(OSError):
            target.unlink()
        raise Unfetchable(f"cannot be stored: {error.strerror}") from None
    return file


def _read(path: Path) -> list[tuple[str, str]]:
    try:
        if path.suffix.lower() == ".csv":
            written = csv_format(path)
            table = pd.read_csv(path, dtype=str, sep=written.separator, encoding=written.encoding)
        elif path.suffix.lower() == ".jsonl":
            table = pd.read_json(path, lines=True, dtype=False)
        else:
            table = pd.read_parquet(path)
    except (ValueError, OSError) as error:
        raise ProjectError(f"{path}: cannot be read: {error}") from None
    if len(table) > MOST_FILES:
        raise ProjectError(f"{path}: more than {MOST_FILES} rows")
    rows: dict[str, str] = {}
    for number, (name, url) in enumerate(zip(table["id"], table["url"], strict=True), 1):
        if pd.isna(name) or pd.isna(url):
            raise ProjectError(f"{path}, row {number}: expected an id and a url")
        if safe_name(str(name)) != str(name):
            raise ProjectError(f"{path}, row {number}: id {str(name)[:100]!r} cannot be the name of a file")
        if rows.setdefault(str(name), str(url)) != str(url):
            raise ProjectError(f"{path}, row {number}: id {str(name)!r} is there twice, with different addresses")
    if not rows:
        raise ProjectError(f"{path}: no rows")
    return list(rows.items())
