"""Targeted correct attribution probability, in each of the definitions in use, by names that tell them apart.

On the same data they differ by a factor of 13, so a bare "TCAP" means nothing without its denominator.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any, ClassVar

import numpy as np

from divulge.kernels.cell_sums import CellSums
from divulge.measures.case import Case
from divulge.measures.estimate import Estimate, calibrated, ratio
from divulge.measures.families.family import Family, Measure
from divulge.measures.figures import mean, share
from divulge.settings import Range

_NO_PEOPLE = "There are no people to attack."
_NO_KEYS = "Nobody's keys are in the synthetic data."


@dataclass(frozen=True)
class Tcap(Family):
    """TCAP at certainty τ: the intruder only speaks where the share of one target value reaches τ."""

    tau: Annotated[float, "How certain the intruder wants to be.", Range(above=0, most=1)] = 1.0

    name: ClassVar[str] = "tcap"
    is_default: ClassVar[bool] = True
    needs_rows: ClassVar[bool] = False
    pools: ClassVar[bool] = True
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure(
            "TCAP",
            "Among people whose keys point to one single target value in the synthetic data: how often it is theirs.",
            "Little et al. 2022",
        ),
        Measure("TCAP_matched", "The same, of all whose keys are in the synthetic data.", "Raab 2024, eq. 13"),
        Measure(
            "TCAP_zero",
            "As TCAP, with everybody counted whose keys point to nothing certain: as not inferred.",
            "Elliot et al.",
        ),
        Measure(
            "TCAP_record",
            "As TCAP, seen from the synthetic people: how often real people with their keys share the target.",
            "Elliot et al., app. A",
        ),
        Measure(
            "TCAP_record_zero",
            "Mean p^d over all certain synthetic rows; 0 where nobody has the keys.",
            "Elliot et al.",
        ),
        Measure(
            "WEAP", "Mean share of a synthetic row's target among the rows with its keys.", "Elliot et al.", "synthetic"
        ),
        Measure("TCAP_sweep", "Mean TCAP over key subsets; subsets without any certainty left out.", "Elliot et al."),
        Measure("TCAP_sweep_zero", "Mean TCAP over key subsets; subsets without any certainty as 0.", "Elliot et al."),
        Measure("DCAP_sweep", "Mean DCAP over key subsets.", "Taub et al. 2018, app. A"),
        Measure("DiSCO_sweep", "Mean DiSCO over key subsets.", "Raab 2024"),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """All definitions; the sweep where the scenario names key sizes. Nothing here is random."""
        del rng
        sums, n_d, n_s = case.sums(self.tau), case.cells.n_people, case.cells.n_synthetic
        correct = sums.reached_correct
        nobody = f"No key combination of the people reaches a share of {self.tau:g} in the synthetic data."
        found = {
            "TCAP": self._share(case, "TCAP", correct, sums.reached, nobody),
            "TCAP_matched": self._share(case, "TCAP_matched", correct, sums.iS, _NO_KEYS),
            "TCAP_zero": self._share(case, "TCAP_zero", correct, n_d, _NO_PEOPLE),
            "TCAP_record": self._record(case, "TCAP_record", sums, sums.weap_matched),
            "TCAP_record_zero": self._record(case, "TCAP_record_zero", sums, sums.weap),
            "WEAP": ratio(
                "WEAP",
                sums.CAPs,
                n_s,
                undefined="The synthetic table has no rows.",
                n=n_s,
                details={"tau": self.tau, "rows_reaching_tau": sums.weap},
            ),
        }
        return found | (self._sweep(case) if case.scenario.key_sizes else {})

    def _share(self, case: Case, name: str, correct: int, of: int, undefined: str) -> Estimate:
        value = correct / of if of else float("nan")
        details = {"calibrated": calibrated(value, case.base), "tau": self.tau}
        return share(name, correct, of, undefined, baseline=case.base, details=details)

    def _record(self, case: Case, name: str, sums: CellSums, of: int) -> Estimate:
        nobody = f"No synthetic row that reaches {self.tau:g} has keys that somebody has."
        tau = {"tau": self.tau}
        return mean(name, sums.weap_correct, sums.weap_squares, of, case.base, nobody, details=tau)

    def _sweep(self, case: Case) -> dict[str, Estimate]:
        assert case.scenario.key_sizes is not None  # the caller asked
        low, high = case.scenario.key_sizes
        rows = [
            self._subset(case, keys) for size in range(low, high + 1) for keys in combinations(case.cells.keys, size)
        ]
        details = {"key_sizes": [low, high], "subsets": rows}
        tcap = [r["TCAP"] for r in rows if r["TCAP"] == r["TCAP"]]
        without = len(rows) - len(tcap)
        caveat = (f"In {without} of {len(rows)} key subsets the intruder is certain of nobody.",) if without else ()

        def average(name: str, values: list[float], undefined: str, **rest: Any) -> Estimate:
            return ratio(name, sum(values), len(values), undefined=undefined, baseline=case.base, n=len(values), **rest)

        return {
            "TCAP_sweep": average(
                "TCAP_sweep",
                tcap,
                "In no key subset is the intruder certain of anybody.",
                details=details,
                caveats=caveat,
            ),
            "TCAP_sweep_zero": average("TCAP_sweep_zero", [*tcap, *[0.0] * without], _NO_PEOPLE, caveats=caveat),
            "DCAP_sweep": average("DCAP_sweep", [r["DCAP"] for r in rows], _NO_PEOPLE),
            "DiSCO_sweep": average("DiSCO_sweep", [r["DiSCO"] for r in rows], _NO_PEOPLE),
        }

    def _subset(self, case: Case, keys: tuple[str, ...]) -> dict[str, Any]:
        cells = case.cells if keys == case.cells.keys else case.cells.subset(keys)
        kept = case.exclusions.kept(cells, case.people.schema, case.scenario.target)
        sums = cells.sums(kept, case.exclusions.denominator_limit, self.tau)
        over: Callable[[float, float], float] = lambda a, b: a / b if b else float("nan")  # noqa: E731 (one line, twice)
        return {
            "keys": list(keys),
            "TCAP": over(sums.reached_correct, sums.reached),
            "numerator": sums.reached_correct,
            "denominator": sums.reached,
            "DCAP": over(sums.DCAP, cells.n_people),
            "DiSCO": over(sums.DiSCO, cells.n_people),
        }
