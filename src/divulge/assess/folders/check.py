"""A folder assessed: each of its outputs by itself, then all of them together, in one record."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from divulge.assess import Assessed, Candidate, Step, assess, plan
from divulge.assess.budget import BUDGET
from divulge.assess.decision import emergent_exposure, emergent_reasons
from divulge.assess.splits.checkpoint import digest_of
from divulge.designs import RepeatedHalves
from divulge.errors import AcroError, DivulgeError
from divulge.policy import Policy, Verdict
from divulge.readers.acro.folder import Folder
from divulge.readers.acro.reading import Reading, read_outputs
from divulge.settings import Choice
from divulge.spec import Assessment, Inputs
from divulge.synthesisers import Descent
from divulge.table import Table


@dataclass(frozen=True)
class FolderSettings:
    """How a folder is assessed.

    seconds: the longest that one search may take; None: as the time for all of them allows.
    unfinished: where finished splits are kept until all is done; None: nowhere. resume: whether to go on from them.
    before: what was released before about the same people.
    """

    splits: int = 30
    seconds: float | None = None
    seed: int = 1
    policy: Path | Policy | None = None
    workers: int = 0
    unfinished: Path | None = None
    resume: bool = False
    before: tuple[Candidate, ...] = ()


@dataclass(frozen=True)
class Progress:
    """Which output is being assessed: so many of so many, and where in its splits it is."""

    name: str
    number: int
    total: int
    step: Step


Listener = Callable[[Progress], None]

Beside = Callable[[Table, Collection[str], Mapping[str, str]], tuple[Table, Sequence[Candidate]]]
"""From people, the variables of new outputs, and how some of these are made: the people with what earlier releases need
beside, and those releases."""

_TOGETHER = "all outputs together"

_SHARE_TOGETHER = 0.4
"""Of the time that a folder has, for all outputs together; each alone has its part of the rest."""


@dataclass(frozen=True, eq=False)
class _Alone:
    """An output that was read: what its own assessment found, or why that was not possible."""

    reading: Reading
    found: Assessed | None
    reason: str | None


def assess_folder(
    folder: Folder,
    table: Table,
    settings: FolderSettings | None = None,
    listener: Listener | None = None,
    data: str = "",
    beside: Beside | None = None,
) -> dict[str, Any]:
    """The record of a folder, with a section `acro` for what stands in the folder. data: what the data are called.

    beside: finds what was released before; None: nothing was.
    """
    chosen = settings or FolderSettings()
    started = time.perf_counter()
    readings = read_outputs(folder, table)
    read = [r for r in readings if r.reason is None]
    if not read:
        said = "; ".join(f"{r.entry.name}: {r.reason}" for r in readings[:5])
        raise AcroError(f"no output of the folder can be assessed. {said}", where=str(folder.path))
    if beside is not None:
        names = {name for r in read for o in r.outputs for name in o.uses(table.schema)}
        table, before = beside(table, names, {})
        chosen = replace(chosen, before=tuple(before))
    total = len(read) + (len(read) > 1)
    alone: list[_Alone] = []
    for i, reading in enumerate(read):
        try:
            listen = _prefixed(listener, reading.entry.name, i + 1, total)
            share = (1 - _SHARE_TOGETHER) / len(read) if len(read) > 1 else 1.0
            found = _assess([reading], table, chosen, listen, data, share)
        except DivulgeError as error:
            alone.append(_Alone(reading, None, error.message))
        else:
            alone.append(_Alone(reading, found, None))
    together = _together([a for a in alone if a.found is not None], table, chosen, listener, total, data)
    record = _record(folder, readings, alone, together)
    record["timings"]["seconds"] = time.perf_counter() - started
    return record


def _prefixed(listener: Listener | None, name: str, number: int, total: int) -> Callable[[Step], None] | None:
    if listener is None:
        return None
    return lambda step: listener(Progress(name, number, total, step))


def _assess(
    readings: Sequence[Reading],
    table: Table,
    chosen: FolderSettings,
    listener: Callable[[Step], None] | None,
    data: str,
    share: float,
) -> Assessed:
    outputs = tuple(o for r in readings for o in r.outputs)
    assessment = Assessment(
        outputs=outputs,
        folder=Path(),
        data=Path(data) if data else None,
        # The learning curve would double the time of every output; whoever wants it assesses that output by a spec.
        design=RepeatedHalves(splits_wanted=chosen.splits, curve=False),
        synthesiser=Choice(Descent, {} if chosen.seconds is None else {"seconds": chosen.seconds}),
        policy=chosen.policy,
        seed=chosen.seed,
    )
    inputs = Inputs(table.schema, table, table.n_rows, tuple(g for r in readings for g in r.released))
    return assess(
        replace(plan(assessment, inputs, chosen.before), budget=share * BUDGET),
        folder=_kept_in(readings, chosen),
        workers=chosen.workers,
        resume=chosen.resume,
        listener=listener,
        alone=False,
    )


def _kept_in(readings: Sequence[Reading], chosen: FolderSettings) -> Path | None:
    """Where splits of these outputs are kept: a folder of its own for other outputs, figures or times."""
    if chosen.unfinished is None:
        return None
    figures = [np.ascontiguousarray(r.values).tobytes() for one in readings for r in one.released if r is not None]
    names = "\n".join([r.entry.name for r in readings] + [before.release for before in chosen.before])
    return chosen.unfinished / digest_of(names.encode(), repr(chosen.seconds).encode(), *figures)[:16]


def _together(
    alone: Sequence[_Alone], table: Table, chosen: FolderSettings, listener: Listener | None, total: int, data: str
) -> Assessed:
    if not alone:
        raise AcroError("no output of the folder can be assessed: see the reasons with divulge compute.")
    if len(alone) == 1:
        assert alone[0].found is not None, "asked for those that were assessed"
        return alone[0].found
    listen = _prefixed(listener, _TOGETHER, total, total)
    return _assess([a.reading for a in alone], table, chosen, listen, data, _SHARE_TOGETHER)


def _record(folder: Folder, readings: Sequence[Reading], alone: Sequence[_Alone], together: Assessed) -> dict[str, Any]:
    """The record of the set, with each output's own findings in its place, and the folder's entries beside."""
    record = dict(together.record)
    by_name = {a.reading.entry.name: a for a in alone}
    sections: list[dict[str, Any]] = []
    entries = []
    for reading in readings:
        own = by_name.get(reading.entry.name)
        numbers = []
        for section in own.found.record["outputs"] if own is not None and own.found is not None else ():
            i = len(sections)
            reproduced = together.record["outputs"][i]["reproduced"]
            sections.append({**section, "number": i + 1, "reproduced_together": reproduced})
            numbers.append(i + 1)
        entries.append(_entry(reading, own, numbers))
    record["outputs"] = sections
    record["acro"] = {"folder": folder.path.resolve().name, "version": folder.version, "outputs": entries}
    found = [a.found for a in alone if a.found is not None]
    if len(found) > 1:
        emergent = emergent_exposure(together.exposed, [f.exposed for f in found])
        record["emergent"] = {**emergent, "marginal_risk": None}
    return _decided(record, entries, together, len(found))


def _entry(reading: Reading, own: _Alone | None, numbers: list[int]) -> dict[str, Any]:
    entry = reading.entry
    found = None if own is None else own.found
    return {
        "name": entry.name,
        "type": entry.kind,
        "method": entry.method,
        "command": entry.command,
        "status": entry.status,
        "files": [f.name for f in entry.files],
        "intact": entry.is_intact,
        "verdict": None if found is None else str(found.verdict),
        "reasons": [] if found is None else list(found.record["reasons"]),
        "settle": [] if found is None else list(found.record["settle"]),
        "exposed": None if found is None else int(found.exposed.sum()),
        "numbers": numbers,
        "reason": reading.reason if own is None else own.reason,
        "notes": list(reading.notes),
        "figures": reading.figures,
        "agreeing": reading.agreeing,
        "disagreeing": list(reading.disagreeing),
    }


def _decided(
    record: dict[str, Any], entries: Sequence[Mapping[str, Any]], together: Assessed, n: int
) -> dict[str, Any]:
    """The verdict on the folder: never milder than that on any of its outputs, and no release of what was not read."""
    verdicts = [Verdict(e["verdict"]) for e in entries if e["verdict"] is not None]
    verdict = max([together.verdict, *verdicts], key=lambda v: v.rank)
    said = [f"All outputs together: {r}" for r in together.record["reasons"]] if n > 1 else []
    reasons = said if together.verdict is verdict or n == 1 else []
    for entry in entries:
        if entry["verdict"] == str(verdict):
            reasons += [f"{entry['name']}: {reason}" for reason in entry["reasons"]]
    reasons += emergent_reasons(record["emergent"]["exposed"] if record["emergent"] else 0)
    unread = [e["name"] for e in entries if e["reason"] is not None and not e["name"].endswith("DONT_RELEASE")]
    changed = [e["name"] for e in entries if e["intact"] is False]
    if unread:
        reasons.append(f"Not assessed, and left to the checker: {', '.join(unread)}.")
    if changed:
        reasons.append(f"Changed since ACRO wrote them (their checksums differ): {', '.join(changed)}.")
    if (unread or changed) and verdict is Verdict.RELEASE:
        verdict = Verdict.REVIEW
    return {**record, "verdict": str(verdict), "reasons": list(dict.fromkeys(reasons))}
