"""Who is looked at again in the whole, and who is left out together.

Halves find suspects, but do not say how exposed somebody is in the output that would be released: two people who share
a cell of the whole are each alone in it in half of the halves. In the second look everybody else stays in.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from divulge.designs import BLOCK, Split, left_out_split
from divulge.kernels.arrays import Integers, Mask
from divulge.outputs import Output
from divulge.scenario import Lookup
from divulge.scenario.score import EXACT_UP_TO
from divulge.table import Table

SMALL = 3
"""People in a group of the outputs up to which they are looked at in any case."""

MOST_NAMED = 100
"""People who are looked at because of their group; the smallest groups first. More would weaken every single test.
So many again may be looked at because rules or arithmetic name them."""

OUT_AT_ONCE = 0.05
"""Share of all people, and of those with the same keys, who are left out together: it stays nearly the whole."""


def in_small_groups(outputs: Sequence[Output], table: Table) -> Mask:
    """The people of the smallest groups, cells and levels behind the figures: known without a look at any split."""
    size = np.full(table.n_rows, np.iinfo(np.int64).max)
    for behind in (b for output in outputs for b in output.behind(table)):
        inside = behind.group >= 0
        people = np.bincount(behind.group[inside], minlength=behind.n_groups)
        size[inside] = np.minimum(size[inside], people[behind.group[inside]])
    order = np.argsort(size, kind="stable")[:MOST_NAMED]
    found = np.zeros(table.n_rows, dtype=bool)
    found[order[size[order] <= SMALL]] = True
    return found


def named_by_findings(findings: Sequence[Mask], n_rows: int) -> Mask:
    """The people whom rules and arithmetic name, one mask a finding: what only the whole shows is looked at there.

    Findings about the fewest people come first; one that would make it more than MOST_NAMED is left out.
    """
    found = np.zeros(n_rows, dtype=bool)
    for people in sorted(findings, key=np.count_nonzero):
        more = found | people
        if np.count_nonzero(more) <= MOST_NAMED:
            found = more
    return found


def behind_figures(output: Output, labels: Sequence[str], table: Table) -> Mask:
    """The people behind these figures of an output."""
    found, every = np.zeros(table.n_rows, dtype=bool), output.labels(table.schema)
    for behind in output.behind(table):
        wanted = [g for g in range(behind.n_groups) if behind.label(g, every) in labels]
        found |= np.isin(behind.group, wanted)
    return found


def telling(lookups: Sequence[Lookup], table: Table) -> list[int]:
    """The numbers of the look-ups by which outputs set people apart: those without a key of very many values.

    By such a key nearly everybody is alone, whatever the outputs say. All look-ups where each has one.
    """
    fine = {n for n in table.names if table.schema[n].kind == "numeric" and table.schema[n].n_values > EXACT_UP_TO}
    found = [i for i, lookup in enumerate(lookups) if not fine & set(lookup.scenario.keys)]
    return found or list(range(len(lookups)))


def smallest_classes(lookups: Sequence[Lookup], table: Table) -> Mask:
    """The people with the fewest of their keys: whom a look-up is most likely to give away."""
    fewest = np.full(table.n_rows, np.iinfo(np.int64).max)
    for i in telling(lookups, table):
        fewest = np.minimum(fewest, _class_sizes(lookups[i])[1])
    found = np.zeros(table.n_rows, dtype=bool)
    found[np.argsort(fewest, kind="stable")[:MOST_NAMED]] = True
    return found


def leave_out(suspects: Mask, lookups: Sequence[Lookup], n_splits: int, first: int, seed: int) -> tuple[Split, ...]:
    """Splits of nearly full size: of the suspects so many are out at a time that hardly any two share keys.

    A suspect is out for half of a block of splits, for fewer where others have the same keys. Which splits these are is
    random, so the labels can be shuffled within blocks.
    """
    people = np.flatnonzero(suspects)
    classes = [_class_sizes(lookup) for lookup in lookups]
    rng = np.random.default_rng([seed, _TAG, first])
    out: list[list[int]] = [[] for _ in range(n_splits)]
    for start in range(0, n_splits, BLOCK):
        block = _leave_out_block(people, classes, min(BLOCK, n_splits - start), len(suspects), rng)
        for s, members in enumerate(block):
            out[start + s] = members
    return tuple(left_out_split(first + i, rows, len(suspects), seed) for i, rows in enumerate(out))


_TAG = 4
"""First word of the key of the random stream, as in `designs.py`."""


def _leave_out_block(
    people: Integers, classes: Sequence[tuple[Integers, Integers]], size: int, n_rows: int, rng: np.random.Generator
) -> list[list[int]]:
    """Who is out in each split of one block."""
    in_all = max(1, int(OUT_AT_ONCE * n_rows))
    times = np.full(len(people), min(size // 2, max(1, in_all * size // max(len(people), 1))))
    for code, n_alike in classes:
        _, number, together = np.unique(code[people], return_inverse=True, return_counts=True)
        allowed = np.maximum(1, (OUT_AT_ONCE * n_alike[people]).astype(np.int64))
        times = np.minimum(times, np.maximum(1, allowed * size // together[number]))
    taken = np.zeros(size, dtype=np.int64)
    used: dict[tuple[int, int], Integers] = {}
    block: list[list[int]] = [[] for _ in range(size)]
    for at in rng.permutation(len(people)).tolist():
        person = int(people[at])
        free = taken < in_all
        own = []
        for k, (code, n_alike) in enumerate(classes):
            count = used.setdefault((k, int(code[person])), np.zeros(size, dtype=np.int64))
            free &= count < max(1, int(OUT_AT_ONCE * n_alike[person]))
            own.append(count)
        chosen = rng.permutation(np.flatnonzero(free))[: times[at]]
        taken[chosen] += 1
        for count in own:
            count[chosen] += 1
        for s in chosen.tolist():
            block[s].append(person)
    return block


def _class_sizes(lookup: Lookup) -> tuple[Integers, Integers]:
    """The keys of everybody as one number, and how many have the same."""
    codes = (lookup.cells // lookup.width)[lookup.cell_of_row]
    _, number, sizes = np.unique(codes, return_inverse=True, return_counts=True)
    return number, sizes[number]
