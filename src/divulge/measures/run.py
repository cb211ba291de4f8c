"""Measure synthetic data against original and holdout: align, group, count once, ask every family.

Nothing here knows what a measure is called; the families of the room say so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict, Unpack

import numpy as np

from divulge.errors import MeasureError, MissingColumnsError, suggest, unknown_variable
from divulge.measures.case import Case
from divulge.measures.choose import choose
from divulge.measures.contrast import Contrast, contrast
from divulge.measures.counting.cells import Counter
from divulge.measures.counting.exclusions import NO_EXCLUSIONS, Exclusions
from divulge.measures.counting.grouping import Groups, group_tables
from divulge.measures.estimate import Estimate
from divulge.measures.families.family import Family
from divulge.scenario import Scenario
from divulge.table import Table, align, table_from_frame
from divulge.table.align import stacked


@dataclass(frozen=True)
class Measured:
    """All figures of one target. One entry a synthetic table in each list.

    pooled: with all synthetic tables taken as one, where there are several, for the families that pool.
    """

    target: str
    keys: tuple[str, ...]
    n_original: int
    n_synthetic: tuple[int, ...]
    n_holdout: int | None
    measures: Mapping[str, list[Estimate]]
    pooled: Mapping[str, Estimate] = field(default_factory=dict)
    holdout: Mapping[str, list[Estimate]] = field(default_factory=dict)
    difference: Mapping[str, list[Contrast]] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Estimate:
        """The figure of the first (or only) synthetic table."""
        return self.measures[name][0]

    def only(self, wanted: set[str]) -> Measured:
        def kept(figures: Mapping[str, Any]) -> dict[str, Any]:
            return {name: figure for name, figure in figures.items() if name in wanted}

        return replace(
            self,
            measures=kept(self.measures),
            pooled=kept(self.pooled),
            holdout=kept(self.holdout),
            difference=kept(self.difference),
        )


class CountingOptions(TypedDict, total=False):
    """key_sizes: also sweep over all subsets of so many keys. groups: numeric variables to cut into groups."""

    key_sizes: tuple[int, int] | None
    exclusions: Exclusions
    groups: Mapping[str, Groups] | None


class _Options(CountingOptions, total=False):
    """with_scores: also give the score of every row, where a measure has one. seed: for families that draw."""

    with_scores: bool
    seed: int


def measure(original: Any, synthetic: Any, keys: Sequence[str], target: str, **options: Any) -> Measured:
    """How much synthetic data give away about one target of the original people; options as `measure_targets`."""
    return measure_targets(original, synthetic, keys, [target], **options)[0]


def measure_targets(
    original: Any,
    synthetic: Any,
    keys: Sequence[str],
    targets: Sequence[str],
    *,
    holdout: Any = None,
    measures: Sequence[str] | None = None,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    **options: Unpack[_Options],
) -> list[Measured]:
    """How much synthetic data give away about the people of the original: the figures of several targets, in order.

    original, synthetic, holdout: Tables, or pandas, polars or Arrow frames; synthetic may be a list of them.
    measures: names of measures or of families, or "all"; by default the fast families.
    settings: by family, what differs from its defaults: {"tcap": {"tau": 0.9}}.
    """
    from divulge.measures import FAMILIES  # the room's list imports the families, which this file must not know

    families, wanted = choose(FAMILIES, measures, settings or {})
    files = [_as_table(s) for s in (synthetic if isinstance(synthetic, list | tuple) else [synthetic])]
    held = None if holdout is None else _as_table(holdout)
    found = measure_tables(_as_table(original), files, keys, targets, families, holdout=held, **options)
    return found if wanted is None else [m.only(wanted) for m in found]


def _as_table(data: Any) -> Table:
    return data if isinstance(data, Table) else table_from_frame(data)


@dataclass(frozen=True, eq=False)
class Prepared:
    """Tables on one schema. n_rows: of original, synthetic …, holdout, where the tables only stand for files."""

    original: Table
    synthetic: tuple[Table, ...]
    holdout: Table | None
    n_rows: tuple[int, ...] | None = None

    @property
    def rows(self) -> tuple[int, tuple[int, ...], int | None]:
        """How many rows the original, the synthetic tables and the holdout have."""
        counts = self.n_rows or tuple(t.n_people for t in self.tables)
        end = 1 + len(self.synthetic)
        return counts[0], counts[1:end], counts[-1] if self.holdout is not None else None

    @property
    def tables(self) -> list[Table]:
        return [self.original, *self.synthetic, *([self.holdout] if self.holdout is not None else [])]

    def measure(
        self,
        scenarios: Sequence[Scenario],
        families: Sequence[Family],
        counter: Counter,
        pool: Table | None,
        exclusions: Exclusions = NO_EXCLUSIONS,
        with_scores: bool = False,
        seed: int = 1,
    ) -> list[Measured]:
        """The figures of tables that are ready. pool: all synthetic tables as one, where there are several."""
        return [_one_target(self, pool, s, families, exclusions, counter, with_scores, seed) for s in scenarios]


def _prepare(
    original: Table,
    synthetic: Sequence[Table],
    holdout: Table | None,
    names: Sequence[str] | None,
    groups: Mapping[str, Groups] | None = None,
) -> Prepared:
    """The tables on one schema, numeric variables grouped. names: the variables needed; None is all common ones."""
    tables = [original, *synthetic, *([holdout] if holdout is not None else [])]
    roles = ["original", *_numbered("synthetic", len(synthetic)), *(["holdout"] if holdout is not None else [])]
    for role, table in zip(roles, tables, strict=True):
        absent = [n for n in names or () if n not in table.schema]
        if absent and role == "original":
            raise unknown_variable(absent[0], table.names, where="the original table")
        if absent:
            raise MissingColumnsError(
                f"the {role} table has no column {', '.join(map(repr, absent))}.",
                hint=suggest(absent[0], table.names) or f"Its columns are: {', '.join(table.names)}.",
            )
    if names is None and not set(original.names).intersection(*(t.names for t in tables[1:])):
        raise MissingColumnsError("the tables have no column in common.", hint="Check that they describe one dataset.")
    aligned = align(*tables, names=names)
    if groups:
        aligned = group_tables(aligned, groups, pooled=1 + len(synthetic))
    count = len(synthetic)
    return Prepared(aligned[0], tuple(aligned[1 : 1 + count]), aligned[-1] if holdout is not None else None)


def measure_tables(
    original: Table,
    synthetic: Sequence[Table],
    keys: Sequence[str],
    targets: Sequence[str],
    families: Sequence[Family],
    *,
    holdout: Table | None = None,
    **options: Unpack[_Options],
) -> list[Measured]:
    """Every family's figures for every target, in the order of the targets."""
    groups, exclusions = options.get("groups"), options.get("exclusions", NO_EXCLUSIONS)
    with_scores, seed = options.get("with_scores", False), options.get("seed", 1)
    scenarios = [Scenario(tuple(keys), target, options.get("key_sizes")).check() for target in targets]
    if not synthetic:
        raise MeasureError("at least one synthetic table is needed.")
    if not scenarios:
        raise MeasureError("at least one target is needed.", where="target")
    for name in groups or {}:
        if name not in (*keys, *targets):
            raise MeasureError(f"{name!r} is neither a key nor a target.", where="groups")
    names = list(dict.fromkeys([*keys, *targets, *(n for f in families for n in f.extra_columns())]))
    ready = _prepare(original, synthetic, holdout, names, groups)
    exclusions.check(ready.original.schema, tuple(keys), tuple(targets))
    counter = Counter.of(ready.tables, keys, keeps_codes=len(scenarios) > 1 or with_scores)
    pool = stacked(ready.synthetic) if len(synthetic) > 1 and any(f.pools for f in families) else None
    return ready.measure(scenarios, families, counter, pool, exclusions, with_scores, seed)


