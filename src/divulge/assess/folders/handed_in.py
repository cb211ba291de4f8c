"""A folder that was handed in, assessed: what was confirmed together, what was not as a reason to look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from divulge.assess import Candidate, assess, plan
from divulge.assess.folders.check import Beside, FolderSettings
from divulge.designs import RepeatedHalves
from divulge.errors import SpecError
from divulge.policy import Verdict
from divulge.readers.handed_in.folder import FolderRead
from divulge.readers.handed_in.matching.reading import Reading
from divulge.readers.handed_in.telling import as_json
from divulge.settings import Choice
from divulge.spec import Assessment, Inputs
from divulge.spec.handed_in import (
    Placed,
    made_variables,
    needed_to_make,
    placed_outputs,
    unread_parts,
    with_made_variables,
)
from divulge.synthesisers import Descent
from divulge.table import Table

_NAMED = 5
"""How many of a sort are named in a reason."""


def assess_handed_in(
    folder: FolderRead,
    people: Table,
    settings: FolderSettings,
    data: str,
    listener: Any = None,
    beside: Beside | None = None,
) -> dict[str, Any]:
    """The record of a folder, with a section `handed_in`: at least *review* where something was not confirmed.

    beside: finds what was released before; None: nothing was.
    """
    made = made_variables(folder, people)
    table = with_made_variables(people, made)
    placed, left = placed_outputs(folder, table)
    if not placed:
        said = "; ".join(left[:_NAMED]) or "; ".join(f"{f.file}: {f.status}" for f in folder.files[:_NAMED])
        raise SpecError(
            f"no output of the folder was confirmed by the data. {said}",
            hint="Is it the right file of data? `divulge read` shows what was read, figure by figure.",
        )
    assessment = Assessment(
        outputs=tuple(replace(p.output, name=p.output.name or place_of(p)) for p in placed),
        folder=Path(),
        data=Path(data),
        design=RepeatedHalves(splits_wanted=settings.splits, curve=False),
        # Many outputs share one budget: a limit of their own would let each of them use up what all have.
        synthesiser=Choice(Descent, {}),
        policy=settings.policy,
        seed=settings.seed,
    )
    before: Sequence[Candidate] = ()
    if beside is not None:
        names = {name for p in placed for name in p.output.uses(table.schema)}
        table, before = beside(people, names, needed_to_make([n for n in names if n not in people.schema], made))
    inputs = Inputs(table.schema, table, table.n_rows, tuple(p.released for p in placed))
    found = assess(
        plan(assessment, inputs, before),
        folder=settings.unfinished,
        workers=settings.workers,
        resume=settings.resume,
        listener=listener,
    )
    return with_doubts(found.record, folder, left, placed)


def place_of(placed: Placed) -> str:
    """Where an output stands, which is what a checker calls it by."""
    return _place_in(placed.file, placed.reading)


def _place_in(file: str, reading: Reading) -> str:
    first, last = reading.candidate.lines
    return f"{file}, lines {first}–{last}"


def with_doubts(
    found: Mapping[str, Any], folder: FolderRead, left: tuple[str, ...], placed: Sequence[Placed]
) -> dict[str, Any]:
    """A record with what was handed in, and with every doubt about it among the reasons."""
    told = {**as_json(folder), "left": list(left), "places": [place_of(p) for p in placed]}
    return in_doubt(found, doubts_about(folder, left), told)


def in_doubt(record: Mapping[str, Any], doubts: Sequence[str], told: Mapping[str, Any]) -> dict[str, Any]:
    """A record with what was read (told) and what a checker must look at; never *release* where there is any of it."""
    verdict = Verdict(record["verdict"])
    if doubts and verdict is Verdict.RELEASE:
        verdict = Verdict.REVIEW
    return {
        **record,
        "verdict": str(verdict),
        "reasons": [*record["reasons"], *doubts],
        "handed_in": dict(told),
    }


def doubts_about(folder: FolderRead, left: tuple[str, ...]) -> list[str]:
    """Why a checker must look: outputs that were not confirmed, figures that were not
    computed again, files that were not read, other finds."""
    out = []
    wrong = [(file, r) for file, r in folder.readings if r.disagreeing]
    if wrong:
        named = "; ".join(f"{file}: {', '.join(r.disagreeing[:_NAMED])}" for file, r in wrong[:_NAMED])
        out.append(f"Figures that the data do not give: {named}.")
    untested = [f"{_place_in(file, r)}: {_first(r.not_compared)}" for file, r in folder.readings if r.not_compared]
    if untested:
        out.append(f"Figures that were read and not computed again: {_some(untested)}")
    changed = [f"{file}: {'; '.join(r.candidate.corrected)}" for file, r in folder.readings if r.candidate.corrected]
    if changed:
        out.append(f"Read as its author corrected it: {_some(changed)}")
    if left:
        out.append(f"Not assessed, and left to the checker: {_some(left)}")
    unread = unread_parts(folder)
    if unread:
        out.append(f"Not read, and left to the checker: {_some(unread)}")
    found = [f"{f.file}, line {x.line}: {x.what}" for f in folder.files for x in f.finds]
    if found:
        out.append(f"To be looked at: {_some(found)}")
    return out


def _first(labels: Sequence[str]) -> str:
    more = f" and {len(labels) - _NAMED} more" if len(labels) > _NAMED else ""
    return ", ".join(labels[:_NAMED]) + more


def _some(sentences: tuple[str, ...] | list[str]) -> str:
    shown = "; ".join(s.rstrip(".") for s in sentences[:_NAMED])
    return shown + (f"; and {len(sentences) - _NAMED} more." if len(sentences) > _NAMED else ".")
