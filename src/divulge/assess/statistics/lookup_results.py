"""What is known of every look-up in the end: exactly where counts say it, by splits and their tests where not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from divulge.assess.statistics.counted import ALMOST, Counted
from divulge.assess.statistics.exposure import Exposed
from divulge.assess.statistics.halves import Halves
from divulge.assess.statistics.intervals import Mean
from divulge.kernels.arrays import Floats, Mask
from divulge.outputs import Output, Released, Statbarn
from divulge.policy import Policy
from divulge.scenario import Lookup
from divulge.scenario.score import score
from divulge.table import Table


@dataclass(frozen=True, eq=False)
class LookupResult:
    """One look-up. is_exact: whether risk and exposures are those of the whole, counted; contrasts: by split.

    certain: whose value is certain in a small class, of those who are exposed.
    """

    exposures: Floats
    exposed: Mask
    certain: Mask
    risk: Mean
    contrasts: Mapping[int, float]
    is_exact: bool


def looks_of(
    halves: Halves | None, found: Exposed | None, counted: Sequence[Counted | None], policy: Policy
) -> list[LookupResult]:
    """Every look-up. found: by tests, of the look-ups that need them; None where none does."""
    looks, place = [], 0
    for i, exact in enumerate(counted):
        if exact is not None:
            looks.append(
                LookupResult(exact.exposures, exact.exposed(policy.delta), exact.certain, exact.risk, {}, is_exact=True)
            )
            continue
        assert found is not None, "there are tests where there are no counts"
        assert halves is not None, "and halves that they are made on"
        exposed, exposures = found.by_each[place], found.exposures[place]
        nobody = np.zeros(len(exposed), dtype=bool)
        looks.append(LookupResult(exposures, exposed, nobody, halves.risk(i), halves.contrasts(i), is_exact=False))
        place += 1
    return looks


def with_leaves(
    looks: Sequence[LookupResult],
    lookups: Sequence[Lookup],
    outputs: Sequence[Output],
    printed: Sequence[Released],
    table: Table,
    policy: Policy,
) -> tuple[LookupResult, ...]:
    """The same with what exact counts say of groups that are no combination of keys: of leaves.

    Whoever knows a person's keys knows the leaf, and reads its counts. Exposure by them is exact (`counted.py`), and
    counts where it is larger than that of synthetic rows with the same keys.
    """
    found = []
    for look, lookup in zip(looks, lookups, strict=True):
        if look.is_exact:
            found.append(look)
            continue
        exposures, certain = _in_leaves(lookup, outputs, printed, table, policy)
        exposed = look.exposed | certain | (exposures > policy.delta)
        larger = np.maximum(look.exposures, exposures)
        found.append(replace(look, exposures=larger, exposed=exposed, certain=look.certain | certain))
    return tuple(found)


def _in_leaves(
    lookup: Lookup, outputs: Sequence[Output], printed: Sequence[Released], table: Table, policy: Policy
) -> tuple[Floats, Mask]:
    """Of every row: the exposure by the counts of its leaf, −∞ without one, and whether its value is certain there."""
    exposures, certain = np.full(table.n_rows, -np.inf), np.zeros(table.n_rows, dtype=bool)
    known = {*lookup.scenario.keys, lookup.scenario.target}
    prior = lookup.prior[lookup.cell_of_row]
    for output, released in zip(outputs, printed, strict=True):
        if output.statbarn is not Statbarn.FREQUENCIES or not known.issuperset(output.uses(table.schema)):
            continue
        low, high = released.whole()
        for behind in output.behind(table):
            if behind.told != lookup.scenario.target or not bool((low == high).all()):
                continue
            n = table.tally(behind.group, behind.n_groups, behind.group >= 0).reshape(behind.shape)
            size = np.broadcast_to(n.sum(axis=-1, keepdims=True), n.shape)
            inside = behind.group >= 0
            near, matched = (counts.astype(float).ravel()[behind.group] for counts in (n, size))
            by_counts = score(near, matched, prior) - score(near - 1, matched - 1, prior)
            exposures = np.where(inside, np.maximum(exposures, by_counts), exposures)
            certain |= inside & (near == matched) & (near < policy.certain_class) & (prior < ALMOST)
    return exposures, certain


def best_look(looks: Sequence[LookupResult]) -> LookupResult:
    """The look-up of one scenario with the largest marginal risk; the first one where several are alike.

    Who is exposed by any of them is exposed, by as much as there; the others as much as in the one that is taken.
    """
    best = looks[int(np.argmax([look.risk.value for look in looks]))]
    exposures, exposed = best.exposures.copy(), np.any([look.exposed for look in looks], axis=0)
    for look in looks:
        exposures[look.exposed] = np.maximum(exposures, look.exposures)[look.exposed]
    certain = np.any([look.certain for look in looks], axis=0)
    return LookupResult(exposures, exposed, certain, best.risk, best.contrasts, best.is_exact)
