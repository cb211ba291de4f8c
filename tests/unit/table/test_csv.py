"""Delimited text: what is detected, what columns become, and that blocks do not show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from divulge.errors import RaggedRowsError, UndecodableError, WriteError
from divulge.table import Schema, Table, Variable, read_table, write_table
from divulge.table.files import csv_text
from divulge.table.infer import parse_number


def _read(folder: Path, content: bytes | str, **options: Any) -> Table:
    path = folder / "table.csv"
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return read_table(path, **options)


def _cells(table: Table) -> dict[str, list[Any]]:
    """Every cell as its value."""
    listed = {v.name: [*v.values.tolist(), *v.missing] for v in table.schema}
    return {n: [listed[n][code] for code in table[n].tolist()] for n in table.names}


PLAIN = {"a": [1, 2], "b": ["x", "é"]}


@pytest.mark.parametrize(
    "content",
    [
        "a,b\n1,x\n2,é\n",
        "a;b\n1;x\n2;é\n",
        "a\tb\n1\tx\n2\té\n",
        "a|b\n1|x\n2|é\n",
        "a,b\r\n1,x\r\n2,é\r\n",
        "a,b\r1,x\r2,é\r",
        "a,b\n1,x\n2,é",
        "\n\na,b\n1,x\n2,é\n\n\n",
        '"a","b"\n"1","x"\n"2","é"\n',
        "\ufeffa,b\n1,x\n2,é\n",
        "a,b\n1,x\n2,é\n".encode("utf-16"),
        "\ufeffa,b\n1,x\n2,é\n".encode("utf-16-be"),
        "a,b\n1,x\n2,é\n".encode("cp1252"),
    ],
    ids=[
        *("comma", "semicolon", "tab", "bar", "CRLF", "CR", "no final newline", "blank lines", "quoted", "BOM"),
        *("UTF-16", "UTF-16 big end", "Windows-1252"),
    ],
)
def test_delimiter_encoding_and_newlines_are_detected(tmp_path: Path, content: bytes | str) -> None:
    assert _cells(_read(tmp_path, content)) == PLAIN


def test_delimiter_inside_quotes_does_not_count(tmp_path: Path) -> None:
    table = _read(tmp_path, 'a;b\n"1,2,3";x\n"4,5,6";y\n')
    assert _cells(table) == {"a": ["1,2,3", "4,5,6"], "b": ["x", "y"]}


def test_quotes_newlines_and_empty_texts_are_kept(tmp_path: Path) -> None:
    table = _read(tmp_path, 'a,b\n"say ""hi""\nthere",\n"",1\n')
    assert _cells(table) == {"a": ['say "hi"\nthere', ""], "b": [None, 1]}


def test_quote_inside_an_unquoted_field_is_a_quote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Blocks of a few rows: the odd quote misleads the cutting, and the exact reader takes over.
    monkeypatch.setattr(csv_text, "FIRST_BYTES", 64)
    monkeypatch.setattr(csv_text, "BLOCK_BYTES", 64)
    rows = [f'{i},5" pipe,"two\nlines {i % 3}"' for i in range(101)]
    table = _read(tmp_path, "n,a,b\n" + "\n".join(rows) + "\n")
    assert _cells(table) == {
        "n": list(range(101)),
        "a": ['5" pipe'] * 101,
        "b": [f"two\nlines {i % 3}" for i in range(101)],
    }


@pytest.mark.parametrize(
    ("texts", "kind", "values", "missing"),
    [
        (["3", "-1", "20"], "numeric", [-1, 3, 20], ()),
        (["3", "NA", "20", ""], "numeric", [3, 20], (None, "NA")),
        (["1.50", "2", "1e3"], "numeric", [1.5, 2.0, 1000.0], ()),
        (["57.0", "58.0"], "numeric", [57, 58], ()),
        (["007", "7"], "categorical", ["007", "7"], ()),
        (["+7", "7"], "categorical", ["+7", "7"], ()),
        (["9223372036854775807", "1"], "numeric", [1, 2**63 - 1], ()),
        (["9223372036854775808", "1"], "categorical", ["1", "9223372036854775808"], ()),
        (["9007199254740993", "0.5"], "categorical", ["0.5", "9007199254740993"], ()),
        (["inf", "1"], "categorical", ["1", "inf"], ()),
        (["NA", "x"], "categorical", ["NA", "x"], ()),
        (["2011-03-27", "1999-12-31"], "categorical", ["1999-12-31", "2011-03-27"], ()),
        (["", ""], "categorical", [], (None,)),
    ],
    ids=[
        *("integers", "with NA", "decimals", "whole decimals", "leading zero", "plus sign", "largest", "too large"),
        *("inexact", "infinite", "NA among texts", "dates", "all empty"),
    ],
)
def test_column_is_what_all_of_its_texts_say(
    tmp_path: Path, texts: list[str], kind: str, values: list[Any], missing: tuple[Any, ...]
) -> None:
    for order in (texts, texts[::-1]):
        variable = _read(tmp_path, "x,i\n" + "".join(f"{t},1\n" for t in order)).schema["x"]
        assert (variable.kind, variable.values.tolist(), variable.missing) == (kind, values, missing)


@pytest.mark.slow
@pytest.mark.parametrize("last", ["12.5", "x", "007", "NA", "", "99999999999999999999"])
def test_column_of_distinct_numbers_is_read_like_any_other(tmp_path: Path, last: str) -> None:
    # More than 1,000 distinct numbers at the beginning are read as numbers; the last row may say otherwise.
    texts = [str(i * 3 - 50) for i in range(1500)] + [last]
    fast = _read(tmp_path, "x,i\n" + "".join(f"{t},1\n" for t in texts))
    slow = _read(tmp_path, "x,i\n" + "".join(f"{t},1\n" for t in texts * 3))
    assert fast.schema["x"] == slow.schema["x"]
    shown = [fast.schema["x"].texts[c] for c in fast["x"].tolist()]
    assert shown == texts


@pytest.mark.parametrize("size", [40, 97, 1000])
def test_blocks_do_not_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    rng = np.random.default_rng(3)
    rows = [f'{i},"line {rng.integers(5)}\n""q"", {i % 7}",{["", "NA", 5, 6.5][i % 4]}' for i in range(300)]
    content = "id,text,number\n" + "\n".join(rows)
    whole = _read(tmp_path, content)
    monkeypatch.setattr(csv_text, "FIRST_BYTES", size)
    monkeypatch.setattr(csv_text, "BLOCK_BYTES", size)
    assert _read(tmp_path, content).equals(whole)


def test_ragged_rows_are_counted_and_the_first_is_placed(tmp_path: Path) -> None:
    with pytest.raises(RaggedRowsError, match=r"2 rows do not .* 3 are needed, line 5 has 2\."):
        _read(tmp_path, 'a,b,c\n1,"x\ny",3\n1,2,3\nCANARY,2\n1,2,3,CANARY\n')


def test_row_names_without_a_name_are_explained(tmp_path: Path) -> None:
    with pytest.raises(RaggedRowsError, match="row names"):
        _read(tmp_path, "a,b\n1,5,6\n2,7,8\n")


def test_single_column_that_ends_missing_is_not_written_as_text(tmp_path: Path) -> None:
    table = Table(Schema((Variable("x", "numeric", np.array([1]), missing=(None,)),)), (np.array([0, 1]),))
    with pytest.raises(WriteError, match="single column"):
        write_table(table, tmp_path / "x.csv")
    write_table(table, tmp_path / "x.parquet")
    assert read_table(tmp_path / "x.parquet").equals(table)


def test_labels_are_written_on_request_and_read_back_with_the_schema(tmp_path: Path) -> None:
    sex = Variable(
        "SEX", "categorical", np.array([1, 2]), labels={1: "Male", 2: "Female", -9: "Refused"}, missing=(-9,)
    )
    table = Table(Schema((sex, Variable("N", "numeric", np.arange(3)))), (np.array([0, 2, 1]), np.array([0, 1, 2])))
    write_table(table, tmp_path / "x.csv", labels=True)
    assert (tmp_path / "x.csv").read_text(encoding="utf-8") == "SEX,N\nMale,0\nRefused,1\nFemale,2\n"
    assert read_table(tmp_path / "x.csv", table.schema).equals(table)


def test_writing_fails_whole_or_not_at_all(tmp_path: Path) -> None:
    table = _read(tmp_path, "a,b\n1,2\n")
    with pytest.raises(WriteError, match="No such file or directory"):
        write_table(table, tmp_path / "nowhere" / "x.csv")
    (tmp_path / "kept.csv").write_text("before")
    broken = Table(Schema((Variable("a\udcff", "numeric", np.array([1])),)), (np.array([0]),))
    with pytest.raises(UnicodeEncodeError):
        write_table(broken, tmp_path / "kept.csv")
    assert (tmp_path / "kept.csv").read_text() == "before"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["kept.csv", "table.csv"]


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("-0", 0.0), (".5", 0.5), ("5.", 5.0), ("1e999", None)])
def test_number_is_parsed_by_the_same_rules_everywhere(text: str, number: float | None) -> None:
    assert parse_number(text) == number


def test_ragged_row_with_undecodable_bytes_is_called_undecodable(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(b"a,b\n1,x\n\xff\x81,x,more\n")
    with pytest.raises(UndecodableError):
        read_table(path)
