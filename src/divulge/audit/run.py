"""The audit of a submission: everything that its figures, and those released before, say together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy import sparse

from divulge.audit.bounds import Bounds, find_bounds
from divulge.audit.budget import Budget
from divulge.audit.candidates import find_candidates
from divulge.audit.groups import few_samples
from divulge.audit.partition import TIE, Partition, Stated, build
from divulge.audit.proofs import Proof, Step, find_contradiction, prove_at_most, prove_value
from divulge.audit.report import Audited, Cell, Proved, Status
from divulge.audit.system import System
from divulge.contributions import Case
from divulge.kernels.arrays import Floats, Integers
from divulge.outputs import Output, Released
from divulge.rules import Severity
from divulge.table import Schema, Table

NOT_LINEAR = "its figures are no linear functions of how many people there are of each kind"
TOO_MANY = "its variables have too many combinations"


@dataclass(frozen=True)
class AuditSettings:
    """What counts as too close, and how long an audit may take."""

    narrowest: Annotated[float, "A withheld count is protected where its interval is at least so wide."] = 3.0
    fewest: Annotated[int, "Groups of fewer people that follow from figures are told."] = 10
    per_cent: Annotated[float, "Nobody's contribution to a withheld total may follow to within so much: p."] = 10.0
    most_chains: Annotated[int, "Proofs that are written out; the cells beyond are told without."] = 40
    seconds: Annotated[float, "After so long the audit says what it has, and what it has not reached."] = 60.0


@dataclass(frozen=True, eq=False)
class Submission:
    """What is audited. released: as printed. earlier: outputs released before, with what was printed and a name each.

    table: the data, where the audit may look at them: then protection is judged against what they hold.
    """

    schema: Schema
    outputs: tuple[Output, ...]
    released: tuple[Released, ...]
    n_rows: int | None = None
    table: Table | None = None
    earlier: tuple[tuple[str, Output, Released], ...] = ()
    entity: str | None = None


@dataclass(frozen=True, eq=False)
class _Targets:
    """What is asked about. output: number, −1: a group of no output; need: how wide an interval is wide enough."""

    matrix: sparse.csr_array
    output: Integers
    labels: tuple[str, ...]
    need: Floats
    value: Floats


def audit(given: Submission, settings: AuditSettings | None = None) -> Audited:
    """Work out what follows from the figures by arithmetic alone."""
    settings = settings or AuditSettings()
    budget = Budget(settings.seconds)
    stated, numbers, unreached = _stated(given)
    small = few_samples(given)
    if not stated:
        return Audited((), small, tuple(unreached), (), 0, 0)
    partition = build(stated, given.schema, given.n_rows, given.table)
    unreached += [(numbers[i], TOO_MANY) for i in partition.unreached if numbers[i] >= 0]
    system = partition.system
    notes = [] if partition.is_whole else ["Not all variables fit together; intervals may be narrower than is said."]
    targets = _targets(given, partition, numbers, settings)
    found = find_bounds(system, targets.matrix, budget, targets.need)
    if not found.is_possible:
        named = tuple(dict.fromkeys(s.figure for s in find_contradiction(system, budget) if s.figure != TIE))
        sentence = f"The figures contradict each other: no data have {_listed(named)} together."
        first = Proved("contradiction", Severity.REVIEW, _outputs_of(numbers), named, sentence)
        return Audited((), (first, *small), tuple(unreached), tuple(notes), system.n_figures, system.n_cells)
    cells = _cells(system, targets, found, settings, budget)
    if found.n_unreached and budget.is_spent:
        notes.append(f"Time ran out: {found.n_unreached:,} of {len(targets.labels):,} intervals are not final.")
    findings = (*_findings(cells, targets), *small)
    return Audited(cells, findings, tuple(unreached), tuple(notes), system.n_figures, system.n_cells)


def _stated(given: Submission) -> tuple[list[Stated], list[int], list[tuple[int, str]]]:
    """The linear outputs with their numbers (earlier ones: −1), and the others with the reason."""
    stated: list[Stated] = []
    numbers: list[int] = []
    unreached: list[tuple[int, str]] = []
    alone = len(given.outputs) == 1 and not given.earlier
    for i, (output, released) in enumerate(zip(given.outputs, given.released, strict=True)):
        linear = output.linear(given.schema, released)
        if linear is None:
            unreached.append((i, NOT_LINEAR))
            continue
        stated.append(Stated("" if alone else output.name or f"outputs[{i}]", released.labels, linear))
        numbers.append(i)
    for name, output, released in given.earlier:
        linear = output.linear(given.schema, released)
        if linear is not None:
            stated.append(Stated(name, released.labels, linear))
            numbers.append(-1)
    return stated, numbers, unreached


def _targets(given: Submission, partition: Partition, numbers: list[int], settings: AuditSettings) -> _Targets:
    """Withheld and rounded figures of the new outputs, then small groups that no figure states."""
    rows: list[sparse.csr_array] = []
    output: list[int] = []
    labels: list[str] = []
    need: list[float] = []
    point = partition.system.point
    for s, i in enumerate(numbers):
        if i < 0 or not len(partition.rows[s]):
            continue
        linear = given.outputs[i].linear(given.schema, given.released[i])
        assert linear is not None, "stated outputs are linear"
        if not linear.is_figure:
            continue
        released = given.released[i]
        # Half a person is how a count is printed in full.
        hidden = np.flatnonzero(~np.isfinite(released.values) | (released.half > 0.5))
        levels = _protection(given, i, settings)
        rows.append(partition.sums[s][hidden])
        output += [i] * len(hidden)
        labels += [released.labels[f] for f in hidden.tolist()]
        need += [max(settings.narrowest, 2 * levels.get(f, 0.0)) for f in hidden.tolist()]
    groups = find_candidates(partition.system, partition.sums, rows, settings.fewest).matrix
    n_groups = int(groups.shape[0])
    rows.append(groups)
    output += [-1] * n_groups
    labels += partition.labels(groups)
    need += [float(settings.fewest)] * n_groups
    matrix = sparse.csr_array(sparse.vstack(rows))
    value = np.full(matrix.shape[0], np.nan) if point is None else matrix @ point
    return _Targets(matrix, np.array(output, dtype=np.int64), tuple(labels), np.array(need), value)


def _protection(given: Submission, i: int, settings: AuditSettings) -> dict[int, float]:
    """How far on each side a withheld total must stay open, by figure: p % x₁ − (X − x₁ − x₂) (Handbook 2025)."""
    if given.table is None:
        return {}
    case = Case(i, given.outputs[i], given.released[i], given.table, given.entity)
    found: dict[int, float] = {}
    for behind in case.of("total"):
        held = case.contributions(behind)
        rest = held.total - held.protected - held.others[:, 0]
        level = np.maximum(settings.per_cent / 100 * held.protected - rest, 0.0)
        found |= dict(zip(behind.figures.tolist(), level.tolist(), strict=True))
    return found


def _cells(
    system: System, targets: _Targets, found: Bounds, settings: AuditSettings, budget: Budget
) -> tuple[Cell, ...]:
    cells: list[Cell] = []
    chains = 0
    for t, label in enumerate(targets.labels):
        low, high, output = float(found.low[t]), float(found.high[t]), int(targets.output[t])
        status = _status(low, high, float(targets.need[t]), float(targets.value[t]))
        if output < 0 and (low < 0.5 or high > settings.fewest - 0.5 or status is Status.PROTECTED):
            continue  # a group that may be empty, or large, is none that follows
        chain = ""
        if status is not Status.PROTECTED and chains < settings.most_chains and not budget.is_spent:
            chain = _chain(system, targets.matrix[[t]].toarray().ravel(), low, high, budget)
            chains += 1
        cells.append(Cell(None if output < 0 else output, label, low, high, status, chain, bool(found.is_sharp[t])))
    return tuple(cells)


def _status(low: float, high: float, need: float, value: float) -> Status:
    """value: what the data hold, NaN where they are not there; a side that is too close is narrow too."""
    slack = 1e-6 * (1.0 + abs(low))  # as far as bounds are promised
    if high - low <= slack:
        return Status.EXACT
    if high - low < need - slack:
        return Status.NARROW
    if np.isfinite(value) and need > 0 and min(value - low, high - value) < 0:
        return Status.NARROW
    return Status.PROTECTED


def _chain(system: System, target: Floats, low: float, high: float, budget: Budget) -> str:
    """The proof of a value or of both ends, in figures."""
    if high - low <= 1e-6 * (1.0 + abs(low)):
        equation = prove_value(system, target, budget)
        if equation is not None:
            return _told(equation)
    above = prove_at_most(system, target, high, budget) if np.isfinite(high) else None
    below = prove_at_most(system, -target, -low, budget) if low > 0 else None
    parts = [] if above is None else [f"at most {_told(above)}"]
    if below is not None:
        parts.append(f"at least {_told(Proof(_negated(below), low, False))}")
    return "; ".join(parts)


def _told(proof: Proof) -> str:
    kept = tuple(s for s in proof.steps if s.figure != TIE)
    return Proof(kept, proof.bound, proof.is_equation).sentence()


def _negated(proof: Proof) -> tuple[Step, ...]:
    return tuple(Step(s.figure, -s.factor, s.value) for s in proof.steps)


def _findings(cells: Sequence[Cell], targets: _Targets) -> tuple[Proved, ...]:
    value = dict(zip(zip(targets.output.tolist(), targets.labels, strict=True), targets.value.tolist(), strict=True))
    found: list[Proved] = []
    for status, severity, words in (
        (Status.EXACT, Severity.REFUSE, "follow{s} exactly from the others"),
        (Status.NARROW, Severity.REVIEW, "follow{s} nearly from the others"),
    ):
        for output in sorted({c.output for c in cells if c.output is not None}):
            mine = [c for c in cells if c.output == output and c.status is status]
            if mine:
                n, verb = len(mine), words.format(s="s" if len(mine) == 1 else "")
                noun = "withheld or rounded figure" + ("" if n == 1 else "s")
                people = sum(value[(output, c.label)] for c in mine)
                count = int(people) if np.isfinite(people) else None
                labels = tuple(c.label for c in mine)
                found.append(Proved(f"{status} figure", severity, (output,), labels, f"{n:,} {noun} {verb}.", count))
        groups = [c for c in cells if c.output is None and c.status is status]
        if groups:
            n = len(groups)
            people = sum(value[(-1, c.label)] for c in groups)
            count = int(people) if np.isfinite(people) else None
            noun = "group" if n == 1 else "groups"
            verb = words.format(s="s" if n == 1 else "").replace("the others", "the figures")
            sentence = f"{n:,} {noun} of few people that no figure states {verb}."
            found.append(Proved(f"{status} group", severity, (), tuple(c.label for c in groups), sentence, count))
    return tuple(found)


def _outputs_of(numbers: Sequence[int]) -> tuple[int, ...]:
    return tuple(i for i in numbers if i >= 0)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(n) for n in names[:6])
    return shown + (f" and {len(names) - 6} more" if len(names) > 6 else "")
