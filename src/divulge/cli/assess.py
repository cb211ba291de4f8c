"""`divulge assess`: from a spec to a verdict, with record.json, report.html and a summary that stands alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from divulge.errors import UsageError
from divulge.record import make_folder, to_plain, write_text
from divulge.terminal.conducting import exit_for, progress_of_splits, tell_results, write_results
from divulge.terminal.ledger_options import EarlierOption, beside_released, released_before
from divulge.terminal.options import (
    AllowCodeOption,
    FailOnOption,
    JsonOption,
    ResultsOption,
    ResumeOption,
    SpecArgument,
    WorkersOption,
)
from divulge.terminal.result_folders import result_folder
from divulge.terminal.screen import screen
from divulge.terminal.stopping import Stopped, unfinished

if TYPE_CHECKING:
    from divulge.assess import Assessed, Plan
    from divulge.spec import Assessment


def run(
    spec: SpecArgument,
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="FILE", help="With a folder: the data of its outputs.", show_default=False),
    ] = None,
    output: ResultsOption = None,
    workers: WorkersOption = 0,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="A dask scheduler whose workers compute the splits, as tcp://host:8786."),
    ] = None,
    resume: ResumeOption = False,
    fail_on: FailOnOption = None,
    exposed_rows: Annotated[
        Path | None,
        typer.Option("--exposed-rows", metavar="FILE", help="Write the numbers of the exposed rows (CSV). Guard it."),
    ] = None,
    ledger: EarlierOption = None,
    allow_code: AllowCodeOption = False,
    json: JsonOption = False,
) -> None:
    """Say whether outputs may be released: release, review or refuse, with reasons.

    The outputs are recomputed on many random halves of the data, synthetic data are made that reproduce them, and what
    these tell about people who were in is compared with what they tell about people who were not.
    """
    # The conductor brings compiled code with it, which other commands should not wait for.
    from divulge.assess import assess
    from divulge.spec import read_spec
    from divulge.terminal.assess_view import show

    if spec.is_dir():
        _refuse({"--scheduler": scheduler, "--exposed-rows": exposed_rows})
        exit_for(_assess_folder(spec, data, output, workers, resume, ledger, json), fail_on)
        return
    assessment = read_spec(spec, allow_code=allow_code)
    ready = _planned(assessment, ledger, exposed_rows)
    wanted = output if output is not None else Path(f"{spec.stem}-assessment")
    folder = _folder(wanted, spec, ready, resume)
    try:
        with progress_of_splits() as listener:
            found = assess(
                ready,
                spec_text=spec.read_bytes(),
                folder=folder,
                workers=workers,
                scheduler=scheduler,
                resume=resume,
                listener=listener,
            )
    except KeyboardInterrupt:
        raise Stopped(*(() if folder == wanted else ("-o", str(folder))), "--resume") from None
    if exposed_rows is not None:
        write_text(exposed_rows, _exposed_csv(found))
    record = {**found.record, "findings": _findings(ready)}
    files = write_results(record, folder)
    found.checkpoint.clear()  # what was kept for resuming is no longer needed
    tell_results(record, files, None if json else show)
    exit_for(str(found.verdict), fail_on)


def _planned(assessment: Assessment, ledger: str | None, exposed_rows: Path | None) -> Plan:
    """The plan: beside what a ledger says was released before, and of single rows where their numbers are wanted."""
    from divulge.assess import plan
    from divulge.spec import read_inputs

    if exposed_rows is not None and not exposed_rows.parent.is_dir():
        raise UsageError("there is no such folder.", where=f"--exposed-rows {exposed_rows.parent}")
    if ledger is not None:
        return plan(assessment, *released_before(assessment, ledger))
    if exposed_rows is None or assessment.data is None:
        return plan(assessment)
    if not isinstance(assessment.data, Path) or assessment.data.is_dir():
        raise UsageError("rows have a number in a file alone.", where="--exposed-rows", hint="Leave it out.")
    return plan(assessment, read_inputs(assessment, "needed"))


def _folder(wanted: Path, spec: Path, ready: Plan, resume: bool) -> Path:
    """The folder for the results: the one that is wanted, or one beside it where another assessment has that."""
    from divulge.assess.splits.checkpoint import digest_of, digest_of_table

    # Whoever goes on from finished splits means the folder that has them.
    if resume and (wanted / "splits").exists():
        return wanted
    folder = result_folder(wanted, digest_of(spec.read_bytes()), digest_of_table(ready.table))
    if folder != wanted:
        screen.note(f"{wanted} belongs to another assessment; this one goes to {folder}.")
    return folder


def _findings(ready: Plan) -> Any:
    """What looks wrong in the data, of the variables that the outputs use."""
    from divulge.assess.remarks import find_remarks
    from divulge.assess.scenarios import scenarios_for

    given = ready.assessment
    scenarios = scenarios_for(given.scenarios, given.outputs, ready.table.schema)
    return to_plain(find_remarks(ready.table, given.outputs, scenarios))


def _refuse(options: Mapping[str, object]) -> None:
    """Raise where an option is given that has no effect on a folder."""
    for option, given in options.items():
        if given is not None:
            raise UsageError("a folder is assessed without this option.", where=option, hint="Leave it out.")


def _assess_folder(
    folder: Path, data: Path | None, output: Path | None, workers: int, resume: bool, ledger: str | None, json: bool
) -> str:
    """The verdict on a folder as it was handed in: what the data do not confirm makes it at least *review*."""
    from divulge.assess.folders import FolderSettings
    from divulge.assess.folders.handed_in import assess_handed_in
    from divulge.readers.handed_in.folder import read_folder
    from divulge.table import read_table
    from divulge.terminal.assess_view import show

    if data is None:
        raise UsageError("a folder needs the data of its outputs.", where=str(folder), hint="Name them with --data.")
    table = read_table(data)
    ignored = frozenset({data.name} if data.resolve().parent == folder.resolve() else ())
    beside = None if ledger is None else beside_released(table, ledger)
    found = read_folder(folder, table, ignored)
    target = output if output is not None else Path(f"{folder.resolve().name}-assessment")
    make_folder(target)
    with unfinished(target, resume) as kept, progress_of_splits() as listener:
        settings = FolderSettings(workers=workers, unfinished=kept, resume=resume)
        record = assess_handed_in(found, table, settings, data.name, listener, beside)
    tell_results(record, write_results(record, target), None if json else show)
    return str(record["verdict"])


def _exposed_csv(found: Assessed) -> str:
    """Row numbers (from 1, without the header), the largest exposure, and under which scenario; no value of a row.

    rule: what gives the row away without any scenario, where something does.
    """
    import numpy as np

    scenarios, findings = found.results[0].scenarios, found.results[0].refusing
    lines = ["row,exposure,target,keys,rule"]
    for row in np.flatnonzero(found.exposed):
        best = max(scenarios, key=lambda s: float(s.exposures[row]))
        rule = next((f.rule for f in findings if f.people[row]), "")
        about = f'"{best.scenario.target}","{" ".join(best.scenario.keys)}","{rule}"'
        lines.append(f"{row + 1},{best.exposures[row]:.6f},{about}")
    return "\n".join(lines) + "\n"
