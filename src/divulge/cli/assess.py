"""`divulge assess`: from a spec to a verdict, with record.json, report.html and a summary that stands alone."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from divulge.cli.ledger_options import released_before
from divulge.cli.options import AllowCodeOption, JsonOption, SpecArgument
from divulge.cli.screen import screen
from divulge.errors import UsageError
from divulge.record import dumps, write_text

if TYPE_CHECKING:
    from divulge.assess import Assessed, Plan

EXIT_CODES = {"release": 0, "review": 10, "refuse": 20}
"""With --fail-on: what the shell sees."""


class FailOn(StrEnum):
    review = "review"
    refuse = "refuse"


def run(
    spec: SpecArgument,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Where record.json and report.html go.", show_default=False),
    ] = None,
    workers: Annotated[
        int, typer.Option(min=0, metavar="N", help="Processes to share the splits; 0 is as many as pay off.")
    ] = 0,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="A dask scheduler whose workers compute the splits, as tcp://host:8786."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where an interrupted run stopped, to the same result.")
    ] = False,
    fail_on: Annotated[
        FailOn | None, typer.Option("--fail-on", help="Exit with 10 for review and 20 for refuse, from this one on.")
    ] = None,
    exposed_rows: Annotated[
        Path | None,
        typer.Option("--exposed-rows", metavar="FILE", help="Write the numbers of the exposed rows (CSV). Guard it."),
    ] = None,
    ledger: Annotated[
        str | None,
        typer.Option(
            "--ledger",
            metavar="URL",
            envvar="DIVULGE_LEDGER",
            show_default=False,
            help="Assess together with everything that this ledger says was released before about the same data.",
        ),
    ] = None,
    allow_code: AllowCodeOption = False,
    json: JsonOption = False,
) -> None:
    """Say whether outputs may be released: release, review or refuse, with reasons.

    The outputs are recomputed on many random halves of the data, synthetic data are made that reproduce them, and what
    these tell about people who were in is compared with what they tell about people who were not.
    """
    # The conductor brings compiled code with it, which other commands should not wait for.
    from divulge.assess import plan
    from divulge.cli.assess_view import show
    from divulge.spec import read_spec

    assessment = read_spec(spec, allow_code=allow_code)
    ready = plan(assessment) if ledger is None else plan(assessment, *released_before(assessment, ledger))
    folder = output if output is not None else Path(f"{spec.stem}-assessment")
    if exposed_rows is not None and not exposed_rows.parent.is_dir():
        raise UsageError("there is no such folder.", where=f"--exposed-rows {exposed_rows.parent}")
    try:
        found = conduct(ready, folder, spec.read_bytes(), workers, resume, scheduler)
    except KeyboardInterrupt:
        screen.note(f"Interrupted. Finished splits are kept in {folder}; go on with --resume.")
        raise typer.Exit(130) from None
    if exposed_rows is not None:
        write_text(exposed_rows, exposed_csv(found))
    files = write_results(found, folder)
    if json:
        screen.print_json({**found.record, "files": [str(f) for f in files]})
    else:
        show(found.record)
        screen.show(f"Report: {files[1].resolve()}")
    if fail_on is not None:
        code = EXIT_CODES[str(found.verdict)]
        if code >= EXIT_CODES[str(fail_on)]:
            raise typer.Exit(code)


def conduct(
    ready: Plan, folder: Path, spec_text: bytes, workers: int, resume: bool, scheduler: str | None = None
) -> Assessed:
    """Run the assessment with a progress bar. The folder is made, and written to, before any work is done."""
    from divulge.assess import Step, assess

    with screen.progress() as bar:
        tasks: dict[str, object] = {}

        def listen(step: Step) -> None:
            if step.stage not in tasks:
                tasks[step.stage] = bar.add_task(step.stage, total=step.total)
            left = "" if step.seconds_left is None else f", {step.seconds_left:.0f} s left"
            said = f"{step.stage}: split {step.done} of {step.total}{left}"
            bar.update(tasks[step.stage], completed=step.done, total=step.total, description=said)  # type: ignore[arg-type]

        return assess(
            ready,
            spec_text=spec_text,
            folder=folder,
            workers=workers,
            scheduler=scheduler,
            resume=resume,
            listener=listen,
        )


def write_results(found: Assessed, folder: Path) -> list[Path]:
    """report.html, then record.json; then what was kept for resuming is no longer needed."""
    from divulge.reports import Html

    page = Html().render(found.record)
    record, report = folder / "record.json", folder / "report.html"
    write_text(report, page)
    write_text(record, dumps(found.record))
    found.checkpoint.clear()
    return [record, report]


def exposed_csv(found: Assessed) -> str:
    """Row numbers (from 1, without the header), the largest exposure, and under which scenario; no value of a row.

    rule: what gives the row away without any scenario, where something does.
    """
    import numpy as np

    attacks, findings = found.results[0].attacks, found.results[0].findings
    lines = ["row,exposure,target,keys,rule"]
    for row in np.flatnonzero(found.exposed):
        best = max(attacks, key=lambda a: float(a.exposures[row]))
        rule = next((f.rule for f in findings if f.people[row]), "")
        about = f'"{best.attack.target}","{" ".join(best.attack.keys)}","{rule}"'
        lines.append(f"{row + 1},{best.exposures[row]:.6f},{about}")
    return "\n".join(lines) + "\n"
