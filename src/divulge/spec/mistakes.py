"""A spec without what is wrong in it, so that the rest can be looked at and all mistakes are told at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from divulge.errors import DivulgeError

_IN_AN_OUTPUT = re.compile(r"outputs\[(?P<number>\d+)\](?:\.(?P<field>\w+))?")


def without_mistakes(
    document: Mapping[str, Any], problems: Sequence[DivulgeError], parse: Callable[[Mapping[str, Any]], Any]
) -> tuple[dict[str, Any], tuple[int, ...]]:
    """The document without the sections that have mistakes, and where the outputs that are left stood in it.

    Of an output the fields that have mistakes are left out, or all of it where `parse` cannot read the rest.
    """
    places = [p.where or "" for p in problems]
    wrong = {re.split(r"[.\[]", place)[0] for place in places}
    rest = {name: value for name, value in document.items() if name not in wrong}
    if "outputs" not in wrong or not isinstance(document.get("outputs"), list):
        return rest, ()
    mistaken = [found.group("number", "field") for found in map(_IN_AN_OUTPUT.match, places) if found is not None]
    kept = {}
    for i, output in enumerate(document["outputs"]):
        fields = {field for number, field in mistaken if int(number) == i}
        left = _readable(output, fields, parse)
        if left is not None:
            kept[i] = left
    return {**rest, "outputs": list(kept.values())}, tuple(kept)


def _readable(
    output: Any, wrong: set[str | None], parse: Callable[[Mapping[str, Any]], Any]
) -> Mapping[str, Any] | None:
    """An output without its mistaken fields; None where something else is wrong with it."""
    if not wrong:
        return dict(output)
    if not isinstance(output, Mapping):
        return None
    left = {name: value for name, value in output.items() if name not in wrong}
    try:
        parse(left)
    except DivulgeError:
        return None
    return left
