"""The catalogue of output kinds: every kind with its fields and its examples, computed while the page is written."""

from __future__ import annotations

import dataclasses
import tempfile
from functools import cache
from pathlib import Path

import yaml

from divulge.demo import cps_extract, simulated_census, simulated_health
from divulge.outputs import OUTPUTS, Example, Output, Status
from divulge.outputs.released.computed import compute
from divulge.record import dumps
from divulge.settings import Setting, json_schema, settings_of, type_text
from divulge.spec import Assessment, parse_output
from divulge.table import Table

N_ROWS = 2000
"""Rows of the demo data that the examples are computed on."""

N_SHOWN = 12
"""Figures shown of an example."""

DATA = {"census": "the simulated census", "health": "the simulated health records", "cps": "the CPS extract"}


@cache
def table_of(data: str) -> Table:
    if data == "census":
        return simulated_census(N_ROWS)
    return simulated_health(N_ROWS) if data == "health" else cps_extract().take(slice(N_ROWS))


def catalogue_page() -> str:
    """docs/reference/catalogue.md."""
    shared = {f.name for f in dataclasses.fields(Output)}
    parts = [
        "# Kinds of output",
        "This page is generated. Every example on it is computed from the first "
        f"{N_ROWS:,} rows of [data that come with Divulge](../commands.md#divulge-demo) when the page is written.",
        "\n".join(
            ["| kind | what it is | statbarn |", "|---|---|---|"]
            + [f"| [{k.kind}](#{k.kind}) | {_cell(_summary(k))} | {k.statbarn} |" for k in OUTPUTS]
        ),
        "## Fields that kinds share",
        "A kind takes those that make sense for it; `divulge outputs KIND` says which.",
        _fields(Output, shared),
    ]
    for kind in OUTPUTS:
        parts += [f"## {kind.kind}", *_described(kind, shared)]
        for example in kind.examples:
            parts += _example(kind, example)
    return "\n\n".join(parts) + "\n"


def schema_file() -> str:
    """docs/reference/spec.schema.json, for editors that check and complete a spec as one types."""
    return dumps(json_schema(Assessment, "Divulge assessment"))


def _summary(kind: type[Output]) -> str:
    return " ".join((kind.__doc__ or "").split("\n\n")[0].split())


def _described(kind: type[Output], shared: set[str]) -> list[str]:
    paragraphs = [" ".join(p.split()) for p in (kind.__doc__ or "").split("\n\n")]
    safe = "a safe group" if kind.statbarn.is_safe else "an unsafe group"
    facts = [f"Statbarn: {kind.statbarn} ({safe})."]
    facts.append("It lowers: the search reproduces it by totals." if kind.can_lower else kind.why_not)
    if not kind.takes_weights:
        facts.append("It takes no weights.")
    return [*paragraphs, " ".join(facts), _fields(kind, set(settings_of(kind)) - shared)]


def _fields(kind: type[Output], names: set[str]) -> str:
    rows = ["| field | type | meaning |", "|---|---|---|"]
    fields = settings_of(kind) if kind is not Output else _all_shared()
    for name, setting in fields.items():
        if name in names:
            usual = "" if setting.is_needed or setting.default in (None, (), False) else _shown(setting.default)
            needed = " Needed." if setting.is_needed else f" Default: {usual}." if usual else ""
            rows.append(f"| `{name}` | {_cell(type_text(setting.hint))} | {_cell(setting.help)}{needed} |")
    return "\n".join(rows)


def _all_shared() -> dict[str, Setting]:
    """The fields of Output itself, taken from a kind that has them all."""
    return settings_of(max(OUTPUTS, key=lambda k: (k.takes_weights, k.can_suppress, k.has_threshold)))


def _shown(default: object) -> str:
    return ", ".join(map(str, default)) if isinstance(default, tuple) else str(default)


def _example(kind: type[Output], example: Example) -> list[str]:
    fields = {"kind": kind.kind, **example.fields}
    output = parse_output(fields)
    spec = yaml.safe_dump([fields], sort_keys=False, default_flow_style=None, allow_unicode=True, width=100)
    table = table_of(example.data)
    parts = [f"**{example.title}**, in {DATA[example.data]}:"]
    with tempfile.TemporaryDirectory() as folder:
        if example.code is not None:
            name = str(example.fields["function"]).split(":")[0]
            (Path(folder) / name).write_text(example.code, encoding="utf-8")
            parts.append(f"With this in `{name}`:\n\n```py\n{example.code}```")
            output = output.allowed(Path(folder))
        computed = compute(output, table)
    parts.append(f"```yaml\noutputs:\n{spec.rstrip()}\n```")
    texts = computed.released.precision.texts(computed.released.values)
    se = None if computed.figures.se is None else computed.released.precision.texts(computed.figures.se)
    rows = ["| figure | value |", "|---|---:|"] if se is None else ["| figure | value | se |", "|---|---:|---:|"]
    for i, label in enumerate(computed.figures.labels[:N_SHOWN]):
        stands_for = computed.figures.texts[i] if computed.figures.texts is not None else None
        value = (texts[i] or "suppressed") + (f" ({stands_for})" if stands_for else "")
        rows.append(f"| {_cell(label)} | {value} |" + (f" {se[i]} |" if se is not None else ""))
    parts.append("\n".join(rows))
    left = len(computed.figures.labels) - N_SHOWN
    if left > 0:
        parts.append(f"… and {left} more.")
    if computed.figures.status is not Status.OK:
        parts.append(f"Status: {computed.figures.status}. {computed.figures.status.sentence}")
    return parts


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
