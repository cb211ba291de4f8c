"""An assessment as a frozen thing, read from its file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass, make_dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from divulge.designs import DESIGNS, Design
from divulge.errors import DivulgeError, SpecError
from divulge.measures import FAMILIES, Family
from divulge.measures.choose import known_names
from divulge.outputs import OUTPUTS, Output, as_read
from divulge.outputs.synonyms import kinds_by_other_names
from divulge.policy import PRESETS, Policy, make_policy, with_preset
from divulge.record import to_plain
from divulge.scenario import Scenario
from divulge.settings import Called, Choice, Entries, Kinds, Range, Shorthand, read_kind, read_settings, settings_of
from divulge.sources import Source, read_source
from divulge.spec.document import read_document
from divulge.spec.teaching import TeachingFields
from divulge.synthesisers import SYNTHESISERS, Synthesiser
from divulge.table.files.read import READERS

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
    # Where the outputs stand in the file, where some of it could not be read and was left out.
    places: tuple[int, ...] = field(default=(), metadata={"spec": False})

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

    def place(self, i: int) -> str:
        """The path of an output in the file."""
        return f"outputs[{self.places[i] if self.places else i}]"


@dataclass(frozen=True, kw_only=True)
class _Rest(Assessment):
    """What is left of an assessment without the sections and outputs that cannot be read."""

    outputs: Annotated[_Outputs, "What is to be released."] = ()


def read_spec(path: str | Path, *, allow_code: bool = False, problems: list[DivulgeError] | None = None) -> Assessment:
    """An assessment from a YAML or JSON file, as `parse_spec` has it."""
    file = Path(path)
    if file.suffix.lower() in (".csv", ".tsv", *READERS) and file.is_file():
        # Read as a spec, a message about a line of it could tell a value.
        hint = f"Write one about it: divulge new SPEC.yaml --data {file}. Or open a page: divulge open --data {file}."
        raise SpecError("this is a file of data, and a spec is needed.", where=str(file), hint=hint)
    return parse_spec(read_document(file), file.parent, allow_code=allow_code, problems=problems)


def parse_spec(
    document: Mapping[str, Any],
    folder: Path | None = None,
    *,
    allow_code: bool = False,
    problems: list[DivulgeError] | None = None,
) -> Assessment:
    """An assessment from plain data. folder: where relative names of files start.

    allow_code: whether functions that it names may be imported and run. problems: where given, mistakes are put there,
    and what has them is left out: a section, a field of an output, or a whole output.
    """
    where = folder or Path()
    try:
        found = read_settings(Assessment, document)
    except SpecError as error:
        if problems is None:
            raise
        problems += error.every
        rest, places = _without_mistakes(document, error.every, parse_output)
        found = replace(read_settings(_Rest, rest), places=places)
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
    return format_settings(output.written)


def format_settings(settings: Any) -> dict[str, Any]:
    """A part of a spec as a spec has it: its kind, and the fields that are not as usual."""
    return dict(_written(settings))


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


_IN_AN_OUTPUT = re.compile(r"outputs\[(?P<number>\d+)\](?:\.(?P<field>\w+))?")


def _without_mistakes(
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
