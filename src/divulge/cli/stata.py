"""`divulge stata`: what the Stata command `divulge:` wrote, assessed. People call it from Stata."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from divulge.record import dumps, to_plain, write_text
from divulge.terminal.options import JsonOption
from divulge.terminal.screen import screen


def run(
    folder: Annotated[Path, typer.Argument(help="The folder that Stata wrote.", show_default=False)],
    json: JsonOption = False,
) -> None:
    """Assess what a command of Stata computed: the prefix command `divulge:` calls this.

    The folder holds results.txt, data.csv and asked.txt. What comes back is spec.json, record.json, report.html and
    verdict.txt, which Stata shows.
    """
    from divulge.assess import assess, plan
    from divulge.assess.remarks import find_remarks
    from divulge.assess.scenarios import scenarios_for
    from divulge.readers.stata_results import read_stata_results
    from divulge.spec import read_inputs, read_spec
    from divulge.terminal.conducting import tell_results, write_results

    made = {"data": "data.csv", "outputs": [read_stata_results(folder)], **_asked(folder / "asked.txt")}
    write_text(folder / "spec.json", dumps(made))
    assessment = read_spec(folder / "spec.json")
    ready = plan(assessment, read_inputs(assessment))
    scenarios = scenarios_for(assessment.scenarios, assessment.outputs, ready.table.schema)
    remarks = find_remarks(ready.table, assessment.outputs, scenarios)
    record = {**assess(ready).record, "findings": to_plain(remarks)}
    files = write_results(record, folder)
    lines = [str(record["verdict"]).upper(), *(f"  - {reason}" for reason in record["reasons"])]
    write_text(folder / "verdict.txt", "\n".join([*lines, f"Report: {files[1].resolve()}"]) + "\n")
    tell_results(record, files, None if json else _show)


def _show(record: dict[str, Any]) -> None:
    screen.show(str(record["verdict"]).upper())
    for reason in record["reasons"]:
        screen.show(f"  - {reason}")


def _asked(path: Path) -> dict[str, Any]:
    """The options of the command as fields of a spec."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    words = [line.split("\t", 1) for line in lines if "\t" in line]
    said = {name: value.strip() for name, value in words if name != "key"}
    keys = [value.strip() for name, value in words if name == "key"]
    # As `divulge.check` of Python has it, so that every door comes to the same verdict.
    found: dict[str, Any] = {
        "seed": int(said.get("seed", "1")),
        "design": {"kind": "repeated-halves", "splits": int(said.get("splits", "30")), "curve": False},
    }
    if "seconds" in said:
        found["synthesiser"] = {"kind": "descent", "seconds": float(said["seconds"])}
    if "target" in said:
        found["scenario"] = {"target": said["target"], **({"keys": keys} if keys else {})}
    if "policy" in said:
        found["policy"] = said["policy"]
    return found
