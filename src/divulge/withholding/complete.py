"""Primary figures of an output, completed to a pattern that the audit finds nothing to say against."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from scipy import sparse

from divulge.audit.partition import Partition, Stated, build
from divulge.audit.report import Status
from divulge.audit.run import AuditSettings, Submission, audit
from divulge.kernels.arrays import Floats, Mask
from divulge.outputs.released.precision import Released
from divulge.withholding.figures import Figures
from divulge.withholding.pattern import find_pattern

ROUNDS = 6
"""How often the audit may send a pattern back: each time with more figures than it had."""


SECONDS = 10.0
"""How long looks for a pattern may take, all together, before what they have is taken."""

LEAST_SECONDS = 1.0
"""How long each look may take even so."""


def complete_pattern(given: Submission, primary: Mask, settings: AuditSettings | None = None) -> Mask:
    """Which figures of the first output to withhold. primary: those of too few people.

    The audit looks at the submission with the pattern, at what was released before and at the number of rows. Withheld
    figures that still follow need more room; small groups that follow are made of figures that must go too.
    """
    settings = settings or AuditSettings(most_chains=0)
    withheld, need = primary.copy(), np.full(len(primary), settings.narrowest)
    figures = _figures(given)
    until = time.monotonic() + SECONDS
    for _ in range(ROUNDS):
        if figures is not None:
            padded = np.concatenate([withheld, np.zeros(len(figures.cost) - len(withheld), dtype=bool)])
            room = np.concatenate([need, np.zeros(len(padded) - len(need))])
            left = max(until - time.monotonic(), LEAST_SECONDS)
            withheld = find_pattern(figures, padded, np.where(padded, room, 0.0), seconds=left)[: len(withheld)]
        found = audit(_with(given, withheld), settings)
        wrong = [c for c in found.cells if c.status is not Status.PROTECTED]
        if not wrong:
            break
        labels = given.released[0].labels
        unsafe = {c.label for c in wrong if c.output == 0}
        if unsafe:
            need = np.where([label in unsafe for label in labels], 2 * need, need)
        elif figures is not None:
            withheld |= _parts_of(figures, labels, {c.label for c in wrong}, withheld)
        if figures is None:
            # Nothing is known of how the figures hang together: the smallest that is left goes too.
            public = np.flatnonzero(~withheld & np.isfinite(given.released[0].values))
            if not len(public):
                break
            withheld[public[np.argmin(given.released[0].values[public])]] = True
    return withheld


def _hide(released: Released, withheld: Mask, least: Floats, most: Floats) -> Released:
    """Released figures with some of them withheld: anything that is possible."""
    return replace(
        released,
        values=np.where(withheld, np.nan, released.values),
        low=np.where(withheld, least, released.low),
        high=np.where(withheld, most, released.high),
    )


def _with(given: Submission, withheld: Mask) -> Submission:
    least, most = given.outputs[0].possible_where(withheld, given.schema, given.n_rows)
    return replace(given, released=(_hide(given.released[0], withheld, least, most), *given.released[1:]))


def _figures(given: Submission) -> Figures | None:
    """The figures of the first output over the cells of the audit; None where they are no counts of people."""
    output, released = given.outputs[0], given.released[0]
    linear = output.linear(given.schema, released)
    if linear is None or not linear.is_figure or linear.summed or given.table is None:
        return None
    stated = [Stated("", released.labels, linear, 0)]
    for name, before, printed in given.earlier:
        told = before.linear(given.schema, printed)
        if told is not None and told.is_figure and not told.summed:
            stated.append(Stated(name, printed.labels, told))
    partition = build(stated, given.schema, given.n_rows, given.table)
    system = partition.system
    if not len(partition.rows[0]) or system.point is None:
        return None
    # The output's own figures first, in their order; what else is known cannot be withheld any more.
    own = partition.sums[0][: len(released.labels)]
    others = system.matrix[_others(partition)]
    cost = np.concatenate([1.0 + 1e-3 * np.log1p(np.nan_to_num(released.values)), np.full(others.shape[0], np.inf)])
    every = sparse.csr_array(sparse.vstack([own, others]))
    return Figures(every, system.point, cost, system.least, system.most)


def _others(partition: Partition) -> Mask:
    mine = np.zeros(partition.system.n_figures, dtype=bool)
    mine[partition.rows[0]] = True
    return ~mine


def _parts_of(figures: Figures, labels: tuple[str, ...], groups: set[str], withheld: Mask) -> Mask:
    """The smallest published figures beside groups that follow: withholding them leaves the groups open."""
    del groups
    sizes = np.asarray(figures.sums[: len(labels)] @ figures.cells)
    found = np.zeros(len(labels), dtype=bool)
    left = np.flatnonzero(~withheld & (sizes > 0))
    if len(left):
        found[left[np.argsort(sizes[left], kind="stable")[: max(1, len(left) // 20)]]] = True
    return found
