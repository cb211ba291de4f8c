"""Nothing of an author's own leaves in the labels of an output: a mark is put into every field of every kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from divulge.errors import DivulgeError
from divulge.ledger.carried import check_numbers
from divulge.outputs import OUTPUTS
from divulge.settings import settings_of
from divulge.spec import format_output, parse_output
from tests.contract.test_outputs import table_of

MARK = "Zebedee4711"
NUMBER = 4711.19700101
LOUD = (MARK, str(NUMBER), str(0x471119700101), str(4711_1970_0101), "  ", "--", "+-", ".00")
"""The marks as a label would show them, and what can be written in many ways that mean the same."""

KINDS = [kind for kind in OUTPUTS if kind.can_lower]
CASES = [pytest.param(kind, e, id=f"{kind.kind}: {e.title}") for kind in KINDS for e in kind.examples]


def _marked(value: Any, mark: Any) -> Iterator[Any]:
    """The value with the mark in each place in turn."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from ({**value, name: other} for other in _marked(one, mark))
            yield {**{n: v for n, v in value.items() if n != name}, str(mark): one}
    elif isinstance(value, list | tuple):
        for i, one in enumerate(value):
            yield from ([*value[:i], other, *value[i + 1 :]] for other in _marked(one, mark))
        yield [*value, mark]
    elif isinstance(value, str) and isinstance(mark, str):
        yield from (mark, f"{value} {mark}", f"{value} + {mark}", f"{value} + I({mark})", f"{value} # {mark}")
        yield f"{value} == '{mark}'"
    elif isinstance(value, str):
        yield from (f"{value} + {mark}", value.replace(" ", "  ").replace("(", "( "), f"{value}.00")
        factors = (mark, "0x471119700101", "4711_1970_0101", "--3", "+-3")
        variable = value.rpartition("~")[2].split()[-1] if value.strip() else "x"
        yield from (f"{value} + I({variable} * {factor})" for factor in factors)
    else:
        yield mark


def _ways(kind: Any, fields: dict[str, Any], mark: Any) -> Iterator[dict[str, Any]]:
    """The document of an output with the mark in one place, in fields that it has and in those that it might have."""
    whole = {"kind": kind.kind, **fields, "compute": True}
    for name, value in fields.items():
        yield from ({**whole, name: other} for other in _marked(value, mark))
    for name in settings_of(kind):
        if name not in whole:
            given = (mark, [mark], {str(mark): mark}, {str(mark): [[mark, mark]]})
            yield from ({**whole, name: one} for one in given)


@pytest.mark.parametrize(("kind", "example"), CASES)
def test_mark_in_any_field_is_refused_or_stays(kind: Any, example: Any) -> None:
    table = table_of(example.data)
    tried = 0
    for mark in (MARK, NUMBER):
        for document in _ways(kind, dict(example.fields), mark):
            tried += 1
            try:
                output = parse_output(document)
                check_numbers(format_output(output))
                output.check(table.schema)
                labels = output.labels(table.schema)
            except DivulgeError:
                continue
            loud = [label for label in labels if any(one in label for one in LOUD)]
            assert loud == [], document
    assert tried > 20
