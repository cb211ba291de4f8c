"""What people see: tables and notes on standard error or output, one JSON document on standard output, progress."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from divulge.errors import DivulgeError
from divulge.record import dumps


@dataclass
class Screen:
    """The terminal, and how talkative to be. With --json, standard output holds one document and nothing else."""

    quiet: bool = False
    verbose: bool = False

    def out(self) -> Console:
        """Standard output, for what was asked for. Honours NO_COLOR; wide where it is not a terminal."""
        return _console(sys.stdout)

    def err(self) -> Console:
        """Standard error, for everything else."""
        return _console(sys.stderr)

    def print_json(self, value: Any) -> None:
        """The one JSON document of a command."""
        sys.stdout.write(dumps(value))
        sys.stdout.flush()

    def show(self, value: Any) -> None:
        """What the user asked to see (a rich renderable or text)."""
        # Text such as a path is never folded: it would no longer be one thing to copy.
        self.out().print(value, markup=False, highlight=False, soft_wrap=isinstance(value, str))

    def note(self, text: str) -> None:
        """Something worth knowing, unless --quiet."""
        if not self.quiet:
            self.err().print(text, markup=False, highlight=False)

    def detail(self, text: str) -> None:
        """Something worth knowing with --verbose only."""
        if self.verbose and not self.quiet:
            self.err().print(text, markup=False, highlight=False)

    def error(self, error: DivulgeError, as_json: bool = False) -> None:
        """An expected failure: the problem, where, what to try."""
        if as_json:
            self.print_json(error.as_json())
        console = self.err()
        for each in error.every:
            console.print("Error", style="bold red", end=" ")
            console.print(each.sentence, markup=False, highlight=False)
            if each.hint:
                console.print(each.hint, markup=False, highlight=False)

    @contextmanager
    def progress(self) -> Iterator[Progress]:
        """A progress bar on standard error; nothing where --quiet or where standard error is not a terminal."""
        console = self.err()
        with Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=self.quiet or not console.is_terminal,
        ) as progress:
            yield progress


def _console(stream: Any) -> Console:
    # A pipe has no width: rich would fold tables at 80 columns, and what reads the pipe would get them cut.
    return Console(file=stream, width=None if stream.isatty() else 160, soft_wrap=not stream.isatty())


screen = Screen()
