"""No row value leaves the data in an error: files with a canary in their rows, each wrong in its own way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from divulge.errors import DivulgeError
from divulge.table import Condition, read_table, table_from_frame
from divulge.table.frictionless import parse_schema

CANARY = "Zebedee4711"
NUMBER = 471147  # a value of a row as well; far from any count or line number in these files

HEADER = "name,age,sex\n"
ROWS = f"{CANARY},{NUMBER},1\nAda,34,2\n"
STRICT = {
    "fields": [
        {"name": "name", "type": "string", "categories": ["Ada", "Grace"]},
        {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 120}},
        {"name": "sex", "type": "integer", "categories": [1, 2]},
    ]
}
RULED = {
    "fields": [{"name": "name", "type": "string"}, {"name": "age", "type": "integer"}, {"name": "sex"}],
    "rules": ["age < 120"],
}


def _text(text: str, schema: dict[str, object] | None = None, name: str = "people.csv") -> Callable[[Path], object]:
    def read(folder: Path) -> object:
        (folder / name).write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
        table = read_table(folder / name, parse_schema(schema) if schema else None)
        table.check_rules()
        return table

    return read


def _bytes(content: bytes, name: str) -> Callable[[Path], object]:
    def read(folder: Path) -> object:
        (folder / name).write_bytes(content)
        return read_table(folder / name)

    return read


def _selected_by_what_is_not_there(folder: Path) -> object:
    table = read_table(_written(folder))
    return Condition.parse("name = Nobody and agee > 3", table.schema)


def _written(folder: Path) -> Path:
    (folder / "good.csv").write_text(HEADER + ROWS, encoding="utf-8")
    return folder / "good.csv"


WRONG: dict[str, Callable[[Path], object]] = {
    "ragged row": _text(HEADER + ROWS + f"{CANARY},{NUMBER},1,more\n"),
    "short row": _text(HEADER + ROWS + f"{CANARY}\n"),
    "category outside": _text(HEADER + f"{CANARY},34,1\n", STRICT),
    "number outside": _text(HEADER + f"Ada,{NUMBER},1\n", STRICT),
    "text for a number": _text(HEADER + f"Ada,{CANARY},1\n", STRICT),
    "broken rule": _text(HEADER + ROWS, RULED),
    "column missing": _text("name,age\n" + f"{CANARY},{NUMBER}\n", STRICT),
    "unclosed quote": _text(HEADER + f'"{CANARY},{NUMBER},1\n' * 3),
    "undecodable": _bytes((HEADER + ROWS).encode() + b"\xff\x81" + CANARY.encode() + b",3,1\n", "people.csv"),
    "ragged and undecodable": _bytes((HEADER + ROWS).encode() + b"\xff\x81" + CANARY.encode() + b",3\n", "people.csv"),
    "text named parquet": _bytes((HEADER + ROWS).encode(), "people.parquet"),
    "text named spss": _bytes((HEADER + ROWS).encode(), "people.sav"),
    "text named stata": _bytes((HEADER + ROWS).encode(), "people.dta"),
    "text named sas": _bytes((HEADER + ROWS).encode(), "people.sas7bdat"),
    "not an ending": _bytes((HEADER + ROWS).encode(), "people.docx"),
    "unknown variable": _selected_by_what_is_not_there,
    "not a frame": lambda folder: table_from_frame([CANARY, NUMBER]),
}


@pytest.mark.parametrize("what", WRONG)
def test_error_holds_no_row_value(what: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(DivulgeError) as caught:
        WRONG[what](tmp_path)
    captured = capfd.readouterr()
    said = "\n".join([str(caught.value), repr(caught.value), str(caught.value.as_json()), captured.out, captured.err])
    assert CANARY not in said
    assert str(NUMBER) not in said
    assert "Traceback" not in captured.err
    # A chained exception would be printed with the traceback, and other libraries do quote what they could not read.
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
