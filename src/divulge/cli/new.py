"""`divulge new`: a commented assessment file, from questions at a terminal, from options, or from files at hand."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from divulge.errors import DivulgeError, UsageError
from divulge.terminal.options import JsonOption
from divulge.terminal.screen import screen

if TYPE_CHECKING:
    from divulge.assess.remarks import Finding
    from divulge.table import Schema

_KINDS = ("crosstab", "frequencies", "means", "model")
"""What the questions offer; everything else is written by hand, with divulge outputs beside."""


_Data = Annotated[
    Path | None, typer.Option("--data", metavar="FILE", help="The data that the outputs were computed on.")
]
_Schema = Annotated[
    Path | None, typer.Option("--schema", metavar="S.json", help="What the variables are, beside or without data.")
]
_Results = Annotated[
    list[Path] | None,
    typer.Option("--results", metavar="FILE", help="A CSV of coefficients or of a crosstab; may be repeated."),
]
_Response = Annotated[
    str | None, typer.Option("--response", metavar="NAME", help="What the model of --results explains.")
]
_Crosstab = Annotated[
    list[str] | None, typer.Option("--crosstab", metavar="A,B", help="A crosstab to compute; may be repeated.")
]
_Model = Annotated[
    list[str] | None,
    typer.Option("--model", metavar="FORMULA", help="A regression to compute, as in 'CARS ~ AGE + C(SEX)'."),
]


def run(
    spec: Annotated[Path, typer.Argument(help="The assessment file to write.")] = Path("assessment.yaml"),
    data: _Data = None,
    schema: _Schema = None,
    rows: Annotated[int | None, typer.Option("--rows", min=1, help="How many rows, where there are no data.")] = None,
    results: _Results = None,
    response: _Response = None,
    crosstab: _Crosstab = None,
    model: _Model = None,
    target: Annotated[str | None, typer.Option("--target", help="The variable that the intruder wants.")] = None,
    keys: Annotated[str | None, typer.Option("--keys", metavar="A,B,…", help="What the intruder knows.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there already.")] = False,
    json: JsonOption = False,
) -> None:
    """Write a commented assessment file, to be read and edited.

    Asks what is not given, where there is a terminal. From a data file and a file of results it infers which output
    that is. What is written has been read and checked first.
    """
    from divulge.assess.remarks import find_remarks
    from divulge.record import write_text
    from divulge.spec import parse_spec, read_inputs
    from divulge.spec.draft import Draft

    _check_place(spec, force)
    asking = sys.stdin.isatty() and not json
    if data is None and schema is None and not asking:
        raise UsageError("what the outputs are about is not known.", hint="Give --data FILE, or --schema and --rows.")
    if data is None and schema is None:
        screen.note(f"An answer of {_BACK} goes back one question.")
        data, (known, n_rows) = _ask("The file of data (CSV, Parquet, SPSS, Stata)", _asked_data)
    else:
        known, n_rows = _understood(data, schema)
    if data is None:
        n_rows = rows if rows is not None else typer.prompt("How many rows", type=int, err=True) if asking else None
        if n_rows is None:
            raise UsageError("how many rows there are is not known without data.", hint="Give --rows N.")
    outputs = _outputs(known, spec, results or [], response, crosstab or [], model or [], asking)
    if not outputs:
        raise UsageError(
            "what is to be released is not known.", hint="Give --results FILE, --crosstab A,B or --model FORMULA."
        )
    if asking and target is None and keys is None:
        target, keys = _asked_scenario(known)
    data_place, schema_place = (None if file is None else _seen_from(spec, file) for file in (data, schema))
    n_given = n_rows if data is None else None
    draft = Draft(data_place, schema_place, n_given, outputs, target, None if keys is None else _names(keys))
    # What would be refused later is refused now, in the same words.
    assessment = parse_spec(draft.document(), spec.parent)
    inputs = read_inputs(assessment)
    _check_scenario(draft.target, draft.keys or (), known)
    write_text(spec, draft.text(known))
    remarks = () if inputs.table is None else find_remarks(inputs.table, assessment.outputs, assessment.scenarios)
    if json:
        findings = [vars(remark) for remark in remarks]
        screen.print_json({"file": str(spec), "spec": draft.document(), "findings": findings})
    else:
        _show(spec, remarks, "teach" if data is None else "assess")


def _check_place(spec: Path, force: bool) -> None:
    if spec.exists() and not force:
        raise UsageError("there is such a file already.", where=str(spec), hint="Give another name, or --force.")
    if not spec.parent.is_dir():
        raise UsageError("there is no such folder.", where=str(spec.parent), hint="Make it first.")


def _show(spec: Path, remarks: Sequence[Finding], after: str) -> None:
    """What looks wrong in the data, and what to do next."""
    for remark in remarks:
        screen.note(f"Mind: {remark.sentence} {remark.advice}")
    screen.show(f"Written: {spec}")
    screen.note(f"Read it and edit it. Then: divulge check {spec}, and divulge {after} {spec}")


def _asked_data(answer: str) -> tuple[Path, tuple[Schema, int | None]]:
    path = Path(answer.strip())
    return path, _understood(path, None)


def _asked_scenario(known: Schema) -> tuple[str | None, str | None]:
    """What an intruder wants and knows, by questions."""
    from divulge.errors import unknown_variable

    def named(text: str) -> str:
        for name in _names(text):
            if name not in known:
                raise unknown_variable(name, known.names)
        return text.strip()

    def target(answers: dict[str, Any]) -> None:
        answers["target"] = _ask("What would an intruder want to know (empty: try all)", named, default="") or None

    def keys(answers: dict[str, Any]) -> None:
        if answers["target"] is not None:
            answers["keys"] = _ask("What would they know already (empty: all others)", named, default="") or None

    screen.note(f"Variables: {', '.join(known.names)}")
    found = _ask_in_turn((target, keys))
    return found["target"], found.get("keys")


def _understood(data: Path | None, schema: Path | None) -> tuple[Schema, int | None]:
    from divulge.table import read_schema, read_table

    given = None if schema is None else read_schema(schema)
    if data is None:
        assert given is not None, "one of the two was asked for"
        return given, None
    table = read_table(data, given)
    screen.note(f"{data}: {table.n_rows:,} rows, {len(table.schema)} variables")
    return table.schema, table.n_rows


def _outputs(
    known: Schema,
    spec: Path,
    results: list[Path],
    response: str | None,
    crosstabs: list[str],
    models: list[str],
    asking: bool,
) -> list[dict[str, Any]]:
    from divulge.readers.results import guess_output

    found: list[dict[str, Any]] = []
    for path in results:
        if response is None and asking:
            response = typer.prompt(f"If {path.name} is a model: which variable does it explain", default="", err=True)
        notes: list[str] = []
        one = guess_output(path, known, response or None, notes)
        for note in notes:
            screen.note(note)
        if isinstance(one.get("released"), str):
            one["released"] = _seen_from(spec, path)
        found.append(one)
    found += [{"kind": "crosstab", "variables": _names(names), "compute": True} for names in crosstabs]
    found += [_model(formula, known) for formula in models]
    if not found and asking:
        found.append(_asked(known))
        while typer.confirm("Another output", default=False, err=True):
            found.append(_asked(known))
    return found


def _asked(known: Schema) -> dict[str, Any]:
    """One output by questions. It asks again for an answer that the kind refuses."""
    screen.note(f"Variables: {', '.join(known.names)}")

    def kind(answers: dict[str, Any]) -> None:
        answers["kind"] = _ask(f"What is to be released ({', '.join(_KINDS)})", _read_kind, default=_KINDS[0])

    def content(answers: dict[str, Any]) -> None:
        if answers["kind"] == "model":
            answers["output"] = _ask(
                "The formula, as in CARS ~ AGE + C(SEX)", lambda t: _checked(_model(t, known), known)
            )
            return

        def read(text: str) -> dict[str, Any]:
            return _checked({"kind": answers["kind"], "variables": _names(text)}, known)

        answers["output"] = _ask("Which variables, with commas between", read)

    def groups(answers: dict[str, Any]) -> None:
        if answers["kind"] == "means":

            def read(text: str) -> dict[str, Any]:
                by = _names(text)
                return _checked({**answers["output"], "by": by}, known) if by else answers["output"]

            answers["output"] = _ask("By which groups (empty: none)", read, default="")

    output: dict[str, Any] = _ask_in_turn((kind, content, groups))["output"]
    return {**output, "compute": True}


def _read_kind(text: str) -> str:
    from divulge.outputs.synonyms import kinds_by_other_names

    models = dict.fromkeys(("linear", "logistic", "multinomial", "poisson"), "model")
    named = text.strip().casefold()
    meant = kinds_by_other_names(dict.fromkeys([*_KINDS, *models])).get(named, named)
    meant = models.get(meant, meant)
    if meant not in _KINDS:
        raise UsageError(
            f"the questions know no {text!r}.", hint=f"One of {', '.join(_KINDS)}; divulge outputs lists all kinds."
        )
    return meant


def _checked(output: dict[str, Any], known: Schema) -> dict[str, Any]:
    """The output, where its kind has nothing against it."""
    from divulge.spec import parse_output

    parse_output(output).check(known)
    return output


def _model(formula: str, known: Schema) -> dict[str, Any]:
    """A regression whose kind follows from its response: two values logistic, several categories multinomial."""
    response = formula.partition("~")[0].strip()
    kind = "linear"
    if response in known:
        variable = known[response]
        kind = "logistic" if variable.n_values == 2 else "multinomial" if variable.kind == "categorical" else "linear"
    return {"kind": kind, "formula": formula, "compute": True}


def _check_scenario(target: str | None, keys: Any, known: Schema) -> None:
    from divulge.errors import unknown_variable

    for option, name in (("--target", target), *(("--keys", key) for key in keys)):
        if name is not None and name not in known:
            raise unknown_variable(name, known.names, where=option)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _seen_from(spec: Path, file: Path) -> str:
    """A file's name as the spec's folder sees it; an absolute name stays one."""
    return str(file) if file.is_absolute() else os.path.relpath(file, spec.parent)


_BACK = "<"
_T = TypeVar("_T")


class _GoBackError(Exception):
    """The answer was `<`."""


def _ask(text: str, read: Callable[[str], _T], default: str | None = None) -> _T:
    """An answer as `read` reads it. If `read` refuses an answer, it says why and asks again."""
    while True:
        answer = str(typer.prompt(text, default=default, err=True))
        if answer.strip() == _BACK:
            raise _GoBackError
        try:
            return read(answer)
        except DivulgeError as error:
            screen.error(error)


def _ask_in_turn(questions: Sequence[Callable[[dict[str, Any]], None]]) -> dict[str, Any]:
    """The answers to several questions. Each is given the answers so far and adds its own; `<` asks the last again."""
    answers: dict[str, Any] = {}
    at = 0
    while at < len(questions):
        try:
            questions[at](answers)
            at += 1
        except _GoBackError:
            at = max(0, at - 1)
    return answers
