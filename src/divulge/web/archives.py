"""Opening a zip file that somebody sent: few and small files, inside one folder, and nothing else."""

from __future__ import annotations

import stat
import unicodedata
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from divulge.errors import UploadError


@dataclass(frozen=True)
class Limits:
    """What an archive may hold. members: files; total: their bytes together; ratio: how much smaller than its content
    it may be (text shrinks to a tenth; a bomb to a thousandth)."""

    members: int = 500
    total: int = 200 << 20
    ratio: int = 200
    depth: int = 8


def unpack(archive: Path, folder: Path, limits: Limits) -> list[Path]:
    """The files of an archive, written into `folder`. Refused whole where anything about it is not as it should be."""
    try:
        with zipfile.ZipFile(archive) as opened:
            members = [m for m in opened.infolist() if not m.is_dir()]
            _check(members, archive.stat().st_size, limits)
            return _write(opened, members, folder, limits)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError):
        # A broken archive fails in as many ways as there are bytes in it; what it says of itself is not repeated.
        raise UploadError(
            "the zip file cannot be opened.",
            hint="Is it complete and without a password?",
        ) from None


def _check(members: list[zipfile.ZipInfo], size: int, limits: Limits) -> None:
    if not members:
        raise UploadError("the zip file is empty.")
    if len(members) > limits.members:
        raise UploadError(f"the zip file has {len(members):,} files; at most {limits.members:,} are taken.")
    total = sum(m.file_size for m in members)
    if total > limits.total:
        raise UploadError(f"the zip file unfolds to {total:,} bytes; at most {limits.total:,} are taken.")
    if total > limits.ratio * max(size, 1):
        raise UploadError("the zip file unfolds to far more than any output does.", hint="Send the files themselves.")
    seen: set[str] = set()
    for member in members:
        path = _safe_path(member.filename, limits.depth)
        folded = unicodedata.normalize("NFC", path.as_posix()).casefold()
        if folded in seen:
            raise UploadError("two files in the zip file have the same name.")
        seen.add(folded)
        kind = stat.S_IFMT(member.external_attr >> 16)
        if kind not in (0, stat.S_IFREG):
            raise UploadError("the zip file holds a link or a device, not only files.")
        if member.flag_bits & 0x1:
            raise UploadError("the zip file needs a password.", hint="Make it without one.")


def _safe_path(name: str, depth: int = 8) -> PurePosixPath:
    """A member's path, inside the folder that it is unpacked into; refused where it leads out of it."""
    path = PurePosixPath(name.replace("\\", "/"))
    parts = path.parts
    wrong = not parts or path.is_absolute() or ".." in parts or ":" in parts[0] or len(parts) > depth
    if wrong or any(unicodedata.category(c)[0] == "C" for c in name) or any(len(p.encode()) > 200 for p in parts):
        raise UploadError("a name in the zip file leads out of its folder or is no name of a file.")
    return path


def _write(opened: zipfile.ZipFile, members: list[zipfile.ZipInfo], folder: Path, limits: Limits) -> list[Path]:
    written, left = [], limits.total
    for member in members:
        path = folder / _safe_path(member.filename, limits.depth)
        path.parent.mkdir(parents=True, exist_ok=True)
        with opened.open(member) as source, path.open("xb") as target:
            # What the directory says of sizes may be a lie: what comes out is counted.
            while piece := source.read(1 << 16):
                left -= len(piece)
                if left < 0:
                    raise UploadError(f"the zip file unfolds to more than {limits.total:,} bytes.")
                target.write(piece)
        written.append(path)
    return written
