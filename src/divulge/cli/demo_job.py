"""What `divulge demo --run` does: the steps of an assessment that exist so far, on the simulated census.

Each step adds what it found to the record; the report shows the record. `divulge assess` will take its place.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from divulge import __version__
from divulge.cli.screen import screen
from divulge.demo import simulated_census
from divulge.record import FORMAT_VERSION, dumps, make_folder, write_text
from divulge.table import Table, read_schema, read_table, write_schema, write_table
from divulge.table.lint import lint


def run_job(folder: Path) -> dict[str, Any]:
    """Write the census, read it back, do what can be done, and write record.json and report.html."""
    make_folder(folder)
    record: dict[str, Any] = {
        "format_version": FORMAT_VERSION,
        "divulge": __version__,
        "title": "A simulated census",
        "data": "Simulated: nobody in it exists.",
    }
    census = _as_a_file(folder)
    record["rows"] = len(census)
    record["variables"] = [_variable(census, name) for name in census.names]
    record["rules"] = list(census.schema.rules)
    record["remarks"] = [remark.message for remark in lint(census)]
    write_text(folder / "record.json", dumps(record))
    report = folder / "report.html"
    write_text(report, render(record))
    return {**record, "record": str(folder / "record.json"), "report": str(report.resolve())}


def _as_a_file(folder: Path) -> Table:
    simulated = simulated_census()
    path, dictionary = folder / "census.csv", folder / "census.schema.json"
    write_table(simulated, path)
    write_schema(simulated.schema, dictionary)
    census = read_table(path, read_schema(dictionary))
    census.check_rules()
    screen.note(f"{len(census):,} simulated people are in {path}")
    return census


def _variable(table: Table, name: str) -> dict[str, Any]:
    variable = table.schema[name]
    shares = table.frequencies(name) / len(table)
    few = [
        {"label": label, "share": float(share)}
        for label, share in zip(variable.display, shares, strict=True)
        if variable.kind == "categorical"
    ]
    span = f"{variable.texts[0]} to {variable.texts[-1]}" if variable.kind == "numeric" else ""
    return {"name": name, "title": variable.title, "kind": variable.kind, "span": span, "shares": few}


def render(record: dict[str, Any]) -> str:
    """The report as one HTML page that fetches nothing. Whatever comes from data or spec is escaped."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    source = files("divulge.cli").joinpath("demo_report.html.jinja").read_text(encoding="utf-8")
    return environment.from_string(source).render(record=record)
