"""What an assessment rests on: schema, data, released numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from divulge.errors import DivulgeError, SpecError, raise_all, unknown_variable
from divulge.outputs import Output, Released, read_released
from divulge.outputs.fields import in_field
from divulge.scenario import place_of
from divulge.spec.assessment import Assessment
from divulge.spec.needed import can_condense, needed_columns
from divulge.table import Schema, Table, read_schema, read_table
from divulge.table.derive import with_derived

Reads = Literal["all", "needed", "condensed"]
"""What of the data is read: every column; those that are needed; the same with people who are alike held once, where
the outputs can be worked out from that."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """What an assessment rests on: the schema, the data where there are any, and how many people."""

    schema: Schema
    table: Table | None
    n_rows: int | None
    released: tuple[Released | None, ...]
    holdout: Table | None = None
    earlier: tuple[Released | None, ...] = ()


def _check_names(assessment: Assessment, schema: Schema, problems: list[DivulgeError]) -> None:
    """Scenarios, and the columns that say who people belong to."""
    for i, scenario in enumerate(assessment.scenarios):
        place = place_of(i, assessment.scenarios)
        problems += scenario.unknown(schema.names, place)
        with _collected(problems):
            scenario.check(SpecError, place, fewest_keys=0)
    for part in ("entity", "holding", "waiver"):
        name = getattr(assessment, part)
        if name is not None and name not in schema:
            problems.append(unknown_variable(name, schema.names, where=part))


def _read_people(
    assessment: Assessment, which: Literal["data", "holdout"], schema: Schema | None, reads: Reads = "all"
) -> Table:
    """The microdata that the assessment names, with the variables that it derives."""
    with _named(which):
        if which == "holdout":
            assert assessment.holdout is not None, "asked only where it is named"
            table = read_table(assessment.holdout, schema)
        else:
            table = _read_data(assessment, schema, reads)
    found = with_derived(table, assessment.derive)
    if found.people is None or not assessment.derive:
        return found
    # Two days of birth may be one age.
    return found.select(needed_columns(assessment, found.schema, found.names, derived=True)).condensed()


def _read_data(assessment: Assessment, schema: Schema | None, reads: Reads) -> Table:
    source = assessment.source
    assert source is not None, "asked only where there are data"
    if reads == "all":
        return source.read(schema, None, condensed=False)
    condensed = reads == "condensed" and can_condense(assessment)
    return source.read(schema, lambda there: needed_columns(assessment, schema, there), condensed=condensed)


def read_inputs(assessment: Assessment, reads: Reads = "all", people: Table | None = None) -> Inputs:
    """Read the schema and the data, and check every output and every released number against them.

    All mistakes are told at once: the error holds them all. people: the data, where they have been read already.
    """
    problems: list[DivulgeError] = []
    found = try_inputs(assessment, problems, reads, people)
    raise_all(problems)
    assert found is not None, "nothing is wrong"
    return found


def try_inputs(
    assessment: Assessment, problems: list[DivulgeError], reads: Reads = "all", people: Table | None = None
) -> Inputs | None:
    """The same with all that is wrong put into `problems`; None where not even the variables are known."""
    schema, table, holdout = None, None, None
    if assessment.schema is not None:
        with _collected(problems), _named("schema"):
            schema = read_schema(assessment.schema)
    if assessment.data is not None and (schema is not None or assessment.schema is None):
        with _collected(problems):
            table = _read_people(assessment, "data", schema, reads) if people is None else people
            schema = table.schema
    if assessment.holdout is not None:
        own = None if schema is None or assessment.schema is None else schema
        without = own and own.select([n for n in own.names if n not in assessment.derive])
        with _collected(problems):
            holdout = _read_people(assessment, "holdout", without)
    with _collected(problems):
        _check_rows(assessment, table)
    if schema is None:
        return None
    n_rows = assessment.rows if table is None else table.n_people
    found: dict[str, tuple[Released | None, ...]] = {
        name: tuple(_released(o, place(i), schema, table, n_rows, assessment.folder, problems) for i, o in given)
        for name, place, given in (
            ("outputs", assessment.place, enumerate(assessment.outputs)),
            ("earlier", "earlier[{}]".format, enumerate(assessment.earlier)),
        )
    }
    _check_names(assessment, schema, problems)
    return Inputs(schema, table, n_rows, found["outputs"], holdout, found["earlier"])


def _check_rows(assessment: Assessment, table: Table | None) -> None:
    if assessment.data is None and assessment.schema is None:
        raise SpecError(
            "what the variables are is not known.", where="data", hint="Name a file of data, or a schema and rows."
        )
    if table is not None and assessment.rows is not None and assessment.rows != table.n_people:
        raise SpecError(
            f"the data have {table.n_people:,} rows, not {assessment.rows:,}.",
            where="rows",
            hint="Leave rows out where there are data.",
        )


def _released(
    output: Output,
    place: str,
    schema: Schema,
    table: Table | None,
    n_rows: int | None,
    folder: Path,
    problems: list[DivulgeError],
) -> Released | None:
    """The released numbers of an output, checked with it against the schema; None where they are to be computed."""
    # Of an output that is wrong already, only part may be there: its numbers would be those of something else.
    is_part = any((p.where or "").startswith(place) for p in problems)
    with _collected(problems), in_field(place):
        output.check(schema)
        if is_part:
            return None
        released = read_released(output, schema, folder, n_rows, together=table is None)
        if table is None and output.released is None:
            raise SpecError(
                "the numbers are neither given nor can they be computed: there are no data.",
                where="released",
                hint="Give released, or name the data.",
            )
        return released
    return None


@contextmanager
def _collected(problems: list[DivulgeError]) -> Iterator[None]:
    """An error becomes a problem among others."""
    try:
        yield
    except DivulgeError as error:
        problems += error.every


@contextmanager
def _named(field: str) -> Iterator[None]:
    """Say which field of the spec named a file that cannot be read."""
    try:
        yield
    except DivulgeError as error:
        error.where = f"{field}: {error.where}" if error.where else field
        raise
