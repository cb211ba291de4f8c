"""Merge levels: values of categories become one, numbers become bands; neighbours only where values have an order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from divulge.merging import Cells, Goal, Levels, Partition, find_merges
from divulge.mitigations.mitigation import Mitigation, Rung, Trouble, computed_again
from divulge.outputs import Output
from divulge.table import Schema
from divulge.table.coarsening import Coarsening
from divulge.table.variable import Value

N_NAMED = 4
"""Values that a sentence names; of more it says how many."""

MOST_CELLS = 1_000_000
"""Cells of a table whose merges are searched for; the merges of a larger one are tried variable by variable."""

MORE_TIMES = (2, 4)
"""So many times the fewest people are tried for a group, where every variable may be merged."""

MOST_WITH = 12
"""Levels with each of which the thin ones of a model are merged."""

PATHS, FEW_PATHS = 40, 3
"""Ways that a search goes where every variable may be merged, and where only some may."""


@dataclass(frozen=True, kw_only=True)
class MergeLevels(Mitigation):
    """Merge values of one variable or of several; numbers into bands."""

    name: ClassVar[str] = "merge-levels"
    rung: ClassVar[Rung] = Rung.COARSEN
    costs: ClassVar[str] = "Merged groups are no longer told apart; every figure that is left is exact."
    reading: ClassVar[str] = (
        "As what it is: figures of the merged groups, exact as printed, and nothing about their parts."
    )

    merge: Annotated[
        Mapping[str, tuple[tuple[Value, ...], ...]], "For each variable the values that become one, a list for each."
    ] = field(default_factory=dict, hash=False)
    bands: Annotated[Mapping[str, tuple[float, ...]], "For each variable of numbers where its bands start."] = field(
        default_factory=dict, hash=False
    )

    @classmethod
    def propose(cls, trouble: Trouble) -> Iterator[Self]:
        tables, levels = _tables(trouble)
        if not tables:
            return
        goals = [Goal(delta=trouble.delta), Goal(trouble.fewest, trouble.rarest, trouble.delta)]
        # A quartile needs four times the people that a mean needs, and what is coarser is known more surely to be safe.
        more = [Goal(times * trouble.fewest, trouble.rarest, trouble.delta) for times in MORE_TIMES]
        seen: list[Self] = []
        together = [levels] if len(levels) > 1 and sum(t.counts.size for t in tables) <= MOST_CELLS else []
        without = [{n: e for n, e in levels.items() if n != name} for name in levels] if len(levels) > 2 else []
        for chosen in [*together, *without, *({name: each} for name, each in levels.items())]:
            for goal in [*goals, *(more if len(chosen) == len(levels) else ())]:
                for keeps in (True, False):
                    paths = PATHS if chosen in together else FEW_PATHS
                    merges = find_merges(tables, chosen, goal, paths, keeps=keeps)
                    found = cls() if merges is None else cls(**_settings(merges, trouble.schema))
                    if found != cls() and found not in seen:
                        seen.append(found)
                        yield found
        yield from (one for one in cls._with_each(trouble) if one not in seen)

    @classmethod
    def leaving(cls, trouble: Trouble) -> Iterator[Self]:
        """Merges after which some figures of too few people are left, which are withheld at less loss than merged."""
        tables, levels = _tables(trouble)
        if not tables or sum(t.counts.size for t in tables) > MOST_CELLS:
            return
        for times in (1, *MORE_TIMES):
            goal = Goal(times * trouble.fewest, trouble.rarest, trouble.delta)
            merges = find_merges(tables, levels, goal, PATHS, withholds=True)
            if merges is not None:
                yield cls(**_settings(merges, trouble.schema))

    @classmethod
    def _with_each(cls, trouble: Trouble) -> Iterator[Self]:
        """For a model: the thin levels of a category together with each of the others. Which of them moves estimates
        least no count tells."""
        for table in _levels_of_terms(trouble):
            (name,) = table.names
            variable = trouble.schema[name]
            thin = (table.counts < trouble.fewest) & (table.counts > 0)
            if variable.is_ordered or variable.kind == "numeric" or not thin.any():
                continue
            values = variable.values.tolist()
            few = [values[i] for i in np.flatnonzero(thin)]
            for other in np.flatnonzero(table.counts >= trouble.fewest)[:MOST_WITH].tolist():
                yield cls(merge={name: (tuple(sorted([*few, values[other]], key=values.index)),)})

    def apply(self, output: Output, schema: Schema) -> Output:
        del schema
        steps = {name: Coarsening(merge=groups) for name, groups in self.merge.items()}
        steps |= {name: Coarsening(bands=starts) for name, starts in self.bands.items()}
        return computed_again(output, coarser={**output.coarser, **steps}, suppressed=())

    def loses(self, schema: Schema) -> tuple[str, ...]:
        merged = [
            n for n, groups in self.merge.items() if schema[n].n_values == sum(map(len, groups)) - len(groups) + 1
        ]
        return (*merged, *(name for name, starts in self.bands.items() if len(starts) == 1))

    def describe(self, schema: Schema) -> str:
        parts = []
        for name, groups in self.merge.items():
            variable = schema[name]
            n_left = variable.n_values - sum(len(g) - 1 for g in groups)
            if n_left == 1:
                parts.append(f"Merge all values of {name}")
                continue
            shown = [[variable.display[variable.code(v) or 0] for v in group] for group in groups]
            told = [
                " and ".join(texts) if len(texts) <= N_NAMED else f"{texts[0]} to {texts[-1]} ({len(texts)} values)"
                for texts in shown
            ]
            parts.append(f"Merge {'; '.join(told)} ({name})")
        parts += [
            f"Show {name} in {len(starts)} bands" if len(starts) > 1 else f"Merge all values of {name}"
            for name, starts in self.bands.items()
        ]
        return "; ".join([parts[0], *(p[0].lower() + p[1:] for p in parts[1:])]) if parts else "Merge nothing"


def _tables(trouble: Trouble) -> tuple[list[Cells], dict[str, Levels]]:
    """The tables of people behind the figures, and the variables whose levels may be merged."""
    tables: list[Cells] = []
    for behind in trouble.case.behind:
        names = behind.names
        covered = any(set(names) <= set(t.names) for t in tables)
        if not names or not behind.shape or covered or not set(names) & set(trouble.free_variables):
            continue
        counts = trouble.case.units(behind).reshape(behind.shape)
        tables.append(Cells(names, counts))
    if not tables:
        tables = _levels_of_terms(trouble)
    levels: dict[str, Levels] = {}
    for table in tables:
        for name, size in zip(table.names, table.counts.shape, strict=True):
            variable = trouble.schema[name]
            if name in trouble.free_variables and size > 1 and size == variable.n_values:
                levels[name] = Levels(size, variable.is_ordered or variable.kind == "numeric")
    return tables, levels


def _levels_of_terms(trouble: Trouble) -> list[Cells]:
    """For a model: how many people have each value of its categories."""
    response = trouble.output.own_variables()[:1]
    formula = str(vars(trouble.output.written).get("formula", ""))
    rows = next((b.group >= 0 for b in trouble.case.behind if b.what in ("model", "saturated")), None)
    found = []
    for name in trouble.free_variables:
        variable = trouble.schema[name]
        is_category = variable.kind == "categorical" or re.search(rf"\bC\(\s*{re.escape(name)}\s*[,)]", formula)
        if rows is None or name in response or not is_category or variable.n_values < 3:
            continue
        codes = trouble.table[name][rows].astype(np.int64)
        counts = np.bincount(codes[codes < variable.n_values], minlength=variable.n_values)
        found.append(Cells((name,), counts.astype(np.int64)))
    return found


def _settings(found: Partition, schema: Schema) -> dict[str, Any]:
    """A partition as the settings of the mitigation."""
    merge: dict[str, tuple[tuple[Value, ...], ...]] = {}
    bands: dict[str, tuple[float, ...]] = {}
    for name, groups in found.items():
        variable = schema[name]
        values = variable.values.tolist()
        first = np.unique(groups).tolist()
        if len(first) == len(values):
            continue
        if variable.kind == "numeric":
            bands[name] = tuple(float(values[i]) for i in first)
            continue
        members = [tuple(values[i] for i in np.flatnonzero(groups == g)) for g in first]
        merge[name] = tuple(m for m in members if len(m) > 1)
    return {"merge": merge, "bands": bands}
