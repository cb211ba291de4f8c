"""Condensed people are kept for the next assessment, where nobody else can read them."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from divulge.condensing import kept_counts as keeping
from divulge.condensing.kept_counts import Kept
from divulge.table import Table
from tests.support.assessing import people


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "MANY", 100)


def _counting(table: Table) -> tuple[Callable[[], Table], list[int]]:
    """A way to read a table, and how often it was gone."""
    times: list[int] = []

    def read() -> Table:
        times.append(1)
        return table

    return read, times


def test_people_are_read_once_for_each_set_of_variables(tmp_path: Path) -> None:
    held = people().condensed()
    read, times = _counting(held)
    for _ in range(3):
        assert Kept(tmp_path / "kept", "a").table(held.names, held.schema, read).equals(held)
    assert len(times) == 1
    fewer = held.select(held.names[:2]).condensed()
    other, own = _counting(fewer)
    assert Kept(tmp_path / "kept", "a").table(fewer.names, held.schema, other).equals(fewer)
    assert len(own) == 1


def test_other_data_of_the_same_variables_are_not_taken_for_these(tmp_path: Path) -> None:
    held = people().condensed()
    assert held.people is not None
    Kept(tmp_path, "a").table(held.names, held.schema, lambda: held)
    more = Table(held.schema, held.columns, held.people + 1)
    assert Kept(tmp_path, "b").table(held.names, held.schema, lambda: more).equals(more)


def test_nobody_else_can_read_what_is_kept(tmp_path: Path) -> None:
    held = people().condensed()
    before = os.umask(0)
    try:
        Kept(tmp_path / "kept", "a").table(held.names, held.schema, lambda: held)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "kept").stat().st_mode) == 0o700
    files = list((tmp_path / "kept").iterdir())
    assert len(files) == 1
    assert stat.S_IMODE(files[0].stat().st_mode) == 0o600
    assert set(files[0].name) <= set("0123456789abcdef"), "its name says nothing of what is in it"


@pytest.mark.parametrize("harm", [lambda c: b"", lambda c: c[: len(c) // 2], lambda c: b"x" + c], ids=range(3))
def test_a_damaged_file_is_read_anew(tmp_path: Path, harm: Callable[[bytes], bytes]) -> None:
    held = people().condensed()
    Kept(tmp_path, "a").table(held.names, held.schema, lambda: held)
    (file,) = tmp_path.iterdir()
    file.write_bytes(harm(file.read_bytes()))
    read, times = _counting(held)
    assert Kept(tmp_path, "a").table(held.names, held.schema, read).equals(held)
    assert len(times) == 1
    assert Kept(tmp_path, "a").table(held.names, held.schema, read).equals(held)
    assert len(times) == 1, "it was mended"


def test_few_people_and_rows_are_not_kept(tmp_path: Path) -> None:
    rows = people()
    few = rows.take(np.arange(20)).condensed()
    for table in (rows, few):
        Kept(tmp_path / "kept", "a").table(table.names, table.schema, lambda table=table: table)
    assert not (tmp_path / "kept").exists()


def test_a_file_that_was_written_to_is_looked_at_again(tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_bytes(b"one")
    kept = Kept(tmp_path / "kept", "a")
    assert not kept.has_seen(file)
    kept.note(file)
    assert kept.has_seen(file)
    assert not Kept(tmp_path / "kept", "b").has_seen(file)
    written = file.stat()
    file.write_bytes(b"two")
    os.utime(file, ns=(written.st_atime_ns, written.st_mtime_ns))
    assert not kept.has_seen(file), "the same size and the same date, and yet another file"
