"""One digit of a file is changed: the figure is named, its output is not confirmed, or it is listed as not compared."""

from __future__ import annotations

import random
import re
from functools import lru_cache
from pathlib import Path

import pytest

from divulge.readers.handed_in.folder import FileRead, read_folder
from divulge.table import Table
from tests.support.handed_in import TEXTS, table
from tests.support.sessions import LAYOUTS

FILES = {**TEXTS, **LAYOUTS}
SEEDS = range(4)

_FIGURE = re.compile(r"(?<![\w.:/=<>(\[-])-?\d+\.\d+(?![\w:/.])")
_COMMAND = re.compile(r"^\s*(?:[.>+?] |>>> )")


@lru_cache(maxsize=1)
def people() -> Table:
    return table()


def read(folder: Path, text: str) -> FileRead:
    (folder / "output.txt").write_text(text, encoding="utf-8")
    (found,) = read_folder(folder, people()).files
    return found


def changed(text: str, seed: int) -> tuple[str, int, float] | None:
    """The text with another digit in one number, its line and the number that now stands there."""
    rng = random.Random(seed)
    lines = text.split("\n")
    places = [(i, m) for i, t in enumerate(lines) if not _COMMAND.match(t) for m in _FIGURE.finditer(t)]
    if not places:
        return None
    i, match = rng.choice(places)
    at = rng.choice([k for k, c in enumerate(match[0]) if c.isdigit()])
    digit = rng.choice([d for d in "123456789" if d != match[0][at]])
    number = match[0][:at] + digit + match[0][at + 1 :]
    lines[i] = lines[i][: match.start()] + number + lines[i][match.end() :]
    return "\n".join(lines), i + 1, float(number)


def notices(before: FileRead, after: FileRead, line: int, number: float) -> bool:
    if sum(r.confirmed for r in after.readings) < sum(r.confirmed for r in before.readings):
        return True
    if any(a <= line <= b for a, b, _ in after.left):
        return True
    figures = [(r, c) for r in after.readings for c in r.figures if c.figure.printed.value == number]
    return any(not r.confirmed or (c.agrees is None and c.figure.label in r.not_compared) for r, c in figures)


@pytest.mark.slow
@pytest.mark.parametrize("program", FILES)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_changed_digit_never_slips_by(program: str, seed: int, tmp_path: Path) -> None:
    text = FILES[program]()
    made = changed(text, seed)
    if made is None:
        pytest.skip("It holds no number with decimals.")
    before = read(tmp_path, text)
    assert notices(before, read(tmp_path, made[0]), made[1], made[2])