def _one_target(
    ready: Prepared,
    pool: Table | None,
    scenario: Scenario,
    families: Sequence[Family],
    exclusions: Exclusions,
    counter: Counter,
    with_scores: bool,
    seed: int,
) -> Measured:
    n_original, n_synthetic, n_holdout = ready.rows
    first = Case(
        ready.original,
        ready.synthetic[0],
        scenario,
        ready.holdout,
        replicates=ready.synthetic,
        exclusions=exclusions,
        with_scores=with_scores,
        counter=counter,
    )
    cases = [first, *(replace(first, synthetic=s) for s in ready.synthetic[1:])]
    found = [_figures(case, families, seed) for case in cases]
    pooled = (
        _figures(replace(first, synthetic=pool), [f for f in families if f.pools], seed) if pool is not None else {}
    )
    held: list[dict[str, Estimate]] = []
    if ready.holdout is not None:
        held = [_figures(case.for_holdout(), families, seed) for case in cases]
    about = {m.name: m for f in families for m in f.measures}
    shared = [[n for n in a if n in b] for a, b in zip(found, held, strict=bool(held))]
    return Measured(
        scenario.target,
        scenario.keys,
        n_original,
        n_synthetic,
        n_holdout,
        _by_name(found),
        pooled,
        _by_name(held),
        _by_name(
            [
                {n: contrast(about[n], a[n], b[n], n_original, n_holdout or 0) for n in names}
                for a, b, names in zip(found, held, shared, strict=False)
            ]
        ),
    )


def _figures(case: Case, families: Sequence[Family], seed: int) -> dict[str, Estimate]:
    # Each family draws from a stream of its own, so that choosing fewer measures does not change the others.
    streams = {f.name: np.random.default_rng([seed, *f.name.encode()]) for f in families}
    return {name: e for f in families for name, e in f.estimate(case, streams[f.name]).items()}


def _by_name(found: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    names = dict.fromkeys(n for one in found for n in one)
    return {n: [one[n] for one in found if n in one] for n in names}


def _numbered(word: str, n: int) -> list[str]:
    return [word] if n == 1 else [f"{word} ({i + 1} of {n})" for i in range(n)]
