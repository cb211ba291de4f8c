"""Files of R objects are read without R: tables are confirmed, rows of people and models that carry them are named."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import pandas as pd
import pytest

from divulge.readers.handed_in.folder import FileRead, read_folder
from divulge.readers.handed_in.sheets.serialised import NotRead, objects_in
from tests.support.handed_in import people, table


def integer(n: int) -> bytes:
    return struct.pack(">i", n)


def text(value: str) -> bytes:
    raw = value.encode()
    return integer(9 | 64 << 12) + integer(len(raw)) + raw


def texts(values: list[str]) -> bytes:
    return integer(16) + integer(len(values)) + b"".join(map(text, values))


def symbol(name: str) -> bytes:
    return integer(1) + text(name)


def attributes(pairs: dict[str, bytes]) -> bytes:
    return b"".join(integer(2 | 0x400) + symbol(name) + value for name, value in pairs.items()) + integer(254)


def integers(values: list[int], given: dict[str, bytes] | None = None) -> bytes:
    start = integer(13 | (0x200 if given else 0)) + integer(len(values))
    return start + b"".join(map(integer, values)) + (attributes(given) if given else b"")


def listed(values: list[bytes], given: dict[str, bytes]) -> bytes:
    return integer(19 | 0x200) + integer(len(values)) + b"".join(values) + attributes(given)


def rds(value: bytes) -> bytes:
    return gzip.compress(b"X\n" + integer(2) + integer(0x40301) + integer(0x20300) + value)


def crosstab() -> bytes:
    counts = pd.crosstab(people().town, people().sex)
    names = listed([texts(list(counts.index)), texts(list(counts.columns))], {"names": texts(["town", "sex"])})
    values = [int(v) for column in counts for v in counts[column]]
    return rds(integers(values, {"dim": integers(list(counts.shape)), "dimnames": names}))


def read(path: Path, name: str, data: bytes) -> FileRead:
    (path / name).write_bytes(data)
    return read_folder(path, table()).files[0]


def test_a_table_is_confirmed(tmp_path: Path) -> None:
    (found,) = read(tmp_path, "t.rds", crosstab()).readings
    assert (found.kind, found.variables, found.by, found.confirmed) == ("crosstab", ("town",), ("sex",), True)
    assert found.agreeing == 6


def test_rows_of_people_are_found(tmp_path: Path) -> None:
    few = people().head(5)
    columns = [texts(list(few.town)), texts(list(few.sex)), integers([int(a) for a in few.age])]
    given = {"names": texts(["town", "sex", "age"]), "class": texts(["data.frame"])}
    found = read(tmp_path, "d.rds", rds(listed(columns, given)))
    assert found.readings == ()
    assert [f.what for f in found.finds] == ["rows of data, one line a person"]


def test_a_model_that_carries_its_rows_is_named(tmp_path: Path) -> None:
    call = integer(6) + symbol("lm") + integer(2) + symbol("f") + integer(254)
    parts = [integers([1, 2], {"names": texts(["(Intercept)", "age"])}), call, integers([0] * 200)]
    model = listed(parts, {"names": texts(["coefficients", "call", "residuals"]), "class": texts(["lm"])})
    finds = [f.what for f in read(tmp_path, "m.rds", rds(model)).finds]
    assert finds == ["a fitted model that carries the data of 200 rows it was fitted to (residuals)"]


@pytest.mark.parametrize("cut", [1, 5, 20, 60, -1])
def test_a_file_that_is_cut_off_is_told_with_its_reason(cut: int, tmp_path: Path) -> None:
    found = read(tmp_path, "t.rds", gzip.compress(gzip.decompress(crosstab())[:cut]))
    assert found.status == "not read"
    assert "R objects" in found.unread[0]


def test_a_length_beyond_the_file_is_refused() -> None:
    with pytest.raises(NotRead, match="damaged"):
        objects_in(rds(integer(13) + integer(2**31 - 1)))


def test_lists_within_lists_without_end_are_refused() -> None:
    with pytest.raises(NotRead, match="deeply"):
        objects_in(rds((integer(19) + integer(1)) * 1000 + integer(254)))


def test_a_pickle_is_never_opened(tmp_path: Path) -> None:
    found = read(tmp_path, "a.pkl", b"cos\nsystem\n(S'true'\ntR.")
    assert found.unread == ("a pickle: loading it could run code",)
