"""Single digits of handed-in text files changed at random: how many of the changes are noticed.

`python -m benchmarks.changed_digits FOLDER [SEED [CHANGES]]` prints the changes that were not.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.folder import FileRead, read_folder
from divulge.readers.handed_in.matching.reading import Checked
from divulge.table import Table, read_table

_TEXT = frozenset({".txt", ".log", ".rout", ".md", ".csv", ".tex", ".html", ".htm", ".smcl", ".out"})
_BESIDE = frozenset({"source.json", "truth.json"})


@dataclass(frozen=True)
class _Place:
    """A figure of a confirmed output, and where in its file it stands."""

    case: Path
    file: str
    checked: Checked
    start: int
    kind: str


def changed(root: Path, seed: int, n_changes: int) -> tuple[Counter[str], list[str]]:
    """How many changes were noticed, left a true statement, or went unnoticed, and what the last ones were."""
    draw = random.Random(seed)
    tables: dict[str, Table] = {}
    places = list(_places(root, tables))
    counts: Counter[str] = Counter()
    missed = []
    for place in draw.sample(places, min(n_changes, len(places))):
        text = _text(place.case / place.file)
        old = place.checked.figure.printed.text
        new = _with_another_digit(old, draw)
        if _is_true(new, place.checked):
            counts["left true"] += 1
            continue
        after = text[: place.start] + new + text[place.start + len(old) :]
        before = read_folder(place.case, tables[_data(place.case)], _BESIDE)
        found = _read_changed(place, after, tables[_data(place.case)])
        was = _trouble(next(f for f in before.files if f.file == place.file))
        is_noticed = any(now > then for now, then in zip(_trouble(found), was, strict=True))
        counts["noticed" if is_noticed else "unnoticed"] += 1
        if not is_noticed:
            missed.append(f"{place.case.name}: {place.kind} {place.checked.figure.label}: {old} as {new}")
    return counts, missed


def _places(root: Path, tables: dict[str, Table]) -> Iterator[_Place]:
    """Every figure that the data confirm and that stands at one place only among the lines of its output."""
    for case in sorted(p.parent for p in root.glob("*/truth.json")):
        data = _data(case)
        if data is None:
            continue
        if data not in tables:
            tables[data] = read_table(root / "data" / data)
        for file, reading in read_folder(case, tables[data], _BESIDE).readings:
            if Path(file).suffix.casefold() not in _TEXT or not reading.confirmed:
                continue
            text = _text(case / file)
            ends = [0, *(m.end() for m in re.finditer("\n", text)), len(text)]
            first, last = (
                ends[min(max(line, 0), len(ends) - 1)]
                for line in (reading.candidate.lines[0] - 1, reading.candidate.lines[1])
            )
            for checked in reading.figures:
                shown = checked.figure.printed.text
                at = [m.start() for m in re.finditer(rf"(?<![\w.]){re.escape(shown)}(?![\w.]*\d)", text[first:last])]
                if checked.agrees and len(at) == 1 and re.search(r"\d", shown):
                    yield _Place(case, file, checked, first + at[0], reading.kind)


def _data(case: Path) -> Any:
    return json.loads((case / "truth.json").read_text(encoding="utf-8"))["data"]


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "surrogateescape")


def _with_another_digit(text: str, draw: random.Random) -> str:
    at = draw.choice([i for i, c in enumerate(text) if c.isdigit()])
    return text[:at] + draw.choice([d for d in "0123456789" if d != text[at]]) + text[at + 1 :]


def _is_true(text: str, checked: Checked) -> bool:
    """Whether a changed figure is still what the data give: `p < 2.3e-16`, or a half rounded to the other side."""
    printed = parse_number(text)
    return printed is not None and checked.computed is not None and printed.agrees(checked.computed, 0.5 + 1e-6)


def _read_changed(place: _Place, text: str, table: Table) -> FileRead:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / place.case.name
        shutil.copytree(place.case, copy)
        (copy / place.file).write_bytes(text.encode("utf-8", "surrogateescape"))
        return next(f for f in read_folder(copy, table, _BESIDE).files if f.file == place.file)


def _trouble(file: FileRead) -> tuple[int, ...]:
    """What of a file makes a checker look: outputs not confirmed, figures that disagree or were not compared, lines."""
    return (
        sum(not r.confirmed for r in file.readings),
        sum(len(r.disagreeing) for r in file.readings),
        sum(len(r.not_compared) for r in file.readings),
        len(file.left) + len(file.unread),
    )


def main(root: Path, seed: int, n_changes: int) -> None:
    counts, missed = changed(root, seed, n_changes)
    print(dict(counts))
    for one in missed:
        print(" ", one)


if __name__ == "__main__":
    given = [int(a) for a in sys.argv[2:]]
    main(Path(sys.argv[1]), *(*given, *(1, 400)[len(given) :]))
