"""A PostgreSQL server for one run, deleted afterwards; commits wait for the disk, as on a real server."""

import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg


@contextmanager
def postgres() -> Iterator[str]:
    """The URL of the server's first database."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if not found:
        raise SystemExit("PostgreSQL is not installed (expected /usr/lib/postgresql/*/bin/initdb)")
    programs = found[-1].parent
    home = Path(tempfile.mkdtemp(prefix="oneof-pg-"))  # short: it is the path of a socket
    run: dict[str, Any] = {"check": True, "cwd": home, "stdout": subprocess.DEVNULL}
    if os.geteuid() == 0:
        shutil.chown(home, "postgres")
        run |= {"user": "postgres", "group": "postgres", "extra_groups": []}
    data = home / "data"
    options = f"-c listen_addresses= -c unix_socket_directories={home} -c max_connections=120 -c shared_buffers=256MB"
    subprocess.run([programs / "initdb", "-D", data, "-U", "postgres", "--auth=trust", "-E", "UTF8"], **run)
    subprocess.run([programs / "pg_ctl", "-D", data, "-l", home / "log", "-w", "-o", options, "start"], **run)
    try:
        yield f"postgresql://postgres@/postgres?host={home}"
    finally:
        subprocess.run([programs / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop"], **run)
        shutil.rmtree(home, ignore_errors=True)


def new_database(server: str) -> str:
    """The URL of an empty database on the server."""
    name = f"oneof_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    before, _, after = server.rpartition("/postgres")
    return f"{before}/{name}{after}"
