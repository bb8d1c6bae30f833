"""Fetch data sets from their publishers: pooch downloads and checks, rich shows the progress."""

import logging
import os
from pathlib import Path
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from oneof.datasets.archive import extract_members
from oneof.datasets.errors import ChecksumError, DataError
from oneof.datasets.registry import DatasetInfo, Download
from oneof.datasets.verify import is_official

ROOT_VARIABLE = "ONEOF_DATA"


def data_root(root: str | Path | None = None) -> Path:
    """The folder that holds one folder per data set: `root`, else ONEOF_DATA, else the user's cache folder."""
    if root is not None:
        return Path(root)
    if os.environ.get(ROOT_VARIABLE):
        return Path(os.environ[ROOT_VARIABLE])
    import pooch

    return Path(pooch.os_cache("oneof")) / "datasets"


def fetch(info: DatasetInfo, root: str | Path | None = None, *, console: Console | None = None) -> list[Path]:
    """Download the files of a data set that are missing; the paths of all files that the loader reads.

    A file that differs from the official one is an error, and is not overwritten: it may be the user's own. root: see
    `data_root`. console: where progress is shown; None shows none.
    """
    folder = data_root(root) / info.name
    for file in info.files:
        path = folder / file.name
        if path.is_file() and not is_official(path, file.checksum):
            raise ChecksumError(f"{path} is there but is not the official file; move it away to fetch the official one")
    for download in info.downloads:
        targets = [folder / name for name in download.members.values()] or [folder / download.name]
        if all(target.is_file() for target in targets):
            continue
        had_archive = (folder / download.name).is_file()
        path = _retrieve(download, folder, console)
        if download.members:
            unpack(info, download, folder)
            if not had_archive:
                path.unlink()
    return [folder / file.name for file in info.files]


def unpack(info: DatasetInfo, download: Download, folder: Path) -> None:
    """Extract the members of an archive, and check the archive and each file."""
    archive = folder / download.name
    if not is_official(archive, download.checksum):
        raise ChecksumError(f"{archive} is not the official archive ({download.checksum}); fetch it again")
    extract_members(archive, download.members, folder)
    for file in info.files:
        if not is_official(folder / file.name, file.checksum):
            raise ChecksumError(f"{folder / file.name}, from {archive}, is not the official file ({file.checksum})")


def _retrieve(download: Download, folder: Path, console: Console | None) -> Path:
    import pooch
    import requests

    # The progress bar shows what pooch would log.
    pooch.get_logger().setLevel(logging.WARNING)
    failures = []
    for url in download.urls:
        with _Bar(download, console) as bar:
            # Some servers mark .gz files as compressed *transfer*; asking for none keeps the bytes as published.
            downloader = pooch.HTTPDownloader(
                progressbar=bar, chunk_size=1 << 16, headers={"Accept-Encoding": "identity"}
            )
            try:
                return Path(pooch.retrieve(url, download.checksum, download.name, folder, downloader=downloader))
            except (requests.RequestException, OSError, ValueError) as error:
                failures.append(f"{url}: {' '.join(str(error).split())}")
    raise DataError(f"could not fetch {download.name}; {'; '.join(failures)}")


class _Bar:
    """A progress bar of rich with those methods of tqdm that pooch calls."""

    def __init__(self, download: Download, console: Console | None) -> None:
        self.total = download.bytes
        self._name = download.name
        self._task: TaskID | None = None
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TimeRemainingColumn(),
            console=console,
            disable=console is None,
        )

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._progress.stop()

    def update(self, amount: int) -> None:
        """Advance by so many bytes."""
        if self._task is None:
            self._task = self._progress.add_task(self._name, total=self.total or None)
        self._progress.update(self._task, advance=amount)

    def reset(self) -> None:
        """Go back to the start, as pooch does before it fills the bar."""
        if self._task is not None:
            self._progress.reset(self._task, total=self.total or None)

    def close(self) -> None:
        """Nothing to do: leaving the context stops the display."""
