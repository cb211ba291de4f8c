"""A spec from a folder that was handed in: confirmed outputs as outputs, the rest as comments with their reasons."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from divulge.errors import DivulgeError
from divulge.outputs import Output, Released, read_released
from divulge.outputs.released.computed import compute
from divulge.readers.handed_in.folder import FolderRead
from divulge.readers.handed_in.matching.data import Data
from divulge.readers.handed_in.matching.reading import Reading
from divulge.spec.assessment import parse_output
from divulge.table import Table


@dataclass(frozen=True)
class Placed:
    """An output of a spec and where in the folder it stands. released: its figures as printed, where all were."""

    file: str
    reading: Reading
    fields: Mapping[str, Any]
    output: Output
    released: Released | None


def made_variables(folder: FolderRead, table: Table) -> dict[str, str]:
    """By name, how sessions made the variables that confirmed outputs are of; one name must mean one thing."""
    made: dict[str, str] = {}
    used: set[str] = set()
    clashing: set[str] = set()
    for _, reading in folder.readings:
        derived = reading.candidate.derived
        if not reading.confirmed or not derived:
            continue
        named = _words(f"{reading.formula or ''} {reading.where or ''}")
        used |= {n for n in derived if n in named or n in reading.variables or n in reading.by}
        clashing |= {n for n, text in derived.items() if made.setdefault(n, text) != text}
    return needed_to_make([n for n in used if n not in clashing and n not in table.schema.names], made)


def needed_to_make(names: Iterable[str], made: Mapping[str, str]) -> dict[str, str]:
    """How some variables are made, with those from which they are."""
    wanted, new = set[str](), {name for name in names if name in made}
    while new:
        wanted |= new
        new = {word for name in new for word in _words(made[name]) if word in made} - wanted
    return {name: text for name, text in made.items() if name in wanted}


def with_made_variables(table: Table, made: Mapping[str, str]) -> Table:
    """The table with the variables that sessions made; those that cannot be made again are left out."""
    if not made:
        return table
    whole = Data(table).with_derived(made).table
    return Table(whole.schema, whole.columns)


def _words(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_][\w.]*", text))


def placed_outputs(folder: FolderRead, table: Table) -> tuple[tuple[Placed, ...], tuple[str, ...]]:
    """The outputs that can be assessed, each once, and sentences about those that cannot."""
    placed: list[Placed] = []
    left: list[str] = []
    seen: set[str] = set()
    for file, reading in folder.readings:
        lines = f"{file}, lines {reading.candidate.lines[0]}–{reading.candidate.lines[1]}"
        if not reading.confirmed:
            left.append(f"{lines}: {reading.kind} was not confirmed.")
            continue
        if not reading.outputs:
            left.append(f"{lines}: {reading.kind} was confirmed, and has no kind of output that assesses it.")
        for fields in reading.outputs:
            key = json.dumps({k: v for k, v in fields.items() if k != "released"}, sort_keys=True, default=str)
            if key in seen:
                continue
            seen.add(key)
            try:
                placed.append(_placed(file, reading, fields, table))
            except DivulgeError as error:
                left.append(f"{lines}: {fields['kind']} cannot be assessed: {error.message}")
    return tuple(placed), tuple(left)


def _placed(file: str, reading: Reading, fields: Mapping[str, Any], table: Table) -> Placed:
    """An output with its figures as they were printed, where the file shows all of them, equally precise; else it is
    computed to as many digits as the file shows."""
    if "released" in fields:
        given = {k: v for k, v in fields.items() if k != "compute"}
        try:
            output = parse_output(given)
            released = read_released(output, table.schema, n_rows=table.n_rows, together=False)
            found = compute(output, table, released)
            if released is not None and found.agrees is not None and found.agrees.all():
                return Placed(file, reading, given, output, released)
        except DivulgeError:
            pass  # a figure is not printed: a spec takes all or none
    computed = {k: v for k, v in fields.items() if k != "released"}
    output = parse_output(computed)
    output.check(table.schema)
    compute(output, table)
    return Placed(file, reading, computed, output, None)


def spec_text(folder: FolderRead, table: Table, data: str, schema: str | None = None) -> str:
    """The spec as YAML, with file and lines of every output; empty of outputs where nothing was confirmed."""
    placed, left = placed_outputs(folder, table)
    lines = ["# Outputs as they were handed in. What the data did not confirm is listed below, and not assessed.", ""]
    lines.append(f"data: {_plain(data)}")
    if schema is not None:
        lines.append(f"schema: {_plain(schema)}")
    lines += ["", "outputs:" if placed else "outputs: []"]
    for one in placed:
        first, last = one.reading.candidate.lines
        sheet = f", sheet {one.reading.candidate.sheet!r}" if one.reading.candidate.sheet else ""
        said = f"{one.reading.agreeing} of {one.reading.compared} figures agree with the data"
        uncompared = len(one.reading.not_compared)
        said += f", {uncompared} were not computed again" if uncompared else ""
        lines.append(f"  # {_comment(one.file)}{sheet}, lines {first}–{last}: {said}")
        for i, (name, value) in enumerate(one.fields.items()):
            lines.append(f"  {'- ' if i == 0 else '  '}{name}: {_plain(value)}")
    if left:
        lines += ["", "# Not assessed:"] + [f"# - {_comment(sentence)}" for sentence in left]
    unread = unread_parts(folder)
    if unread:
        lines += ["", "# Not read:"] + [f"# - {_comment(sentence)}" for sentence in unread]
    found = [f"{f.file}, line {x.line}: {x.what}" for f in folder.files for x in f.finds]
    if found:
        lines += ["", "# Look at:"] + [f"# - {_comment(sentence)}" for sentence in found]
    return "\n".join([*lines, ""])


def unread_parts(folder: FolderRead) -> list[str]:
    """Sentences about what was not read: files, and lines of files."""
    whole = [f"{f.file}: {reason}" for f in folder.files for reason in f.unread]
    return whole + [f"{f.file}, lines {a}–{b}: {reason}" for f in folder.files for a, b, reason in f.left]


def _comment(text: str) -> str:
    return " ".join(text.split())


def _plain(value: Any) -> str:
    """A value as YAML on one line: JSON is YAML."""
    return json.dumps(value, ensure_ascii=False)
