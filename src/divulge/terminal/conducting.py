"""An assessment run from a terminal: with a progress bar, files for what was found, and an exit code for a verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from divulge.record import dumps, write_text
from divulge.terminal.options import FailOn
from divulge.terminal.screen import screen
from divulge.terminal.stopping import is_stopped

if TYPE_CHECKING:
    from divulge.assess import Step

_EXIT_CODES = {"release": 0, "review": 10, "refuse": 20}
"""With --fail-on: what the shell sees."""


@contextmanager
def progress_of_splits() -> Iterator[Callable[[Step], None]]:
    """A listener that shows every stage of an assessment as a progress bar, and stops it after Ctrl-C."""
    with screen.progress() as bar:
        tasks: dict[str, Any] = {}

        def listen(step: Step) -> None:
            if is_stopped():
                raise KeyboardInterrupt
            if step.stage not in tasks:
                tasks[step.stage] = bar.add_task(step.stage, total=step.total)
            left = "" if step.seconds_left is None else f", {step.seconds_left:.0f} s left"
            said = f"{step.stage}: split {step.done} of {step.total}{left}"
            bar.update(tasks[step.stage], completed=step.done, total=step.total, description=said)

        yield listen


def write_results(record: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write report.html, then record.json: where there is a record, there is a report."""
    from divulge.reports import Html

    page = Html().render(record)
    files = [folder / "record.json", folder / "report.html"]
    write_text(files[1], page)
    write_text(files[0], dumps(record))
    return files


def tell_results(record: dict[str, Any], files: list[Path], show: Callable[[dict[str, Any]], None] | None) -> None:
    """The record on the screen as `show` shows it, and where the report is; without it as JSON."""
    if show is None:
        screen.print_json({**record, "files": [str(f) for f in files]})
    else:
        show(record)
        screen.show(f"Report: {files[1].resolve()}")


def exit_for(verdict: str, fail_on: FailOn | None) -> None:
    """End with the verdict's exit code where --fail-on asks for it."""
    if fail_on is not None and _EXIT_CODES[verdict] >= _EXIT_CODES[str(fail_on)]:
        raise typer.Exit(_EXIT_CODES[verdict])
