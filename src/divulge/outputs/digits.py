"""Digits that matter: how many of the printed ones tell people apart, and what figures hold against what rows have.

A digit tells nobody from anybody where its unit is far below what one person moves the figure by: programs that print
floats whole print ten such digits. And where figures hold more bits than rows of this number can differ by, hardly any
other rows have them (`divulge.lattice.bits`; Shannon 1948).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from divulge.kernels.arrays import Floats, Integers
from divulge.lattice.bits import figure_bits, set_bits
from divulge.outputs.lowering.influence import Influence, influence
from divulge.outputs.output import Output
from divulge.outputs.released.precision import MOST_DECIMALS, Precision, Released, printed
from divulge.table import Table

PARTS = 500
"""A unit of the last digit that matters is at most a five-hundredth of what one person moves a figure by: a tenth of
what any look-up tells two people apart by (scenario/score.py, TOLERANCE)."""


@dataclass(frozen=True)
class _GroupBits:
    """Figures that have people in common. first: the label of the first; printed, secret: bits of figures and rows."""

    first: str
    figures: int
    people: int
    printed: float
    secret: float

    @property
    def is_determined(self) -> bool:
        """Whether the figures hold more than rows of this number can differ by."""
        return self.printed > self.secret


@dataclass(frozen=True)
class Digits:
    """What the digits of one output are worth.

    useful: the decimals to which figures are embedded, where some have digits far below what one person moves;
    None: as printed.
    more: how many figures these are.
    no_sizes: labels of figures that no group of its size can have.
    reach: by how much intervals have to be wider so that groups of these sizes can have them; None: not at all.
    """

    groups: tuple[_GroupBits, ...]
    useful: tuple[int, ...] | None = None
    more: int = 0
    no_sizes: tuple[str, ...] = ()
    reach: tuple[float, ...] | None = None

    @property
    def printed(self) -> float:
        return sum(g.printed for g in self.groups)

    @property
    def secret(self) -> float:
        return sum(g.secret for g in self.groups)

    def sentences(self) -> Iterator[str]:
        """What there is to say, if anything."""
        if self.no_sizes:
            named = ", ".join(self.no_sizes[:3]) + (" …" if len(self.no_sizes) > 3 else "")
            yield f"No search can meet these: no group of its size can have {named} as printed."
        if self.useful is not None:
            fewest, most = min(self.useful), max(self.useful)
            to = f"{most} decimal{'s' * (most != 1)}" if fewest == most else f"{fewest} to {most} decimals"
            many = "1 figure has" if self.more == 1 else f"{self.more:,} figures have"
            yield (
                f"{many} digits far below what one person moves them by: the search is held to {to}. Rules, audit and "
                "attacks take every digit."
            )
        full = [g for g in self.groups if g.is_determined]
        if full:
            worst = max(full, key=lambda g: g.printed - g.secret)
            yield (
                "More digits than data of this size can be told apart by: as printed, the figures "
                f"{'' if len(self.groups) == 1 else f'of {len(full):,} of {len(self.groups):,} groups '}hold more bits "
                f"than their rows have ({worst.first}: {worst.printed:.0f} against {worst.secret:.0f}, "
                f"{worst.people:,} people)."
            )

    def as_json(self) -> dict[str, Any]:
        """As records hold it."""
        return {
            "bits_printed": self.printed,
            "bits_rows": self.secret,
            "groups": [
                {"first": g.first, "figures": g.figures, "people": g.people, "printed": g.printed, "rows": g.secret}
                for g in self.groups[:MOST_GROUPS]
            ],
            "more_groups": max(0, len(self.groups) - MOST_GROUPS),
            "determined_groups": sum(g.is_determined for g in self.groups),
            "embedded_decimals": None if self.useful is None else list(self.useful),
            "sentences": list(self.sentences()),
        }


MOST_GROUPS = 50
"""Groups that a record lists; the others are counted."""


def digits_of(
    output: Output,
    released: Released,
    table: Table,
    *,
    is_data: bool = True,
    marginals: Mapping[str, Floats] | None = None,
) -> Digits:
    """What the digits of an output are worth.

    table: the data, or rows as they may be where there are none. marginals: what is known of variables then.
    """
    if output.growth == "extensive" or output.releases_rows or not output.can_lower or table.people is not None:
        return Digits(())
    sizes = _sizes(output, released, table, None if is_data else marginals or {})
    no_sizes = _no_sizes(output, released, table, sizes)
    reach = _reach(output, released, table, sizes, no_sizes) if no_sizes else None
    labels = tuple(released.labels[i] for i in no_sizes)
    found = influence(output, released, table)
    if found is None:
        return Digits((), no_sizes=labels, reach=reach)
    return Digits(tuple(_groups(output, released, table, found)), *_useful(found, released), labels, reach)


def less_until_told(output: Output, released: Released, table: Table, most: int) -> int | None:
    """How many digits have to go before figures hold no more bits than rows have; None where more than `most`."""
    for less in range(most + 1):
        wider = replace(released, half=released.half * 10.0**less)
        if not any(group.is_determined for group in digits_of(output, wider, table).groups):
            return less
    return None


def as_embedded(released: Released, useful: tuple[int, ...]) -> Released:
    """The same figures, printed to fewer decimals."""
    precision = Precision(decimals=useful)
    fewer = printed(
        released.labels,
        precision.rounded(released.values),
        precision,
        se=released.se,
        se_precision=released.se_precision,
    )
    given = np.isfinite(released.values)
    # What is withheld, or bounded from elsewhere, stays as it was.
    wider = given & (fewer.half > released.half)
    return replace(
        released,
        values=np.where(wider, fewer.values, released.values),
        low=np.where(wider, fewer.low, released.low),
        high=np.where(wider, fewer.high, released.high),
        half=np.where(wider, fewer.half, released.half),
        precision=precision,
        se_precision=released.precision_of_se,
    )


def _useful(found: Influence, released: Released) -> tuple[tuple[int, ...] | None, int]:
    """The decimals that each figure is embedded to, and of how many figures these are fewer than printed."""
    if released.precision.base is not None:
        return None, 0
    shown = np.round(-np.log10(2 * released.half)).astype(np.int64)
    typical = found.typical()
    moved = np.isfinite(typical) & (typical > 0)
    needed = shown.copy()
    needed[moved] = np.ceil(-np.log10(typical[moved] / PARTS)).astype(np.int64)
    fewer = np.clip(np.minimum(shown, needed), -MOST_DECIMALS, MOST_DECIMALS)
    more = int((fewer < shown).sum())
    return (tuple(fewer.tolist()), more) if more else (None, 0)


def _groups(output: Output, released: Released, table: Table, found: Influence) -> Iterator[_GroupBits]:
    behind = output.behind(table)
    is_counts = bool(behind) and all(b.what in ("count", "share", "base") for b in behind)
    is_counts |= output.lower(table.schema, released).of_counts is not None
    variables = output.uses(table.schema)
    for figures, rows in zip(found.groups, found.people.T, strict=True):
        if not rows.any():
            continue
        n = round(rows.sum() * found.each)
        shifts = found.moves[rows][:, figures] / released.half[figures]
        values = [_n_values(table, name, found.rows[rows]) for name in variables]
        # A row looked at stands for several, which come and go one by one.
        bits, secret = figure_bits(shifts - shifts.mean(axis=0), found.each), set_bits(n, float(prod(values)))
        # Shares say counts, and no digit says more.
        bits = min(bits, secret) if is_counts else bits
        yield _GroupBits(released.labels[figures[0]], len(figures), n, bits, secret)


def _n_values(table: Table, name: str, rows: Integers) -> int:
    """How many values rows may have: one where all have the same, as within a group."""
    codes = table[name][rows]
    return table.schema[name].n_values if len(codes) and (codes != codes[0]).any() else 1


def _sizes(
    output: Output, released: Released, table: Table, marginals: Mapping[str, Floats] | None
) -> list[float | None]:
    """How many people each group has; None where that is not known.

    marginals: without data, what is known of variables. A value that nobody has is not missing either.
    """
    lowered = output.lower(table.schema, released)
    if lowered.sized is None:
        return []
    keys, n = lowered.sized.keys, len(lowered.sized.ratio.group)
    if marginals is None:
        totals = lowered.totals(table)
        return [round(float(totals[n + g])) if any(key) else table.n_rows for g, key in enumerate(keys)]
    found: list[float | None] = []
    for where, lacking, levels in keys:
        is_whole = where is None and all(
            name in marginals and not marginals[name][table.schema[name].is_missing].any() for name in lacking
        )
        shares = [marginals.get(name, np.full(level + 1, np.nan))[level] for name, level in levels]
        size = table.n_rows * float(np.prod(shares)) if is_whole and len(shares) <= 1 else np.nan
        found.append(None if np.isnan(size) else round(size))
    return found


def _no_sizes(output: Output, released: Released, table: Table, sizes: Sequence[float | None]) -> tuple[int, ...]:
    """Figures that no group of its size can have, by number and by arithmetic (Brown & Heathers 2017).

    Where the size of a group is not known, any up to the number of rows will do.
    """
    sized = output.lower(table.schema, released).sized
    found = []
    for figure, group in enumerate([] if sized is None else sized.ratio.group.tolist()):
        assert sized is not None, "there are no groups otherwise"
        possible, own = sized.sizes[group], sizes[group]
        if not released.is_given[figure] or not len(possible):
            continue
        if own is None:
            carries = bool((possible <= table.n_rows).any()) or table.n_rows > possible[-1]
        else:
            carries = own < 1 or own > possible[-1] or own in possible
        if not carries:
            found.append(figure)
    return tuple(found)


def _reach(
    output: Output, released: Released, table: Table, sizes: Sequence[float | None], wrong: tuple[int, ...]
) -> tuple[float, ...]:
    """By how much intervals have to be wider so that groups of these sizes can have the figures: about."""
    reach = np.zeros(len(released.values))
    while wrong:
        reach[list(wrong)] = np.maximum(2 * reach, released.half)[list(wrong)]
        wrong = _no_sizes(output, widened(released, tuple(reach)), table, sizes)
    return tuple(reach.tolist())


def widened(released: Released, reach: Sequence[float]) -> Released:
    """The same figures with intervals that reach farther."""
    by = np.array(reach)
    return replace(released, low=released.low - by, high=released.high + by, half=released.half + by)
