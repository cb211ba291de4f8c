"""The audit of a submission: everything that its figures, and those released before, say together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from scipy import sparse

from divulge.audit.bounds import Bounds, find_bounds
from divulge.audit.budget import Budget
from divulge.audit.candidates import find_candidates
from divulge.audit.groups import counts_from_means, few_samples
from divulge.audit.magnitudes import build_sums, is_amount
from divulge.audit.partition import TIE, Partition, Stated, build
from divulge.audit.proofs import Proof, Step, find_contradiction, prove_at_most, prove_value
from divulge.audit.report import Audited, Cell, Proved, Status
from divulge.audit.same_people import Group, groups_of
from divulge.audit.system import System
from divulge.contributions import Case
from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.outputs import Output, Released
from divulge.rules import Severity
from divulge.table import Schema, Table

NOT_LINEAR = "its figures are no linear functions of how many people there are of each kind"
TOO_MANY = "its variables have too many combinations"


_UNANSWERED = {"all": Severity.NOTE, "some": Severity.REVIEW}
"""How few gave no answer is no more than a note, as for the rule on non-response; a checker looks at what they are."""


@dataclass(frozen=True)
class AuditSettings:
    """What counts as too close, and how long an audit may take."""

    narrowest: Annotated[float, "A withheld count is protected where its interval is at least so wide."] = 3.0
    fewest: Annotated[int, "Groups of fewer people that follow from figures are told."] = 10
    per_cent: Annotated[float, "Nobody's contribution to a withheld total may follow to within so much: p."] = 10.0
    most_chains: Annotated[int, "Proofs that are written out; the cells beyond are told without."] = 40
    seconds: Annotated[float, "After so long the audit says what it has, and what it has not reached."] = 60.0
    to_the_end: Annotated[bool, "Whether intervals seen to be wide enough are worked out to their ends too."] = False


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
    """What is asked about. output: number, −1: a group of no output; need: how wide an interval is wide enough.

    mildest: of groups of people who have no value of some variable, how severe it is at most that they follow.
    """

    matrix: sparse.csr_array
    output: Integers
    labels: tuple[str, ...]
    need: Floats
    value: Floats
    mildest: dict[str, Severity]

    def does(self, label: str, usual: Severity) -> Severity:
        """How severe it is that a group follows."""
        return min(usual, self.mildest.get(label, usual), key=lambda severity: severity.rank)


def audit(given: Submission, settings: AuditSettings | None = None) -> Audited:
    """Work out what follows from the figures by arithmetic alone."""
    settings = settings or AuditSettings()
    budget = Budget(settings.seconds)
    partitions, unreached = partitions_of(given)
    cells: list[Cell] = []
    findings: list[Proved] = []
    notes: list[str] = []
    groups = groups_of(given)
    for partition in partitions:
        unreached += [(i, TOO_MANY) for i in partition.unreached if i >= 0]
        if not partition.parts:
            continue
        if not partition.is_whole:
            notes.append("Not all variables fit together; intervals may be narrower than is said.")
        notes += [f"{d.finer} decides {d.coarser}, which is taken to be known." for d in partition.decided]
        _ask(given, partition, groups, settings, budget, (cells, findings, notes))
    n_figures, n_cells = (sum(getattr(p.system, n) for p in partitions) for n in ("n_figures", "n_cells"))
    told = (*findings, *few_samples(given, groups))
    return Audited(tuple(cells), told, tuple(unreached), tuple(dict.fromkeys(notes)), n_figures, n_cells)


def partitions_of(given: Submission) -> tuple[list[Partition], list[tuple[int, str]]]:
    """The systems of a submission: one of people, one of the sums of each amount; and the outputs out of reach."""
    stated, unreached = _stated(given)
    amounts = [s for s in stated if is_amount(s.linear, given.schema)]
    people = [s for s in stated if s not in amounts]
    partitions = [build(people, given.schema, given.n_rows, given.table)] if people else []
    partitions += [build_sums(amounts, given.schema, given.table, v) for v in _variables_of(amounts)]
    return partitions, unreached


def _ask(
    given: Submission,
    partition: Partition,
    groups: list[Group],
    settings: AuditSettings,
    budget: Budget,
    lists: tuple[list[Cell], list[Proved], list[str]],
) -> None:
    """Add what one system says to the lists: of cells, of findings, of notes."""
    cells, findings, notes = lists
    system = partition.system
    targets = _targets(given, partition, settings)
    if not targets.labels and system.is_kept:
        return
    # Amounts must stay open on both sides, so that what was seen does not settle them.
    need = targets.need if system.is_whole else None
    found = find_bounds(system, targets.matrix, budget, need, to_the_end=settings.to_the_end)
    if not found.is_possible and system.is_kept:
        notes.append("The figures are too fine for intervals to be worked out.")
        return
    if not found.is_possible:
        named = tuple(dict.fromkeys(s.figure for s in find_contradiction(system, budget) if s.figure != TIE))
        sentence = f"The figures contradict each other: no data have {_listed(named)} together."
        outputs = tuple(i for i in partition.numbers if i >= 0)
        findings.append(Proved("contradiction", Severity.REVIEW, outputs, named, sentence))
        return
    told = _cells(system, targets, found, _by_one(partition, targets, found, budget), settings, budget)
    if system.is_whole:
        told = _after_means(told, given, groups, settings)
    if found.n_unreached and budget.is_spent:
        left = f"{found.n_unreached:,} of {len(targets.labels):,} intervals are not final"
        notes.append(f"Time ran out: {left}.")
        # A withheld figure is not known to be safe where there was no time to try.
        open_ones = (targets.output >= 0) & ~found.is_sharp
        if open_ones.any():
            outputs = tuple(np.unique(targets.output[open_ones]).tolist())
            sentence = (
                f"Arithmetic had no time to tell whether {int(open_ones.sum()):,} withheld or rounded figures follow."
            )
            findings.append(Proved("not reached", Severity.REVIEW, outputs, (), sentence))
    cells += told
    findings += _findings(told, targets)


def _after_means(
    told: tuple[Cell, ...], given: Submission, groups: list[Group], settings: AuditSettings
) -> tuple[Cell, ...]:
    """Cells with what means of the same people say of them, which is not linear."""
    made = counts_from_means(told, given, groups)
    return tuple(
        c if c is before else replace(c, status=_status(c.low, c.high, settings.narrowest, np.nan, False))
        for c, before in zip(made, told, strict=True)
    )


def _stated(given: Submission) -> tuple[list[Stated], list[tuple[int, str]]]:
    """The linear outputs (earlier ones have the number −1), and the others with the reason."""
    stated: list[Stated] = []
    unreached: list[tuple[int, str]] = []
    alone = len(given.outputs) == 1 and not given.earlier
    for i, (output, released) in enumerate(zip(given.outputs, given.released, strict=True)):
        linear = output.linear(given.schema, released)
        if linear is None:
            unreached.append((i, NOT_LINEAR))
            continue
        stated.append(Stated("" if alone else output.name or f"outputs[{i}]", released.labels, linear, i))
    for name, output, released in given.earlier:
        linear = output.linear(given.schema, released)
        if linear is not None:
            stated.append(Stated(name, released.labels, linear))
    return stated, unreached


def _targets(given: Submission, partition: Partition, settings: AuditSettings) -> _Targets:
    """Withheld and rounded figures of the new outputs, then small groups that no figure states."""
    rows: list[sparse.csr_array] = []
    output: list[int] = []
    labels: list[str] = []
    need: list[float] = []
    system = partition.system
    for s, (i, is_figure) in enumerate(zip(partition.numbers, partition.is_figure, strict=True)):
        if i < 0 or not is_figure or not len(partition.rows[s]):
            continue
        released = given.released[i]
        # Half a person is how a count is printed in full.
        hidden = np.flatnonzero(~np.isfinite(released.values) | (released.half > 0.5))
        hidden = hidden[np.isin(hidden, partition.figures[s])]
        if given.n_rows is not None and system.is_whole and partition.is_whole:
            # How many people there are is known anyway.
            everybody = partition.sums[s] @ np.ones(system.n_cells) == system.n_cells
            hidden = hidden[~everybody[hidden]]
        levels = {} if system.is_whole else _protection(given, i, settings)
        rows.append(partition.sums[s][hidden])
        output += [i] * len(hidden)
        labels += [released.labels[f] for f in hidden.tolist()]
        usual = settings.narrowest if system.is_whole else 0.0
        need += [max(usual, 2 * levels.get(f, 0.0)) for f in hidden.tolist()]
    mildest: dict[str, Severity] = {}
    if system.is_whole:
        for matrix, names in _withheld_before(given, partition):
            rows.append(matrix)
            output += [-1] * len(names)
            labels += names
            need += [float(settings.fewest)] * len(names)
        groups = find_candidates(system, partition.sums, rows, settings.fewest).matrix
        rows.append(groups)
        output += [-1] * int(groups.shape[0])
        named = partition.labels(groups)
        mildest = {
            label: _UNANSWERED[which]
            for label, which in zip(named, partition.unanswered(groups, given.schema), strict=True)
            if which != "none"
        }
        labels += named
        need += [float(settings.fewest)] * int(groups.shape[0])
    matrix = sparse.csr_array(sparse.vstack([sparse.csr_array((0, system.n_cells)), *rows]))
    value = np.full(matrix.shape[0], np.nan) if system.point is None else matrix @ system.point
    return _Targets(
        matrix, np.array(output, dtype=np.int64), tuple(labels), np.array(need, dtype=float), value, mildest
    )


def _withheld_before(given: Submission, partition: Partition) -> list[tuple[sparse.csr_array, list[str]]]:
    """Figures that earlier releases withheld: what is new may not give them away."""
    before = {name: released for name, _, released in given.earlier}
    found = []
    for s, stated in enumerate(partition.stated):
        if stated.number < 0 and stated.linear.is_figure and stated.name in before and len(partition.rows[s]):
            hidden = np.flatnonzero(~np.isfinite(before[stated.name].values))
            hidden = hidden[np.isin(hidden, partition.figures[s])]
            found.append((partition.sums[s][hidden], [f"{stated.name}: {stated.labels[f]}" for f in hidden.tolist()]))
    return found


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


def _by_one(partition: Partition, targets: _Targets, found: Bounds, budget: Budget) -> Mask:
    """Which groups that follow exactly do so from one output already: it says them in other words, as a mean of 0 and 1
    says a count.
    """
    by_one = np.zeros(len(targets.labels), dtype=bool)
    exact = np.flatnonzero((targets.output < 0) & (found.high - found.low < 0.5))
    system = partition.system
    others = np.arange(sum(len(rows) for rows in partition.rows), system.n_figures)  # all rows, and shared margins
    for rows in partition.rows:
        left = exact[~by_one[exact]]
        if len(left) and not budget.is_spent:
            alone = find_bounds(system.only([*rows.tolist(), *others.tolist()]), targets.matrix[left], budget)
            by_one[left] = alone.is_possible & (alone.high - alone.low < 0.5)
    return by_one


def _cells(
    system: System, targets: _Targets, found: Bounds, by_one: Mask, settings: AuditSettings, budget: Budget
) -> tuple[Cell, ...]:
    cells: list[Cell] = []
    chains = 0
    for t, label in enumerate(targets.labels):
        low, high, output = float(found.low[t]), float(found.high[t]), int(targets.output[t])
        status = _status(low, high, float(targets.need[t]), float(targets.value[t]), not system.is_whole)
        if output < 0 and (low < 0.5 or high > settings.fewest - 0.5 or status is Status.PROTECTED):
            continue  # a group that may be empty, or large, is none that follows
        chain = ""
        if status is not Status.PROTECTED and chains < settings.most_chains and not budget.is_spent:
            chain = _chain(system, targets.matrix[[t]].toarray().ravel(), low, high, budget)
            chains += 1
        number, is_sharp = None if output < 0 else output, bool(found.is_sharp[t])
        cells.append(Cell(number, label, low, high, status, chain, is_sharp, not by_one[t]))
    return tuple(cells)


def _status(low: float, high: float, need: float, value: float, is_amount: bool) -> Status:
    """need: how wide the interval must be. is_amount: half of it on each side of what the data hold (where known)."""
    slack = 1e-6 * (1.0 + abs(low))  # as far as bounds are promised
    if high - low <= slack:
        return Status.EXACT
    one_sided = is_amount and np.isfinite(value) and min(value - low, high - value) < need / 2 - slack
    return Status.NARROW if one_sided or high - low < need - slack else Status.PROTECTED


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
        for is_joint in (True, False):
            # What one output says in other words breaks a threshold; what only several say was overlooked.
            usual = severity if is_joint else Severity.REVIEW
            groups = [c for c in cells if c.output is None and c.status is status and c.is_joint is is_joint]
            for does in (Severity.REFUSE, Severity.REVIEW, Severity.NOTE):
                mine = [c for c in groups if targets.does(c.label, usual) is does]
                if mine:
                    verb = words.format(s="s" if len(mine) == 1 else "")
                    verb = verb.replace("the others", "the figures" if is_joint else "one output")
                    found.append(_of_groups(mine, status, does, verb, targets, value))
    return tuple(found)


def _of_groups(
    groups: Sequence[Cell],
    status: Status,
    does: Severity,
    verb: str,
    targets: _Targets,
    value: dict[tuple[int, str], float],
) -> Proved:
    """A finding on groups that no figure states."""
    n, people = len(groups), sum(value[(-1, c.label)] for c in groups)
    whose = " with a missing value" if all(c.label in targets.mildest for c in groups) else ""
    sentence = f"{n:,} {'group' if n == 1 else 'groups'} of few people{whose} that no figure states {verb}."
    count = int(people) if np.isfinite(people) else None
    return Proved(f"{status} group", does, (), tuple(c.label for c in groups), sentence, count)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(n) for n in names[:6])
    return shown + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def _variables_of(stated: Sequence[Stated]) -> tuple[str, ...]:
    """The variables that are summed."""
    return tuple(dict.fromkeys(name for s in stated for name in s.linear.summed))
