"""An assessment as a frozen thing, and what it rests on: schema, data, released numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, is_dataclass, make_dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from divulge.designs import DESIGNS, Design
from divulge.errors import DivulgeError, SpecError, unknown_variable
from divulge.measures import FAMILIES, Family
from divulge.measures.choose import known_names
from divulge.outputs import OUTPUTS, Output, Released, as_read, read_released
from divulge.outputs.output import in_field
from divulge.outputs.synonyms import kinds_by_other_names
from divulge.policy import PRESETS, Policy, make_policy, with_preset
from divulge.record import to_plain
from divulge.scenario import Scenario
from divulge.settings import Called, Choice, Entries, Kinds, Range, Shorthand, read_kind, read_settings, settings_of
from divulge.sources import Source, read_source
from divulge.spec.document import read_document
from divulge.spec.needed import can_condense, needed_columns
from divulge.spec.teaching import TeachingFields
from divulge.synthesisers import SYNTHESISERS, Synthesiser
from divulge.table import Schema, Table, read_schema, read_table
from divulge.table.condense import condense
from divulge.table.derive import with_derived

_KINDS = Kinds("kind of output", OUTPUTS, also=kinds_by_other_names({kind.kind: kind for kind in OUTPUTS}))
_Outputs = tuple[Annotated[Output, _KINDS], ...]

_FamilyFields: Any = make_dataclass(
    "FamilyFields",
    [(f.name, Annotated[f | None, f"The settings of {f.name}."], None) for f in FAMILIES],
    frozen=True,
)
_FamilyFields.__doc__ = "Settings of families of measures, by the family's name."
_MeasureName: Any = Literal[tuple(known_names(FAMILIES))]


@dataclass(frozen=True, kw_only=True)
class Assessment:
    """What is to be released, from which data, and how to judge it."""

    # Paths are resolved against the folder that the file stands in.
    folder: Path = field(default=Path(), metadata={"spec": False})
    families: Mapping[str, Family] = field(default_factory=dict, metadata={"spec": False})

    data: Annotated[
        Path | Mapping[str, Any] | None,
        "The file of microdata or a folder of Parquet files, or {duckdb: FILE, table: NAME}, or {postgresql: SERVICE, "
        "query: SELECT …}; absent where only the outputs are known.",
    ] = None
    schema: Annotated[Path | None, "A Frictionless Table Schema; inferred from the data if absent."] = None
    derive: Annotated[
        Mapping[str, str],
        "Bands of dates as variables of their own, as in ADM_YEAR: year(ADMITTED) or AGE: age(BORN, 2011-03-27).",
    ] = field(default_factory=dict)
    holdout: Annotated[Path | None, "A file of people of the same kind who were not in the data, for comparison."] = (
        None
    )
    rows: Annotated[int | None, "How many rows the outputs were computed on, without data.", Range(least=1)] = None
    outputs: Annotated[_Outputs, "What is to be released.", Entries(least=1)]
    earlier: Annotated[_Outputs, "What is already out about the same data; judged together with the outputs."] = ()
    scenarios: Annotated[
        tuple[Scenario, ...],
        "Keys, target and what else the intruder knows; one scenario or several.",
        Called("scenario"),
    ] = ()
    design: Annotated[Design | None, "How the data are split.", Kinds("design", DESIGNS, DESIGNS[0])] = None
    synthesiser: Annotated[
        Choice[Synthesiser], "How the synthetic data are made.", Kinds("synthesiser", SYNTHESISERS, SYNTHESISERS[0])
    ] = field(default_factory=lambda: Choice(SYNTHESISERS[0], {}))
    measures: Annotated[
        tuple[_MeasureName | _FamilyFields, ...],
        "Which risk measures, by name or by family, as in DCAP or tcap: {tau: 0.9}; the usual ones where absent.",
    ] = ()
    policy: Annotated[
        Path | Policy | None,
        "The thresholds of the verdict: a file, the thresholds themselves, or a preset such as public use.",
        Shorthand(with_preset, {"enum": list(PRESETS)}, "public use"),
    ] = None
    entity: Annotated[str | None, "Whom rules protect: a variable of firms or households; rows if absent."] = None
    holding: Annotated[str | None, "The variable that says which entities belong together and count as one."] = None
    waiver: Annotated[str | None, "A variable that is not 0 where protection was waived."] = None
    teaching: Annotated[TeachingFields, "What data for a class have; for divulge teach alone."] = field(
        default_factory=TeachingFields
    )
    seed: Annotated[int, "Where the random numbers start.", Range(least=0, below=2**63)] = 1

    @property
    def source(self) -> Source | None:
        """Where the data live; None where there are none."""
        if self.data is None:
            return None
        # The name of a file starts in the folder already.
        return read_source(self.data, Path() if isinstance(self.data, Path) else self.folder)


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


def read_spec(path: str | Path, *, allow_code: bool = False, problems: list[DivulgeError] | None = None) -> Assessment:
    """An assessment from a YAML or JSON file, as `parse_spec` has it."""
    file = Path(path)
    return parse_spec(read_document(file), file.parent, allow_code=allow_code, problems=problems)


def parse_spec(
    document: Mapping[str, Any],
    folder: Path | None = None,
    *,
    allow_code: bool = False,
    problems: list[DivulgeError] | None = None,
) -> Assessment:
    """An assessment from plain data. folder: where relative names of files start.

    allow_code: whether functions that it names may be imported and run. problems: where given, mistakes outside the
    outputs are put there, and the sections that have them are as usual.
    """
    where = folder or Path()
    try:
        found = read_settings(Assessment, document)
    except SpecError as error:
        wrong = {re.split(r"[.\[]", each.where or "")[0] for each in error.every}
        if problems is None or "outputs" in wrong:
            raise
        problems += error.every
        found = read_settings(Assessment, {name: v for name, v in document.items() if name not in wrong})
    families = {n: f for m in found.measures if not isinstance(m, str) for n, f in vars(m).items() if f is not None}
    outputs, earlier = (
        tuple(as_read(o.allowed(where) if allow_code else o.placed(where)) for o in given)
        for given in (found.outputs, found.earlier)
    )
    files: dict[str, Any] = {
        n: where / p for n in ("schema", "holdout", "policy") if isinstance(p := getattr(found, n), Path)
    }
    if found.data is not None:
        read_source(found.data, where)
    if isinstance(found.data, Path):
        files["data"] = where / found.data
    extra = None if found.teaching.extra is None else where / found.teaching.extra
    return replace(
        found,
        folder=where,
        outputs=outputs,
        earlier=earlier,
        measures=(*(m for m in found.measures if isinstance(m, str)), *families),
        families=families,
        teaching=replace(found.teaching, extra=extra),
        **files,
    )


def parse_output(document: Mapping[str, Any]) -> Output:
    """One output from plain data, `kind` included."""
    return as_read(read_kind(_KINDS, document))


def format_output(output: Output) -> dict[str, Any]:
    """An output as the spec has it: its kind, and the fields that are not as usual."""
    return dict(_written(output.written))


def _written(value: Any) -> Any:
    """Settings inside an output, or an output, as a spec has them: without what is as usual."""
    if isinstance(value, Mapping):
        return {str(name): _written(part) for name, part in value.items()}
    if not is_dataclass(value):
        return to_plain(value)
    kind = getattr(value, "kind", None)
    named: dict[str, Any] = {} if kind is None else {"kind": kind}
    for name, setting in settings_of(type(value)).items():
        part = getattr(value, setting.field)
        if setting.is_needed or part != setting.default:
            named[name] = _written(part)
    return named


def read_policy(given: Path | Policy | None) -> Policy:
    """The policy that a spec names, or gives itself, or the default one."""
    return make_policy(read_document(given)) if isinstance(given, Path) else given or Policy()


def _check_units(assessment: Assessment, schema: Schema) -> None:
    for part in ("entity", "holding", "waiver"):
        name = getattr(assessment, part)
        if name is not None and name not in schema:
            raise unknown_variable(name, schema.names, where=part)


def read_people(
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
    return condense(found.select(needed_columns(assessment, found.schema, found.names, derived=True)))


def _read_data(assessment: Assessment, schema: Schema | None, reads: Reads) -> Table:
    source = assessment.source
    assert source is not None, "asked only where there are data"
    if reads == "all":
        return source.read(schema, None, condensed=False)
    condensed = reads == "condensed" and can_condense(assessment)
    return source.read(schema, lambda there: needed_columns(assessment, schema, there), condensed=condensed)


def read_inputs(assessment: Assessment, reads: Reads = "all") -> Inputs:
    """Read the schema and the data, and check every output and every released number against them."""
    schema = None
    if assessment.schema is not None:
        with _named("schema"):
            schema = read_schema(assessment.schema)
    table = None
    if assessment.data is not None:
        table = read_people(assessment, "data", schema, reads)
        schema = table.schema
        if assessment.rows is not None and assessment.rows != table.n_people:
            raise SpecError(
                f"the data have {table.n_people:,} rows, not {assessment.rows:,}.",
                where="rows",
                hint="Leave rows out where there are data.",
            )
    holdout = None
    if assessment.holdout is not None:
        own = None if schema is None or assessment.schema is None else schema
        holdout = read_people(
            assessment, "holdout", own and own.select([n for n in own.names if n not in assessment.derive])
        )
    if schema is None:
        raise SpecError(
            "what the variables are is not known.", where="data", hint="Name a file of data, or a schema and rows."
        )
    _check_units(assessment, schema)
    n_rows = assessment.rows if table is None else table.n_people
    released, earlier = (
        tuple(_released(o, f"{name}[{i}]", schema, table, n_rows, assessment.folder) for i, o in enumerate(given))
        for name, given in (("outputs", assessment.outputs), ("earlier", assessment.earlier))
    )
    return Inputs(schema, table, n_rows, released, holdout, earlier)


def _released(
    output: Output, place: str, schema: Schema, table: Table | None, n_rows: int | None, folder: Path
) -> Released | None:
    """The released numbers of an output, checked with it against the schema; None where they are to be computed."""
    with in_field(place):
        output.check(schema)
        released = read_released(output, schema, folder, n_rows, together=table is None)
        if table is None and output.released is None:
            raise SpecError(
                "the numbers are neither given nor can they be computed: there are no data.",
                where="released",
                hint="Give released, or name the data.",
            )
        return released


@contextmanager
def _named(field: str) -> Iterator[None]:
    """Say which field of the spec named a file that cannot be read."""
    try:
        yield
    except DivulgeError as error:
        error.where = f"{field}: {error.where}" if error.where else field
        raise
