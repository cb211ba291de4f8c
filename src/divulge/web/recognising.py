"""What is recognised in files that somebody sent, from the files alone: their author sees it, so no data have a part.

Read by a process of its own, with a limit of time and of memory: a file may be made to take all of both. What it found
is kept, by the digests of the files.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from anyio import CapacityLimiter

from divulge import __version__
from divulge.errors import DivulgeError, UploadError
from divulge.ledger.model import Submission
from divulge.ledger.proposals import CORRECTIONS
from divulge.ledger.store import Store, make_private
from divulge.record import write_text
from divulge.web.parsing import aside

_PROCESSOR_SECONDS = 120  # a hundred files take a minute
_SECONDS = 600.0  # by the clock: on a busy machine a process waits for most of it
_WAITING = 10  # people who wait for a reading at once, each in a thread that does nothing meanwhile
_MOST_LINES = 5000  # of a file that a page shows; the file itself has the rest
_MOST_CELLS = 60_000
_LONGEST_LINE = 2000
_LAYOUT = 2  # of what is kept; another number has everything read anew

_Files = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Recognised:
    """What was read of files. folder: where it is kept."""

    told: Mapping[str, Any]
    folder: Path

    def document(self, file: str) -> Mapping[str, Any]:
        """A file as lines and tables, for a page."""
        names = self.told["names"]
        if file not in names:
            return {"blocks": [], "reason": "it was not read", "cut": False, "hidden": []}
        found: Mapping[str, Any] = json.loads((self.folder / f"{names.index(file)}.json").read_text(encoding="utf-8"))
        return found


class Recogniser:
    """Reads what was sent, one submission after another. folder: where readings are kept."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._lock = folder, Lock()
        self._failed: set[str] = set()
        self.line = CapacityLimiter(_WAITING)

    def read(self, store: Store, submission: Submission) -> Recognised:
        """What is recognised in the files of a submission."""
        files = sorted((u.name, u.digest) for u in submission.uploads)
        key = sha256(json.dumps([files, __version__, _LAYOUT]).encode()).hexdigest()
        folder = self._folder / key
        with suppress(OSError, ValueError):
            return Recognised(json.loads((folder / "told.json").read_text(encoding="utf-8")), folder)
        with self._lock:
            if key in self._failed:
                # Not tried again with every look: the next in line would wait for as long.
                raise _cannot_be_read()
            if not (folder / "told.json").exists():
                # Until it has been read.
                self._failed.add(key)
                found = _read_aside([(name, str(store.path(digest))) for name, digest in files])
                self._failed.discard(key)
                make_private(self._folder)
                make_private(folder)
                for i, document in enumerate(found.pop("documents")):
                    write_text(folder / f"{i}.json", json.dumps(document, ensure_ascii=False))
                write_text(folder / "told.json", json.dumps(found, ensure_ascii=False))
        return Recognised(json.loads((folder / "told.json").read_text(encoding="utf-8")), folder)


def _read_aside(files: _Files) -> dict[str, Any]:
    try:
        found: dict[str, Any] = aside((recognise, (files,), {}), _SECONDS, _PROCESSOR_SECONDS)
    except DivulgeError:
        raise _cannot_be_read() from None
    return found


def _cannot_be_read() -> UploadError:
    return UploadError(
        "the files could not be read for this page: they take too long or too much memory.",
        hint="The checkers see them all the same.",
    )


def recognise(files: _Files) -> dict[str, Any]:
    """What is in the files, and the files as lines and tables. files: names, and where the contents are."""
    from divulge.readers.handed_in.corrections import Correction, corrected, names_in, read_corrections
    from divulge.readers.handed_in.folder import read_folder
    from divulge.readers.handed_in.telling import as_json

    corrections: tuple[Correction, ...] = ()
    with tempfile.TemporaryDirectory(prefix="divulge-") as made:
        folder, names = Path(made), []
        for name, path in files:
            if name == CORRECTIONS:
                with suppress(DivulgeError):
                    corrections = read_corrections(Path(path).read_text(encoding="utf-8"))
                continue
            shutil.copyfile(path, folder / name)
            names.append(name)
        found = read_folder(folder, None)
        told = as_json(found)
        for one, (file, reading) in zip(told["outputs"], found.readings, strict=True):
            candidate = reading.candidate
            for part in ("confirmed", "note", "others", "agreeing", "compared", "disagreeing"):
                one.pop(part, None)
            one["shape"], one["names"] = candidate.shape, list(names_in(candidate))
            one["corrected"] = list(corrected(candidate, file, corrections).corrected)
        for file in told["files"]:
            file["status"] = "recognised" if file["outputs"] else file["status"]
        documents = [_laid_out(folder / name, name) for name in names]
    return {**told, "names": names, "documents": documents}


def _laid_out(path: Path, name: str) -> dict[str, Any]:
    """A file as lines and tables with the numbers of their lines: text alone, whatever the file was."""
    from divulge.readers.handed_in.sheets import open_document
    from divulge.web.hidden import find_hidden

    document = open_document(path, name)
    blocks: list[dict[str, Any]] = []
    lines = cells = 0
    is_cut = False
    for block in document.blocks:
        if lines >= _MOST_LINES or cells >= _MOST_CELLS:
            is_cut = True
            break
        laid = _block(block, _MOST_LINES - lines)
        lines += len(laid["rows"])
        cells += sum(len(row[1]) for row in laid["rows"])
        is_cut = is_cut or laid.pop("cut")
        blocks.append(laid)
    return {"blocks": blocks, "reason": document.reason, "cut": is_cut, "hidden": find_hidden(path)}


def _block(block: Any, most: int) -> dict[str, Any]:
    from divulge.readers.handed_in.sheets import Grid

    if isinstance(block, Grid):
        rows: list[Any] = [[row.line, [c[:_LONGEST_LINE] for c in row.cells]] for row in block.rows[:most]]
        about = {"before": list(block.before), "after": list(block.after), "sheet": block.sheet}
        return {"is_grid": True, "rows": rows, "cut": len(block.rows) > most, **about}
    rows = [[block.line(i), [text[:_LONGEST_LINE]]] for i, text in enumerate(block.texts[:most])]
    return {"is_grid": False, "rows": rows, "cut": len(block.texts) > most}
