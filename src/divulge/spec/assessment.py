"""An assessment as a frozen thing, and what it rests on: schema, data, released numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from divulge.errors import DivulgeError, SpecError, unknown_variable
from divulge.outputs import OUTPUTS, Output, Released, read_released
from divulge.outputs.output import in_field
from divulge.record import to_plain
from divulge.scenario import EVERY, Scenario
from divulge.spec.document import read_document
from divulge.spec.fields import output_model, spec_fields, spec_model, validated
from divulge.spec.teaching import NO_TEACHING, TeachingSettings, teaching_settings
from divulge.table import Schema, Table, read_schema, read_table


@dataclass(frozen=True)
class Settings:
    """A section that another part of the program reads: its kind, and everything else that it says."""

    kind: str
    values: Mapping[str, Any]


@dataclass(frozen=True)
class Assessment:
    """An assessment file, read. Paths are resolved against the folder that it stands in."""

    outputs: tuple[Output, ...]
    folder: Path
    data: Path | None = None
    schema: Path | None = None
    holdout: Path | None = None
    rows: int | None = None
    earlier: tuple[Output, ...] = ()
    scenarios: tuple[Scenario, ...] = ()
    design: Settings | None = None
    synthesiser: Settings | None = None
    measures: tuple[str, ...] = ()
    policy: Path | Mapping[str, Any] | None = None
    entity: str | None = None
    holding: str | None = None
    waiver: str | None = None
    teaching: TeachingSettings = NO_TEACHING
    seed: int = 1


@dataclass(frozen=True, eq=False)
class Inputs:
    """What an assessment rests on: the schema, the data where there are any, and how many rows."""

    schema: Schema
    table: Table | None
    n_rows: int | None
    released: tuple[Released | None, ...]
    holdout: Table | None = None
    earlier: tuple[Released | None, ...] = ()


def read_spec(path: str | Path, *, allow_code: bool = False) -> Assessment:
    """An assessment from a YAML or JSON file. allow_code: whether functions that it names may be imported and run."""
    file = Path(path)
    return parse_spec(read_document(file), file.parent, allow_code=allow_code)


def parse_spec(document: Mapping[str, Any], folder: Path | None = None, *, allow_code: bool = False) -> Assessment:
    """An assessment from plain data. folder: where relative names of files start."""
    where = folder or Path()
    model: Any = validated(spec_model(OUTPUTS), document)
    outputs: dict[str, list[Output]] = {"outputs": [], "earlier": []}
    for name, made in outputs.items():
        for i, fields in enumerate(getattr(model, name)):
            with in_field(f"{name}[{i}]"):
                output = _output(fields)
                made.append(output.allowed(where) if allow_code else output)
    scenarios = model.scenario if isinstance(model.scenario, list) else [model.scenario] if model.scenario else []
    policy = model.policy
    return Assessment(
        outputs=tuple(outputs["outputs"]),
        earlier=tuple(outputs["earlier"]),
        folder=where,
        data=None if model.data is None else where / model.data,
        schema=None if model.schema_ is None else where / model.schema_,
        holdout=None if model.holdout is None else where / model.holdout,
        rows=model.rows,
        scenarios=tuple(
            _scenario(s, f"scenario[{i}]" if len(scenarios) > 1 else "scenario") for i, s in enumerate(scenarios)
        ),
        design=_settings(model.design),
        synthesiser=_settings(model.synthesiser),
        measures=tuple(model.measures),
        policy=where / policy if isinstance(policy, str) else policy,
        entity=model.entity,
        holding=model.holding,
        waiver=model.waiver,
        teaching=teaching_settings(model.teaching, where),
        seed=model.seed,
    )


def parse_output(document: Mapping[str, Any]) -> Output:
    """One output from plain data, `kind` included."""
    known = {kind.kind: kind for kind in OUTPUTS}
    kind = known.get(str(document.get("kind")))
    if kind is None:
        # The whole spec's model words the error.
        validated(spec_model(OUTPUTS), {"outputs": [dict(document)]})
        raise AssertionError("a kind that the model knows is in OUTPUTS")
    return _output(validated(output_model(kind), document))


def format_output(output: Output) -> dict[str, Any]:
    """An output as the spec has it: its kind, and the fields that are not as usual."""
    named: dict[str, Any] = {"kind": output.kind}
    for name, (_, field, _) in spec_fields(type(output)).items():
        value = getattr(output, name)
        if field.default is dataclasses.MISSING or value != field.default:
            named[name] = to_plain(value)
    return named


def _output(fields: BaseModel) -> Output:
    given = {name: getattr(fields, name) for name in fields.model_fields_set if name != "kind"}
    kind = next(k for k in OUTPUTS if k.kind == fields.kind)  # type: ignore[attr-defined]  # every model has one
    return kind(**given)


def _settings(section: Any) -> Settings | None:
    return None if section is None else Settings(section.kind, dict(section.model_extra or {}))


def _scenario(fields: Any, path: str) -> Scenario:
    sizes = fields.key_sizes
    if isinstance(sizes, str):
        low, dash, high = sizes.replace("–", "-").partition("-")
        parts = [low, high if dash else low]
        if not all(p.strip().isdigit() for p in parts):
            raise SpecError(
                f"{sizes!r} is no range of numbers of keys.", where=f"{path}.key_sizes", hint="Write for example 3-6."
            )
        sizes = [int(p) for p in parts]
    elif isinstance(sizes, int):
        sizes = [sizes, sizes]
    if sizes is not None and (len(sizes) != 2 or not 1 <= sizes[0] <= sizes[1]):
        raise SpecError("a range from at least 1 is needed.", where=f"{path}.key_sizes", hint="Write for example 3-6.")
    keys = (EVERY,) if fields.keys is None else tuple(fields.keys)
    target = EVERY if fields.target is None else fields.target
    return Scenario(keys, target, None if sizes is None else (sizes[0], sizes[1]), fields.knows)


def profile_of(assessment: Assessment) -> str | None:
    """The profile of rules that the spec's policy names; None where it names none."""
    policy = assessment.policy
    document = read_document(policy) if isinstance(policy, Path) else policy
    given = None if document is None else document.get("profile")
    if given is not None and not isinstance(given, str):
        raise SpecError("the name of a profile is needed.", where="policy.profile", hint="For example profile: acro.")
    return given


