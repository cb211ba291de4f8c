"""Every exception that Divulge raises on purpose, each with its own exit code.

A message says what was needed, what arrived, where, and what to try. It never holds a row value of the data.
Only the two edges (the command line and the web application) turn these into exit codes and HTTP statuses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

_FIELD_PATH = re.compile(r"[a-z_]+(\[\d+\])*(\.|$)")


class DivulgeError(Exception):
    """Base of all expected failures: `message`, where it happened (`where`), and what to try (`hint`).

    others: what else is wrong, where several things were found at once.
    """

    exit_code = 1
    others: tuple[DivulgeError, ...] = ()

    def __init__(self, message: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        return "\n".join(f"{e.sentence} {e.hint}" if e.hint else e.sentence for e in self.every)

    def __reduce__(self) -> tuple[object, ...]:
        # Keyword arguments are lost by Exception's own pickling; errors cross process boundaries.
        return _rebuild, (type(self), self.message, self.where, self.hint, self.others)

    @property
    def sentence(self) -> str:
        """Where it happened and what was needed, without what to try."""
        return f"{self.where}: {self.message}" if self.where else self.message

    @property
    def every(self) -> tuple[DivulgeError, ...]:
        """This error, then the others that were found with it."""
        return (self, *self.others)

    def at(self, where: str) -> DivulgeError:
        """The same error with its path in the spec set, unless a nearer one is known already."""
        if self.where is None:
            self.where = where
        return self

    def under(self, path: str) -> DivulgeError:
        """The same error with `path` in front of where it happened: `formula` becomes `outputs[2].formula`."""
        for error in self.every:
            inner = error.where if error.where is not None and _FIELD_PATH.match(error.where) else None
            if inner is None:
                error.where = path
            elif inner != path and not inner.startswith((f"{path}.", f"{path}[")):
                # Nested with the same field, it is named once.
                error.where = f"{path}.{inner}"
        return self

    def as_json(self) -> dict[str, object]:
        """The one JSON shape in which any error is shown: the first, and all of them."""
        every = [{"type": type(e).__name__, "message": e.message, "where": e.where, "hint": e.hint} for e in self.every]
        return {"error": every[0], "errors": every, "exit_code": self.exit_code}


def _rebuild(
    kind: type[DivulgeError], message: str, where: str | None, hint: str | None, others: tuple[DivulgeError, ...]
) -> DivulgeError:
    error = kind(message, where=where, hint=hint)
    error.others = others
    return error


def raise_all(problems: Sequence[DivulgeError]) -> None:
    """Raise the first of several problems, which holds the others; nothing where there are none."""
    if problems:
        problems[0].others = tuple(problems[1:])
        raise problems[0]


class UsageError(DivulgeError):
    """The command line or a function was called in a way that cannot work."""

    exit_code = 2


# Verdicts use 10 (review) and 20 (refuse); errors keep clear of both.


class FileMissingError(DivulgeError):
    exit_code = 30


class FileIsDirectoryError(DivulgeError):
    exit_code = 31


class NotATableError(DivulgeError):
    exit_code = 32


class EmptyFileError(DivulgeError):
    exit_code = 33


class HeaderOnlyError(DivulgeError):
    exit_code = 34


class RaggedRowsError(DivulgeError):
    exit_code = 35


class DuplicateColumnsError(DivulgeError):
    exit_code = 36


class UndecodableError(DivulgeError):
    exit_code = 37


class WriteError(DivulgeError):
    """A file could not be written: no such folder, read-only, disk full."""

    exit_code = 38


class SourceError(DivulgeError):
    """Data cannot be fetched from where they live: a database, a folder of files."""

    exit_code = 39


class SchemaError(DivulgeError):
    """A schema that is not well formed, or does not say enough."""

    exit_code = 40


class MissingColumnsError(DivulgeError):
    exit_code = 41


class OutsideCategoriesError(DivulgeError):
    exit_code = 42


class RuleError(DivulgeError):
    """An edit rule or a condition that cannot be read."""

    exit_code = 43


class BrokenRuleError(DivulgeError):
    """Rows that break an edit rule (how many, never which)."""

    exit_code = 44


class UnknownVariableError(DivulgeError):
    exit_code = 45


class SpecError(DivulgeError):
    """An assessment file that cannot be read, or a setting (there, after a flag, in a form) that makes no sense."""

    exit_code = 50


class OutputError(DivulgeError):
    """A released output that cannot be computed or cannot have come from such data."""

    exit_code = 51


class EmbedError(DivulgeError):
    """A search that cannot start."""

    exit_code = 52


class MeasureError(DivulgeError):
    """A risk measure asked for something that it cannot answer."""

    exit_code = 53


class DesignError(DivulgeError):
    """A design that these data cannot carry (too few rows, overlapping holdout, no split possible)."""

    exit_code = 54


class ComparatorError(DivulgeError):
    """A comparator asked to learn from a table that it cannot learn from, or to make rows that it cannot make."""

    exit_code = 57


class WorkerError(DivulgeError):
    """Whoever was to share the work cannot be reached, or died."""

    exit_code = 58


class RecordError(DivulgeError):
    """A record file that cannot be read, or one of another format version."""

    exit_code = 56


class LedgerError(DivulgeError):
    """A ledger that cannot be opened, is of another version, or holds something other than what is asked for."""

    exit_code = 60


class NotAllowedError(DivulgeError):
    """Somebody asked for what their role, their project or their own submission does not let them do."""

    exit_code = 61


class StateError(DivulgeError):
    """Something was asked of a submission or a job that is not possible in the state it is in."""

    exit_code = 62


class StaleError(StateError):
    """Something has changed since the assessment on which a decision or a release would rest."""

    exit_code = 68


class NotFoundError(DivulgeError):
    """There is no such submission, dataset, project or person, or not for whoever asks."""

    exit_code = 63


class TamperedError(DivulgeError):
    """The audit trail is not as it was written, or a row is not as the trail says."""

    exit_code = 64


class LeaseLostError(DivulgeError):
    """A worker's lease on a job ended, and the job is somebody else's now."""

    exit_code = 65


class UploadError(DivulgeError):
    """A file that was sent is too large, broken, or not what it says."""

    exit_code = 66


class TooLargeError(DivulgeError):
    """More was sent at once than the service takes."""

    exit_code = 67


class TooSlowError(DivulgeError):
    """What was being sent stopped coming."""

    exit_code = 71


class BusyError(DivulgeError):
    """The service has as much to do as it takes on at once."""

    exit_code = 69


class AcroError(DivulgeError):
    """A folder that is not what ACRO writes, or that names files outside itself."""

    exit_code = 59


class ProgramError(DivulgeError):
    """A mistake of ours: something that no message foresaw."""

    exit_code = 70


def suggest(name: str, known: Iterable[str], also: Mapping[str, str] | None = None) -> str | None:
    """The hint "Did you mean …?" with the nearest known name, or None where nothing is near.

    also: other names, and the known one that each means. Meaning goes before likeness: `negbin` is no `gini`.
    """
    names = list(known)
    meant = (also or {}).get(name.casefold())
    if meant is not None:
        return f"Did you mean {meant!r}?"
    folded = {n.casefold(): n for n in names}
    near = get_close_matches(name.casefold(), list(folded), n=1, cutoff=0.6)
    return f"Did you mean {folded[near[0]]!r}?" if near else None


def unknown_variable(name: str, known: Iterable[str], where: str | None = None) -> UnknownVariableError:
    """The error for a variable that the data do not have, with the nearest name or the list of names."""
    names = list(known)
    shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    return UnknownVariableError(
        f"there is no variable {name!r}.",
        where=where,
        hint=suggest(name, names) or f"The variables are: {shown}.",
    )
