"""What the entries of a folder are for a table of people: outputs that can be assessed, or the reason why not."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.errors import DivulgeError, OutputError
from divulge.outputs import Output, Released, read_released
from divulge.outputs.released.computed import compute
from divulge.readers.acro.folder import Entry, Folder
from divulge.readers.acro.regressions import read_regression_entry
from divulge.readers.acro.tables import read_table_entry
from divulge.readers.statsmodels import without_summaries
from divulge.table import Table

PICTURES = ("histogram", "survival plot", "pie chart")


@dataclass(frozen=True, eq=False)
class Reading:
    """One entry: its outputs with what was released of each, or why there are none.

    figures, agreeing: how many released figures there are, and how many of them the data give.
    disagreeing: the first labels of those that they do not.
    """

    entry: Entry
    outputs: tuple[Output, ...] = ()
    released: tuple[Released, ...] = ()
    reason: str | None = None
    notes: tuple[str, ...] = ()
    figures: int = 0
    agreeing: int = 0
    disagreeing: tuple[str, ...] = ()


N_NAMED = 5
"""How many figures that do not agree are named."""


def _read_entry(entry: Entry, folder: Folder, table: Table) -> Reading:
    """An entry as outputs, checked against the data."""
    try:
        outputs, notes = _outputs(entry, folder, table)
        released, n_figures, wrong = [], 0, []
        for output in outputs:
            output.check(table.schema)
            given = _given(output, table)
            computed = compute(output, table, given)
            assert computed.agrees is not None, "released figures were given"
            told = given.is_given
            n_figures += int(told.sum())
            wrong += [
                label
                for label, agrees, shown in zip(given.labels, computed.agrees, told, strict=True)
                if shown and not agrees
            ]
            released.append(given)
        if entry.kind == "regression":
            outputs = [without_summaries(output) for output in outputs]
            released = [_given(output, table) for output in outputs]
            notes = [*notes, "Its R² and log-likelihood are compared with the data, and not searched for."]
    except DivulgeError as error:
        said = f"{error.message} {error.hint}" if error.hint and not isinstance(error, OutputError) else error.message
        return Reading(entry, reason=said)
    return Reading(
        entry,
        tuple(outputs),
        tuple(released),
        None,
        tuple(notes),
        n_figures,
        n_figures - len(wrong),
        tuple(wrong[:N_NAMED]),
    )


def _given(output: Output, table: Table) -> Released:
    given = read_released(output, table.schema, None, table.n_rows, together=False)
    assert given is not None, "every output of a folder has released figures"
    return given


def _outputs(entry: Entry, folder: Folder, table: Table) -> tuple[list[Output], list[str]]:
    if not entry.files:
        raise OutputError("it has no files.")
    if entry.kind == "table":
        return read_table_entry(entry, folder, table.schema)
    if entry.kind == "regression":
        return read_regression_entry(entry, table.schema)
    if entry.kind in PICTURES:
        raise OutputError(f"a {entry.kind} is a picture ({entry.files[0].name}), whose numbers are not in the folder.")
    if entry.name.endswith("DONT_RELEASE"):
        raise OutputError("ACRO's own summary for the checker, not to be released.")
    if entry.kind == "custom":
        raise OutputError("a file that was added by hand; what it holds is not described.")
    raise OutputError(f"outputs of the type {entry.kind[:40]!r} are not known.")


def read_outputs(folder: Folder, table: Table) -> tuple[Reading, ...]:
    """Every entry of a folder, in its order."""
    return tuple(_read_entry(entry, folder, table) for entry in folder.entries)
