"""Identity and attribute disclosure as Raab (2024) defines them and synthpop prints them, aligned by value.

What synthpop does otherwise: it compares misaligned tables for numeric targets, and lets exclusions change the
identity measures. Neither happens here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.measures.case import Case
from divulge.measures.estimate import Estimate, ratio
from divulge.measures.families.family import Family, Measure
from divulge.measures.figures import share
from divulge.settings import Range

_NO_PEOPLE = "There are no people to attack."
_NO_ROWS = "The synthetic table has no rows."
_DEPENDENT = "Whether a row is unique depends on the other rows; the interval treats rows as independent."

_RAAB = "Raab 2024"


_Flag = tuple[Annotated[int, Range(least=0)], Annotated[float, Range(least=0, most=1)]]


@dataclass(frozen=True)
class Identity(Family):
    """The measures of Raab (2024). The thresholds are synthpop's, strict inequalities all."""

    one_way: Annotated[
        _Flag,
        "A target level is flagged that holds more rows of DiSCO than the first and a larger share than the second.",
    ] = (50, 0.90)
    two_way: Annotated[
        _Flag,
        "Among cells of DiSCO with more rows than the first, pairs of a key level and a target level are flagged where "
        "the target level is more likely than the second among the people with that key level.",
    ] = (4, 0.80)

    name: ClassVar[str] = "identity"
    is_default: ClassVar[bool] = True
    needs_rows: ClassVar[bool] = False
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure("UiO", "People whose keys nobody else has.", _RAAB, moves_with_size=True),
        Measure("UiS", "Synthetic rows whose keys no other has.", _RAAB, of="synthetic"),
        Measure("UiOiS", "Unique people whose keys are in the synthetic data.", _RAAB, moves_with_size=True),
        Measure(
            "repU",
            "Share of people who are the only ones with their keys, in the original and in the synthetic data alike.",
            _RAAB,
            moves_with_size=True,
        ),
        Measure("Dorig", "People whose keys determine the target in the original itself.", _RAAB, moves_with_size=True),
        Measure("Dsyn", "Synthetic rows whose keys determine the target.", _RAAB, of="synthetic"),
        Measure("iS", "Share of people whose keys occur in the synthetic data.", _RAAB),
        Measure(
            "DiS",
            "Share of people whose keys point to one single target value in the synthetic data, right or wrong.",
            _RAAB,
        ),
        Measure(
            "DiSCO",
            "Share of people whose keys point to one single target value in the synthetic data, and the right one.",
            _RAAB,
        ),
        Measure(
            "DiSDiO", "Those of DiSCO whose keys determine the target in the original too.", _RAAB, moves_with_size=True
        ),
        Measure("max_denom", "The most people in one cell of DiSCO.", "synthpop", is_share=False, moves_with_size=True),
        Measure(
            "mean_denom",
            "The mean number of people in a cell of DiSCO.",
            "synthpop",
            is_share=False,
            moves_with_size=True,
        ),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """All of them; nothing here is random."""
        del rng
        cells, sums = case.cells, case.sums()
        n_d, n_s = cells.n_people, cells.n_synthetic
        of_people = {
            "UiO": sums.unique_people,
            "UiOiS": sums.unique_matched,
            "repU": sums.unique_both,
            "Dorig": sums.Dorig,
            "iS": sums.iS,
            "DiS": sums.DiS,
            "DiSCO": sums.DiSCO,
            "DiSDiO": sums.DiSDiO,
        }
        found = {}
        scores = _flags(case) if case.with_scores else {}
        for name, rows in of_people.items():
            found[name] = share(
                name,
                rows,
                n_d,
                _NO_PEOPLE,
                baseline=case.base if name in ("Dorig", "DiSCO", "DiSDiO") else None,
                caveats=(_DEPENDENT,) if name in ("UiO", "UiOiS", "repU", "Dorig", "DiSDiO") else (),
                details=self._details(case) if name == "DiSCO" else {},
                scores=scores.get(name),
            )
        for name, rows in {"UiS": sums.unique_synthetic, "Dsyn": sums.Dsyn}.items():
            found[name] = ratio(name, rows, n_s, undefined=_NO_ROWS, n=n_s)
        found["max_denom"] = Estimate("max_denom", float(sums.DiSCO_largest), n=sums.DiSCO_cells)
        found["mean_denom"] = ratio(
            "mean_denom",
            sums.DiSCO,
            sums.DiSCO_cells,
            undefined="No cell is disclosed correctly.",
            n=sums.DiSCO_cells,
        )
        return {m.name: found[m.name] for m in self.measures}

    def _details(self, case: Case) -> dict[str, Any]:
        disclosed = case.cells.disclosed(case.kept, case.exclusions.denominator_limit)
        details: dict[str, Any] = {
            "one_way": self._one_way(case, disclosed),
            "two_way": self._two_way(case, disclosed),
        }
        if case.exclusions:
            details["excluded"] = case.exclusions.counts(case.cells, case.people.schema, case.scenario.target)
        return details

    def _one_way(self, case: Case, disclosed: np.ndarray) -> dict[str, Any] | None:
        """The target level that holds nearly all of DiSCO, where there is one."""
        cells = case.cells
        by_level = np.bincount(cells.codes[disclosed] % cells.width, weights=cells.d[disclosed], minlength=cells.width)
        most, total = int(by_level.argmax()), int(by_level.sum())
        if not (by_level[most] > self.one_way[0] and by_level[most] / total > self.one_way[1]):
            return None
        return {
            "level": case.people.schema[case.scenario.target].display[most],
            "rows": int(by_level[most]),
            "share_of_DiSCO": by_level[most] / total,
            "share_of_people": int(cells.d_target[most]) / cells.n_people,
        }

    def _two_way(self, case: Case, disclosed: np.ndarray) -> list[dict[str, Any]]:
        """Pairs of a key level and a target level that anybody might guess, the most frequent first."""
        cells, schema, target = case.cells, case.people.schema, case.scenario.target
        large = disclosed[cells.d[disclosed] > self.two_way[0]]
        pairs: list[dict[str, Any]] = []
        shown = schema[target].display
        targets, with_target = np.unique(cells.codes[large] % cells.width, return_inverse=True)
        for key, at in cells.levels_at(large).items() if large.size else ():
            levels, with_level = np.unique(at, return_inverse=True)
            rows = np.zeros((len(levels), len(targets)))
            np.add.at(rows, (with_level, with_target), cells.d[large])
            together, of_level = cells.pair_totals(key, levels, targets)
            names = schema[key].display
            # A level of the key whose large cells all have other targets has no rows with this one.
            for i, j in zip(*np.nonzero((rows > 0) & (together > self.two_way[1] * of_level[:, None])), strict=True):
                pairs.append(
                    {
                        "key": key,
                        "level": names[int(levels[i])],
                        "target_level": shown[int(targets[j])],
                        "rows": int(rows[i, j]),
                        "with_both": int(together[i, j]),
                        "with_level": int(of_level[i]),
                        "share": float(together[i, j] / of_level[i]),
                    }
                )
        return sorted(pairs, key=lambda pair: -pair["rows"])


def _flags(case: Case) -> dict[str, Floats]:
    """For every person and measure, 1 where they count for it and 0 where they do not."""
    cells, counted = case.cells, case.counted
    d_q, s_q, d_most, s_most = cells.of_key
    told = (s_q > 0) & (s_most == s_q)
    right = told & (cells.s > 0)
    certain = d_most == d_q
    flags = {
        "UiO": d_q == 1,
        "UiOiS": (d_q == 1) & (s_q > 0),
        "repU": (d_q == 1) & (s_q == 1),
        "Dorig": certain & counted,
        "iS": (s_q > 0) & counted,
        "DiS": told & counted,
        "DiSCO": right & counted,
        "DiSDiO": right & certain & counted,
    }
    return {name: case.by_row(flag.astype(np.float64)) for name, flag in flags.items()}
