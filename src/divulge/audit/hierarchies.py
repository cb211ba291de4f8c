"""Variables that others decide: the county of a region. Who knows the region knows the county, whoever it is.

Then the two span no cells of their own: tables of regions and tables of counties are about the same cells, as if they
were one hierarchy (Langsrud 2024: common cells are those of the same records). Edit rules say so, or the data do, where
that is no chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from divulge.kernels.arrays import Codes, Integers, Mask
from divulge.table import Schema, Table

CHANCE = 0.01
"""Below this chance of it among people whose values have nothing to do with each other, it is taken for more than that:
what an intruder might know is better reckoned with. The audit says so."""

MOST_PAIRS = 1_000_000
"""Pairs of values up to which two variables are compared."""


@dataclass(frozen=True, eq=False)
class Decided:
    """A variable that a finer one decides. codes: for each code of the finer one, the code that follows."""

    finer: str
    coarser: str
    codes: Integers


def find_decided(names: Iterable[str], schema: Schema, table: Table | None) -> tuple[Decided, ...]:
    """Which of some variables are decided by another of them: each by the finest that does."""
    chosen = list(names)
    found: dict[str, list[Decided]] = {}
    for finer, coarser in permutations(chosen, 2):
        shape = schema[finer].n_codes, schema[coarser].n_codes
        if shape[0] <= shape[1] or shape[1] < 2 or shape[0] * shape[1] > MOST_PAIRS:
            continue
        codes = _by_rules(finer, coarser, schema)
        if codes is None and table is not None:
            codes = _in_data(finer, coarser, table)
        if codes is not None:
            found.setdefault(coarser, []).append(Decided(finer, coarser, codes))
    # Of a chain of variables the first decides all; what is decided itself decides nothing then.
    best = {}
    for coarser, ways in found.items():
        first = [way for way in ways if way.finer not in found] or ways
        best[coarser] = min(first, key=lambda way: schema[way.finer].n_codes)
    return tuple(way for way in best.values() if way.finer not in best)


def _by_rules(finer: str, coarser: str, schema: Schema) -> Integers | None:
    """What edit rules that speak of these two leave possible; None unless it is one value for each."""
    rules = [r for r in schema.parsed_rules() if set(r.variables) == {finer, coarser}]
    if not rules or any(schema[name].n_codes > schema[name].n_values for name in (finer, coarser)):
        return None
    shape = schema[finer].n_codes, schema[coarser].n_codes
    codes = _grid((finer, coarser), schema)
    may_be = np.ones(shape[0] * shape[1], dtype=bool)
    for rule in rules:
        may_be &= rule.truth(codes.__getitem__) != 0
    return _one_each(may_be.reshape(shape))


def _grid(names: Sequence[str], schema: Schema) -> dict[str, Codes]:
    """Every combination of the codes of some variables, the last fastest."""
    grid = np.indices([schema[name].n_codes for name in names])
    return {name: at.ravel().astype(schema[name].dtype) for name, at in zip(names, grid, strict=True)}


def _in_data(finer: str, coarser: str, table: Table) -> Integers | None:
    """The value that everybody of each finer value has; None where there is a second one, or where chance would do."""
    n_finer, n_coarser = (table.schema[name].n_codes for name in (finer, coarser))
    pairs = table[finer].astype(np.int64) * n_coarser + table[coarser]
    people = table.tally(pairs, n_finer * n_coarser).reshape(n_finer, n_coarser)
    codes = _one_each(people > 0)
    if codes is None:
        return None
    share = people.sum(axis=0) / people.sum()
    sizes = people.sum(axis=1)
    with np.errstate(divide="ignore", under="ignore"):
        chance = np.log((share[None, :] ** sizes[:, None]).sum(axis=1)).sum()
    return codes if chance < np.log(CHANCE) else None


def _one_each(may_be: Mask) -> Integers | None:
    """The one column of each row; None where a row has none or several, or where all have the same."""
    if (may_be.sum(axis=1) != 1).any():
        return None
    codes = may_be.argmax(axis=1).astype(np.int64)
    return codes if len(np.unique(codes)) > 1 else None


def refined(classes: Mapping[str, Integers], decided: Iterable[Decided]) -> dict[str, Integers]:
    """Classes of codes, in which no class of a finer variable has codes of two classes of a coarser one."""
    found = dict(classes)
    for way in decided:
        mine, other = found[way.finer], classes[way.coarser][way.codes]
        number = mine * (int(other.max(initial=0)) + 1) + other
        _, first, inverse = np.unique(number, return_index=True, return_inverse=True)
        rank = np.empty(len(first), dtype=np.int64)
        rank[np.argsort(first, kind="stable")] = np.arange(len(first))
        found[way.finer] = rank[inverse.ravel()]
    return found


def forbidden(names: tuple[str, ...], classes: Mapping[str, Integers], schema: Schema) -> Mask:
    """Which cells no row can be in by edit rules. names: the variables that span cells, by their classes."""
    shape = tuple(int(classes[name].max(initial=0)) + 1 for name in names)
    found = np.zeros(shape, dtype=bool)
    for rule in schema.parsed_rules():
        asked = [name for name in names if name in rule.variables]
        n_combinations = np.prod([float(schema[name].n_codes) for name in asked])
        if len(asked) < len(rule.variables) or n_combinations > MOST_PAIRS:
            continue
        grid = _grid(asked, schema)
        holds = rule.truth(grid.__getitem__) != 0
        # A cell is forbidden where every combination of its codes is.
        small = [shape[names.index(name)] for name in asked]
        at = np.ravel_multi_index([classes[name][grid[name]] for name in asked], small)
        may_be = np.bincount(at, holds, minlength=int(np.prod(small))).reshape(small) > 0
        spread = [n if name in asked else 1 for name, n in zip(names, shape, strict=True)]
        found |= ~may_be.reshape(spread)
    return found.ravel()
