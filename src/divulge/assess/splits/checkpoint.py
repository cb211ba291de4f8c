"""Finished splits on disk, each in a file of its own, written whole or not at all: what a run resumes from.

A file holds figures and synthetic rows or counts of them, no row of the data. All are removed when the record is
written.
"""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from divulge.assess.splits.measures import Figure
from divulge.assess.splits.split import Embedded, SplitResult
from divulge.designs import Split
from divulge.errors import DivulgeError, UsageError, WorkerError, WriteError
from divulge.record import make_folder, write_bytes, write_text
from divulge.scenario import Matches
from divulge.table import Table

FOLDER = "splits"

UNREADABLE = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error)
"""What is raised where a file of arrays is not whole."""


class Checkpoint:
    """The folder of finished splits of one assessment; without a folder nothing is kept."""

    def __init__(self, folder: Path | None, digest: str, resume: bool) -> None:
        self.folder = None if folder is None else folder / FOLDER
        self.made: list[Path] = []
        if self.folder is None:
            return
        name = self.folder / "assessment"
        if resume and name.exists() and name.read_text(encoding="utf-8") != digest:
            raise UsageError(
                "the splits in this folder belong to another spec, other data or another version.",
                where=str(self.folder),
                hint="Run without --resume, or into another folder.",
            )
        if not resume and self.folder.exists():
            shutil.rmtree(self.folder, ignore_errors=True)
        self.made = [f for f in (self.folder, *self.folder.parents) if not f.exists()]
        make_folder(self.folder)
        with self.kept_if_of_use():
            write_text(name, digest)

    def load(self, name: str, split: Split) -> SplitResult | None:
        """The finished split of this name; None where there is none, or where the file is not whole."""
        held = self.load_arrays(_named(name, split))
        try:
            return None if held is None else _unpacked(split, json.loads(str(held["about"])), held)
        except UNREADABLE:
            return None

    def save(self, name: str, result: SplitResult) -> None:
        arrays: dict[str, Any] = {"about": np.array(json.dumps(_about(result)))}
        for i, counts in enumerate(result.counts):
            arrays |= {f"near{i}": counts.near, f"matched{i}": counts.matched, f"certain{i}": counts.certain}
        self.save_arrays(_named(name, result.split), arrays)

    def load_arrays(self, name: str) -> dict[str, Any] | None:
        """What is kept under a name; None where there is nothing, or where the file is not whole."""
        path = None if self.folder is None else self.folder / f"{name}.npz"
        if path is None or not path.exists():
            return None
        try:
            with np.load(io.BytesIO(zlib.decompress(path.read_bytes())), allow_pickle=False) as held:
                return dict(held)
        except UNREADABLE:
            return None

    def save_arrays(self, name: str, arrays: dict[str, Any]) -> None:
        if self.folder is None:
            return
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)
        # The quickest level: the usual one takes seven times as long, a quarter of all the time of a million rows.
        write_bytes(self.folder / f"{name}.npz", zlib.compress(buffer.getvalue(), 1))

    @contextmanager
    def kept_if_of_use(self) -> Iterator[None]:
        """What is here when things go wrong stays only where --resume can make use of it: some split is finished, and
        it was not the assessment that cannot be done. Folders that were made for it go too."""
        try:
            yield
        except (DivulgeError, OSError) as error:
            is_of_use = isinstance(error, WriteError | WorkerError)
            if self.folder is not None and not (is_of_use and any(self.folder.glob("[!.]*.npz"))):
                self.clear()
                for made in self.made:
                    with suppress(OSError):  # not empty: somebody else's
                        made.rmdir()
            raise

    def clear(self) -> None:
        """Remove all of it: the assessment is done."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


def _named(name: str, split: Split) -> str:
    part = split.part.replace("/", "-").replace(" ", "-")
    return f"{name}-{part}-{split.number}"


def digest_of(*parts: bytes) -> str:
    """One text for everything that a result depends on."""
    found = hashlib.sha256()
    for part in parts:
        found.update(len(part).to_bytes(8, "big"))
        found.update(part)
    return found.hexdigest()


def digest_of_table(table: Table) -> str:
    """One text for the data: of the rows, or of different rows with how many people have each."""
    held = table.columns if table.people is None else (*table.columns, table.people)
    return digest_of(*(np.ascontiguousarray(column).tobytes() for column in held))


def _about(result: SplitResult) -> dict[str, Any]:
    return {
        "outputs": [asdict(o) for o in result.outputs],
        "outcome": result.outcome,
        "why_not": result.why_not,
        "measures": [{n: asdict(f) for n, f in m.items()} for m in result.measures],
        "sweep": [{n: asdict(f) for n, f in m.items()} for m in result.sweep],
        "seconds": result.seconds,
        "searching": result.searching,
        "n_scenarios": len(result.counts),
    }


def _unpacked(split: Split, about: dict[str, Any], held: Any) -> SplitResult:
    return SplitResult(
        split,
        tuple(Embedded(**o) for o in about["outputs"]),
        about["outcome"],
        about["why_not"],
        tuple(Matches(held[f"near{i}"], held[f"matched{i}"], held[f"certain{i}"]) for i in range(about["n_scenarios"])),
        tuple({n: Figure(**f) for n, f in m.items()} for m in about["measures"]),
        tuple({n: Figure(**f) for n, f in m.items()} for m in about["sweep"]),
        about["seconds"],
        about["searching"],
    )