def _check_units(assessment: Assessment, schema: Schema) -> None:
    for field in ("entity", "holding", "waiver"):
        name = getattr(assessment, field)
        if name is not None and name not in schema:
            raise unknown_variable(name, schema.names, where=field)


def read_inputs(assessment: Assessment) -> Inputs:
    """Read the schema and the data, and check every output and every released number against them."""
    schema = None
    if assessment.schema is not None:
        with _named("schema"):
            schema = read_schema(assessment.schema)
    table = None
    if assessment.data is not None:
        with _named("data"):
            table = read_table(assessment.data, schema)
        schema = table.schema
        if assessment.rows is not None and assessment.rows != table.n_rows:
            raise SpecError(
                f"the data have {table.n_rows:,} rows, not {assessment.rows:,}.",
                where="rows",
                hint="Leave rows out where there are data.",
            )
    holdout = None
    if assessment.holdout is not None:
        with _named("holdout"):
            holdout = read_table(assessment.holdout, None if assessment.schema is None else schema)
    if schema is None:
        raise SpecError(
            "what the variables are is not known.", where="data", hint="Name a file of data, or a schema and rows."
        )
    _check_units(assessment, schema)
    n_rows = assessment.rows if table is None else table.n_rows
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


class _named:
    """Says which field of the spec named a file that cannot be read."""

    def __init__(self, field: str) -> None:
        self.field = field

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, DivulgeError):
            error.where = f"{self.field}: {error.where}" if error.where else self.field
