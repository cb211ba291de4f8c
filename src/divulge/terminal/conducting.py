"""An assessment run from a terminal: with a progress bar, files for what was found, and an exit code for a verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from divulge.record import dumps, write_text
from divulge.terminal.screen import screen

if TYPE_CHECKING:
    from divulge.assess import Assessed, Step

EXIT_CODES = {"release": 0, "review": 10, "refuse": 20}
"""With --fail-on: what the shell sees."""


class FailOn(StrEnum):
    review = "review"
    refuse = "refuse"


@contextmanager
def progress_of_splits() -> Iterator[Callable[[Step], None]]:
    """A listener that shows every stage of an assessment as a progress bar."""
    with screen.progress() as bar:
        tasks: dict[str, Any] = {}

        def listen(step: Step) -> None:
            if step.stage not in tasks:
                tasks[step.stage] = bar.add_task(step.stage, total=step.total)
            left = "" if step.seconds_left is None else f", {step.seconds_left:.0f} s left"
            said = f"{step.stage}: split {step.done} of {step.total}{left}"
            bar.update(tasks[step.stage], completed=step.done, total=step.total, description=said)

        yield listen


def write_results(found: Assessed, folder: Path) -> list[Path]:
    """report.html, then record.json; then what was kept for resuming is no longer needed."""
    from divulge.reports import Html

    page = Html().render(found.record)
    record, report = folder / "record.json", folder / "report.html"
    write_text(report, page)
    write_text(record, dumps(found.record))
    found.checkpoint.clear()
    return [record, report]
