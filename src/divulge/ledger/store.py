"""Files on disk under their hash: what was uploaded and released. Their names are in the database, made harmless."""

from __future__ import annotations

import hashlib
import os
import tempfile
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from divulge.errors import LedgerError, UploadError, WriteError
from divulge.record import make_folder

LONGEST_NAME = 120
"""Characters of a file's name; more than any person writes, less than any file system takes."""

PIECE = 1 << 20
"""Bytes that are read and hashed at a time."""


@dataclass(frozen=True)
class Blob:
    """A stored content: its SHA-256 in hexadecimal, and its size in bytes."""

    digest: str
    size: int


@dataclass(frozen=True)
class Store:
    """A folder of contents, each under its hash: the same content is kept once, and a changed one is noticed."""

    folder: Path

    @property
    def demo_folder(self) -> Path:
        """Where the data of the demonstration are written, beside the store."""
        return self.folder.with_suffix(".demo")

    def put(self, content: bytes | Iterable[bytes], *, at_most: int | None = None) -> Blob:
        """Keep a content, given whole or in pieces. at_most: bytes; more is refused while it comes."""
        make_private(self.folder)
        found, size = hashlib.sha256(), 0
        handle, name = tempfile.mkstemp(dir=self.folder, prefix=".coming-")
        try:
            with os.fdopen(handle, "wb") as file:
                for piece in (content,) if isinstance(content, bytes) else content:
                    size += len(piece)
                    if at_most is not None and size > at_most:
                        raise UploadError(f"a file of at most {at_most:,} bytes is taken; this one is larger.")
                    found.update(piece)
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            path = self.path(found.hexdigest())
            make_folder(path.parent)
            Path(name).replace(path)
        except OSError as error:
            raise WriteError(f"a file cannot be kept: {error.strerror}.", where=str(self.folder)) from None
        finally:
            Path(name).unlink(missing_ok=True)
        return Blob(found.hexdigest(), size)

    def path(self, digest: str) -> Path:
        """Where a content is kept."""
        if len(digest) != 64 or not set(digest) <= set("0123456789abcdef"):
            raise LedgerError("this is not the hash of a file.")
        return self.folder / digest[:2] / digest[2:]

    def read(self, digest: str) -> bytes:
        """A content, checked against its hash."""
        try:
            content = self.path(digest).read_bytes()
        except OSError as error:
            raise LedgerError(f"a file is not in the store: {error.strerror}.", where=f"{digest[:12]}…") from None
        if hashlib.sha256(content).hexdigest() != digest:
            raise LedgerError("a file in the store is not what it was.", where=f"{digest[:12]}…")
        return content

    def is_whole(self, digest: str) -> bool:
        """Whether the content is there and as it was put."""
        found = hashlib.sha256()
        try:
            with self.path(digest).open("rb") as file:
                while piece := file.read(PIECE):
                    found.update(piece)
        except OSError:
            return False
        return found.hexdigest() == digest

    @property
    def reports_folder(self) -> Path:
        """Where drawn reports are kept."""
        return self.folder / "reports"

    @property
    def condensed_folder(self) -> Path:
        """Where many people are kept by what they have in common, so that they are counted once."""
        return self.folder / "condensed"

    def work_folder(self, job_id: int) -> Path:
        """Where a job keeps finished splits, so that another worker can go on."""
        return self.folder / "jobs" / str(job_id)


def make_private(folder: Path) -> None:
    """Make a folder that nobody but this account can look into, or make it so."""
    make_folder(folder)
    _close(folder, 0o700)


def make_private_file(path: Path) -> None:
    """Make a file that nobody but this account can read, or make it so; whatever it holds stays."""
    with suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    _close(path, 0o600)


def _close(path: Path, mode: int) -> None:
    # Somebody else's, or on a file system without owners: whoever has set it up so has decided.
    with suppress(OSError):
        if path.stat().st_mode & 0o077:
            path.chmod(mode)


def safe_name(given: str) -> str:
    """A file's name that can do no harm: no folders, no control or direction characters, not hidden, not too long."""
    base = PurePosixPath(given.replace("\\", "/")).name
    kept = "".join(c for c in unicodedata.normalize("NFC", base) if unicodedata.category(c)[0] != "C")
    kept = "".join("_" if c in '<>:"/\\|?*' else c for c in kept).strip(" .")
    if not kept:
        return "file"
    stem, dot, ending = kept.rpartition(".")
    if dot and len(ending) <= 20:
        return f"{stem[: LONGEST_NAME - len(ending) - 1]}.{ending}" if stem else f"file.{ending}"
    return kept[:LONGEST_NAME]
