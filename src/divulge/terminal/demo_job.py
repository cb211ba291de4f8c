"""What `divulge demo --run` does: assess a safe and an unsafe output of the simulated census and of the CPS extract."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

from divulge.demo import DEMOS
from divulge.demo.cps import attribution
from divulge.record import make_folder, write_bytes, write_text
from divulge.table import write_schema, write_table
from divulge.terminal.screen import screen

SPECS = ("census-safe", "census-unsafe", "cps-safe", "cps-unsafe")
"""The assessment files of the demonstration, in the order in which they are run."""


def run_job(folder: Path, tell: Callable[[str, dict[str, Any]], None]) -> dict[str, Any]:
    """Write the data and the specs, assess each, and tell about each as soon as it is known."""
    from divulge.assess import assess, plan
    from divulge.spec import read_spec
    from divulge.terminal.conducting import progress_of_splits, write_results

    make_folder(folder)
    for demo in DEMOS:
        if not any(spec.startswith(demo.name) for spec in SPECS):
            continue
        table = demo.make()
        write_table(table, folder / f"{demo.name}.csv")
        write_schema(table.schema, folder / f"{demo.name}.schema.json")
        if demo.origin == "real":
            # The licence asks that the source goes wherever the data go.
            write_text(folder / f"{demo.name}.source.txt", attribution())
    found: dict[str, Any] = {"assessments": []}
    for name in SPECS:
        source = files("divulge.terminal").joinpath(f"demo_specs/{name}.yaml").read_bytes()
        spec = folder / f"{name}.yaml"
        write_bytes(spec, source)
        screen.note(f"divulge assess {spec} -o {folder / name}")
        ready = plan(read_spec(spec))
        with progress_of_splits() as listener:
            assessed = assess(ready, spec_text=source, folder=folder / name, listener=listener)
        record, report = write_results(assessed.record, folder / name)
        assessed.checkpoint.clear()
        tell(name, assessed.record)
        found["assessments"].append(
            {
                "name": name,
                "verdict": str(assessed.verdict),
                "reasons": assessed.record["reasons"],
                "record": str(record),
                "report": str(report.resolve()),
            }
        )
    return found
