"""`divulge acro`: a folder that ACRO wrote, assessed output by output and together, with a copy for SACRO-Viewer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table as Grid

from divulge.record import make_folder
from divulge.terminal.conducting import exit_for, tell_results, write_results
from divulge.terminal.ledger_options import EarlierOption, beside_released
from divulge.terminal.options import (
    FailOnOption,
    JsonOption,
    PolicyOption,
    ResultsOption,
    ResumeOption,
    SchemaOption,
    WorkersOption,
)
from divulge.terminal.screen import screen
from divulge.terminal.stopping import is_stopped, unfinished

if TYPE_CHECKING:
    from divulge.assess.folders import Progress


_SecondsOption = Annotated[
    float | None,
    typer.Option(
        min=0.1,
        metavar="S",
        help="The longest that one search for synthetic data may take; absent: so that all take a minute or so.",
        show_default=False,
    ),
]


def run(
    folder: Annotated[Path, typer.Argument(help="The folder that ACRO's finalise wrote.", show_default=False)],
    data: Annotated[Path, typer.Option("--data", metavar="FILE", help="The data that the outputs were computed on.")],
    output: ResultsOption = None,
    schema: SchemaOption = None,
    policy: PolicyOption = None,
    splits: Annotated[int, typer.Option(min=2, metavar="N", help="Random halves of the data for each output.")] = 30,
    seconds: _SecondsOption = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Where the random numbers start.")] = 1,
    workers: WorkersOption = 0,
    resume: ResumeOption = False,
    ledger: EarlierOption = None,
    fail_on: FailOnOption = None,
    json: JsonOption = False,
) -> None:
    """Check a folder of ACRO: every table and regression in it, by itself and all together.

    Says which figures the data do not give, and what could not be read and why. The folder is not written to. The
    results are record.json, report.html, and a folder `viewer` that SACRO-Viewer opens: the same outputs, each with our
    comment, and the findings as one more output.
    """
    from divulge.assess.folders import FolderSettings, assess_folder, check_target, write_viewer
    from divulge.readers.acro import read_folder
    from divulge.table import read_schema, read_table

    found = read_folder(folder)
    target = output if output is not None else Path(f"{folder.resolve().name}-divulge")
    check_target(found, target)
    table = read_table(data, None if schema is None else read_schema(schema))
    beside = None if ledger is None else beside_released(table, ledger)
    make_folder(target)
    with unfinished(target, resume) as kept, _listening() as listen:
        chosen = FolderSettings(splits, seconds, seed, policy, workers, kept, resume)
        record = assess_folder(found, table, chosen, listen, data.name, beside)
    files = write_results(record, target)
    files.append(write_viewer(found, record, files[1].read_text(encoding="utf-8"), target / "viewer"))
    tell_results(record, files, None if json else _show)
    if not json:
        screen.show(f"For SACRO-Viewer: {files[2].parent.resolve()}")
    exit_for(record["verdict"], fail_on)


@contextmanager
def _listening() -> Iterator[Callable[[Progress], None]]:
    """A listener that shows which output is being assessed as a progress bar, and stops where that is wanted."""
    with screen.progress() as bar:
        task = bar.add_task("Reading", total=None)

        def listen(at: Progress) -> None:
            if is_stopped():
                raise KeyboardInterrupt
            left = "" if at.step.seconds_left is None else f", {at.step.seconds_left:.0f} s left of it"
            said = f"{at.number} of {at.total}, {at.name}: split {at.step.done} of {at.step.total}{left}"
            done = (at.number - 1 + at.step.done / max(at.step.total, 1)) / at.total
            bar.update(task, completed=done, total=1.0, description=said)

        yield listen


def _show(record: dict[str, Any]) -> None:
    """The verdict, why, a line for each output, and what was not read."""
    from divulge.reports.folders import agreement, sentence

    screen.show(str(record["verdict"]).upper())
    for reason in record["reasons"]:
        screen.show(f"  - {reason}")
    screen.show("")
    grid = Grid("output", "ACRO", "Divulge", "exposed", "figures that agree", "what it is", box=None, pad_edge=False)
    described = {o["number"]: o["description"] for o in record["outputs"]}
    entries = record["acro"]["outputs"]
    for e in entries:
        if e["verdict"] is not None:
            what = " ".join(described[n] for n in e["numbers"])
            figures = f"{e['agreeing']:,} of {e['figures']:,}"
            grid.add_row(e["name"], e["status"], e["verdict"], f"{e['exposed']:,}", figures, what)
    screen.show(grid)
    for e in entries:
        if e["verdict"] is not None and e["agreeing"] < e["figures"]:
            screen.show(f"{e['name']}: {agreement(e)}")
    unread = [e for e in entries if e["verdict"] is None]
    if unread:
        screen.show("")
        screen.show("Not assessed:")
        for e in unread:
            screen.show(f"  {e['name']}: {sentence(e['reason'])}")
