"""`divulge outputs`: the kinds of output with their fields, and the JSON Schema of the assessment file."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any

import typer

from divulge.errors import UsageError, suggest
from divulge.outputs import OUTPUTS, Output
from divulge.outputs.synonyms import kinds_by_other_names
from divulge.settings import json_schema, settings_of, type_text
from divulge.spec import Assessment
from divulge.terminal.options import JsonOption
from divulge.terminal.screen import screen


def run(
    kind: Annotated[str | None, typer.Argument(help="Describe this kind alone, with all its fields.")] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of the assessment file instead.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """List the kinds of output, what each is, and the fields that it has in a spec."""
    if schema:
        screen.print_json(json_schema(Assessment, "Divulge assessment"))
        return
    chosen = OUTPUTS
    if kind is not None:
        chosen = tuple(k for k in OUTPUTS if k.kind == kind)
        if not chosen:
            known = [k.kind for k in OUTPUTS]
            raise UsageError(
                f"there is no kind of output {kind!r}.",
                hint=suggest(kind, known, kinds_by_other_names(dict.fromkeys(known)))
                or f"The kinds are: {', '.join(known)}.",
            )
    if json:
        screen.print_json({"kinds": [_as_json(k) for k in chosen]})
        return
    for each in chosen:
        screen.show(f"{each.kind}: {_summary(each)}")
        for name, setting in settings_of(each).items():
            if not setting.is_shared or kind is not None:
                need = ", needed" if setting.is_needed else ""
                screen.show(f"    {name} ({type_text(setting.hint)}{need}): {setting.help}")
    if kind is None:
        shared = [f.name for f in dataclasses.fields(Output)]
        screen.show("")
        screen.show(f"Beside its own, a kind takes such of these as make sense for it: {', '.join(sorted(shared))}.")
        screen.show("`divulge outputs KIND` explains all fields of one kind.")


def _summary(kind: type[Output]) -> str:
    """The first paragraph of a kind's description, on one line."""
    return " ".join((kind.__doc__ or "").split("\n\n")[0].split())


def _as_json(kind: type[Output]) -> dict[str, Any]:
    """A kind as plain data."""
    return {
        "kind": kind.kind,
        "description": " ".join((kind.__doc__ or "").split()),
        "statbarn": str(kind.statbarn),
        "safe": kind.statbarn.is_safe,
        "lowers": kind.can_lower,
        "why_not": kind.why_not or None,
        "fields": [
            {
                "name": name,
                "type": type_text(setting.hint),
                "needed": setting.is_needed,
                "default": None if setting.is_needed else setting.default,
                "help": setting.help,
            }
            for name, setting in settings_of(kind).items()
        ],
    }
