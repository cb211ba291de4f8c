"""Outlier linkage: can people with extreme keys be linked to one synthetic row (Trindade et al. 2024), and would people
who were not in the data be linked as often?
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from divulge.errors import unknown_variable
from divulge.kernels.arrays import Integers, Mask
from divulge.measures.case import Case
from divulge.measures.estimate import Estimate
from divulge.measures.families.family import Family, Measure
from divulge.measures.figures import share
from divulge.measures.intervals import difference, wilson
from divulge.scenario.coding import KeyCoding
from divulge.settings import Range, Shorthand
from divulge.table import Table, Variable

_SOURCE = "Trindade et al. 2024"


def _pairs(windows: Any) -> Any:
    """Windows from pairs, from a mapping, or from the text that the command line gives."""
    if isinstance(windows, str):
        windows = {key: float(width) for key, width in (w.split("=", 1) for w in windows.split(",") if w)}
    return list(windows.items()) if isinstance(windows, Mapping) else windows


_AS_PAIRS = {
    "anyOf": [
        {"additionalProperties": {"minimum": 0, "type": "number"}, "type": "object"},
        {"pattern": r"^([^=,]+=\+?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?(,|$))*$", "type": "string"},
    ]
}


@dataclass(frozen=True)
class Outliers(Family):
    """People with |z| above `z` in some numeric key, linked where exactly one synthetic row is near in every key.

    Near: numeric keys within `window` standard deviations, or within what `windows` says; categorical keys equal.
    """

    z: Annotated[float, "How far from the mean an outlier is, in standard deviations.", Range(above=0)] = 3.0
    window: Annotated[float, "How near numeric keys are, in standard deviations.", Range(least=0)] = 0.1
    windows: Annotated[
        tuple[tuple[str, Annotated[float, Range(least=0)]], ...],
        "The same for single keys in their own units; the paper's are age=10,income=2000.",
        Shorthand(_pairs, _AS_PAIRS, "age=10,income=2000"),
    ] = ()

    name: ClassVar[str] = "outliers"
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure("outlier_linkage", "People with extreme keys who are linked to exactly one synthetic row.", _SOURCE),
        Measure("outlier_links_right", "Of these links, those whose synthetic target is right.", _SOURCE),
        Measure(
            "outlier_linkage_difference",
            "The linked share among the original's outliers less that among the holdout's.",
            f"{_SOURCE}, with a control",
            is_share=False,
        ),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """Link the people's outliers, and the holdout's by the same means and deviations; nothing here is random."""
        del rng
        schema, keys = case.people.schema, case.scenario.keys
        for name, _ in self.windows:
            if name not in keys or schema[name].kind != "numeric":
                raise unknown_variable(name, [k for k in keys if schema[k].kind == "numeric"], where="windows")
        numeric = [schema[k] for k in keys if schema[k].kind == "numeric"]
        moments = [_moments(v, case.people) for v in numeric]
        extreme, linked, right = self._links(case, case.people, numeric, moments)
        n, links = int(extreme.sum()), int(linked.sum())
        undefined = "None of the keys is numeric." if not numeric else f"Nobody has a key with |z| above {self.z:g}."
        control: dict[str, Any] = {}
        apart = Estimate("outlier_linkage_difference", math.nan, caveats=("It needs a holdout.",))
        if case.holdout is not None:
            theirs, their_links, _ = self._links(case, case.holdout, numeric, moments)
            m, hits = int(theirs.sum()), int(their_links.sum())
            control = {"outliers": m, "linked": hits, "share": hits / m if m else math.nan}
            apart = _difference(links, n, hits, m)
        baseline = control.get("share")
        return {
            "outlier_linkage": share(
                "outlier_linkage",
                links,
                n,
                undefined,
                baseline=baseline,
                details={"z": self.z, "window": self.window, "holdout": control or None},
                scores=np.where(extreme, linked.astype(np.float64), np.nan) if case.with_scores else None,
            ),
            "outlier_links_right": share(
                "outlier_links_right",
                int(right.sum()),
                links,
                "Nobody is linked." if n else undefined,
                scores=np.where(linked, right.astype(np.float64), np.nan) if case.with_scores else None,
            ),
            "outlier_linkage_difference": apart,
        }

    def _links(
        self, case: Case, table: Table, numeric: list[Variable], moments: list[tuple[float, float]]
    ) -> tuple[Mask, Mask, Mask]:
        """For every row whether it is extreme, linked, and linked to the right target."""
        extreme = np.zeros(table.n_rows, dtype=np.bool_)
        for variable, (mean, deviation) in zip(numeric, moments, strict=True):
            if deviation > 0:
                # Missing numbers are NaN, and no comparison with them holds.
                extreme |= np.abs(variable.numbers[table[variable.name]] - mean) > self.z * deviation
        linked, right = np.zeros(table.n_rows, dtype=np.bool_), np.zeros(table.n_rows, dtype=np.bool_)
        rows = np.flatnonzero(extreme)
        if not len(rows) or not case.synthetic.n_rows:
            return extreme, linked, right
        reach = [self._reach(v, deviation) for v, (_, deviation) in zip(numeric, moments, strict=True)]
        candidates = _candidates(case, table.take(rows), numeric, reach)
        target = case.people.schema[case.scenario.target]
        said, own = case.synthetic[target.name], table[target.name][rows]
        for position, found in enumerate(candidates):
            if len(found) == 1:
                linked[rows[position]] = True
                right[rows[position]] = said[found[0]] == own[position]
        return extreme, linked, right

    def _reach(self, variable: Variable, deviation: float) -> float:
        # A value that is exactly as far as the window must not be lost to the rounding of a difference.
        return dict(self.windows).get(variable.name, self.window * deviation) * (1 + 1e-12) + 1e-12


def _moments(variable: Variable, table: Table) -> tuple[float, float]:
    """Mean and standard deviation of the numbers that are not missing; 0, 0 where there are none."""
    numbers = variable.numbers[table[variable.name]]
    numbers = numbers[np.isfinite(numbers)]
    return (float(numbers.mean()), float(numbers.std())) if len(numbers) else (0.0, 0.0)


def _candidates(case: Case, people: Table, numeric: list[Variable], reach: list[float]) -> list[Integers]:
    """For every person the synthetic rows with the same categories and missing codes, and numbers within reach."""
    synthetic = case.synthetic
    exact_people, exact_synthetic, cards = [], [], []
    for key in case.scenario.keys:
        variable = people.schema[key]
        # Of a number only which missing code it has, if any, must be equal.
        lookup = np.arange(variable.n_codes)
        if variable.kind == "numeric":
            lookup = np.maximum(lookup - (variable.n_values - 1), 0)
        exact_people.append(lookup[people[key]])
        exact_synthetic.append(lookup[synthetic[key]])
        cards.append(variable.n_codes)
    coding = KeyCoding.fit([exact_people, exact_synthetic], cards, 1)
    codes = coding.encode(exact_synthetic)
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    wanted = coding.encode(exact_people)
    first, last = np.searchsorted(ordered, wanted, "left"), np.searchsorted(ordered, wanted, "right")
    theirs = [v.numbers[synthetic[v.name]] for v in numeric]
    own = [v.numbers[people[v.name]] for v in numeric]
    found = []
    for i in range(people.n_rows):
        rows = order[first[i] : last[i]]
        for values, mine, far in zip(theirs, own, reach, strict=True):
            if np.isfinite(mine[i]):
                rows = rows[np.abs(values[rows] - mine[i]) <= far]
        found.append(rows)
    return found


def _difference(links: int, n: int, their_links: int, m: int) -> Estimate:
    if not n or not m:
        who = "original" if not n else "holdout"
        return Estimate("outlier_linkage_difference", math.nan, caveats=(f"The {who} has no outliers.",))
    a, b = links / n, their_links / m
    return Estimate(
        "outlier_linkage_difference",
        a - b,
        baseline=0.0,
        interval=difference(a, wilson(links, n), b, wilson(their_links, m)),
        n=n + m,
        details={"original": a, "holdout": b},
    )
