"""Linear programs over the same constraints, one after another: each starts where the last one ended (HiGHS)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from divulge.kernels.arrays import Floats, Mask

Outcome = Literal["optimal", "unbounded", "infeasible", "unfinished"]

TOLERANCE = 1e-9
"""How far HiGHS may miss a constraint: its smallest but one, far below a printed digit around a known point."""

LARGEST = 1e6
"""Larger numbers are scaled down to it: beside a tolerance of 1e-9 a float has no more digits."""

_OUTCOMES: dict[highspy.HighsModelStatus, Outcome] = {
    highspy.HighsModelStatus.kOptimal: "optimal",
    highspy.HighsModelStatus.kModelEmpty: "optimal",
    highspy.HighsModelStatus.kUnbounded: "unbounded",
    highspy.HighsModelStatus.kInfeasible: "infeasible",
}


@dataclass(frozen=True, eq=False)
class Optimum:
    """How a program ended: the least value and where it is taken. bound: no feasible point lies below it.

    duals: how much of each row the bound rests on, and reduced of each column (for linear programs).
    """

    outcome: Outcome
    value: float = np.nan
    bound: float = -np.inf
    at: Floats | None = None
    duals: Floats | None = None
    reduced: Floats | None = None


class Program:
    """Minimise costs over low ≤ matrix · x ≤ high, least ≤ x ≤ most. is_whole: which of x are whole numbers.

    is_large: by an interior point, which takes as long for the hundredth program as for the first, but does not get
    stuck among the many corners of large tables.
    """

    def __init__(
        self,
        matrix: sparse.csr_array,
        rows: tuple[Floats, Floats],
        columns: tuple[Floats, Floats],
        is_whole: Mask | None = None,
        is_large: bool = False,
    ) -> None:
        self.n_rows, self.n_columns = (int(n) for n in matrix.shape)
        self.is_whole = is_whole is not None and bool(is_whole.any())
        self._scale = 1.0 if self.is_whole else max(1.0, _largest(*rows, *columns) / LARGEST)
        model = highspy.HighsLp()
        model.num_row_, model.num_col_ = self.n_rows, self.n_columns
        model.row_lower_, model.row_upper_ = (_with_infinity(bound / self._scale) for bound in rows)
        model.col_lower_, model.col_upper_ = (_with_infinity(bound / self._scale) for bound in columns)
        model.col_cost_ = np.zeros(self.n_columns)
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_ = matrix.indptr.astype(np.int32)
        model.a_matrix_.index_ = matrix.indices.astype(np.int32)
        model.a_matrix_.value_ = matrix.data.astype(np.float64)
        if is_whole is not None and self.is_whole:
            kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
            model.integrality_ = [kinds[int(whole)] for whole in is_whole]
        self._solver = highspy.Highs()  # type: ignore[no-untyped-call]  # its constructor has no types
        options: dict[str, bool | float | str] = {
            "output_flag": False,
            "threads": 1,  # the same answer on every machine
            "primal_feasibility_tolerance": TOLERANCE,
            "dual_feasibility_tolerance": TOLERANCE,
        }
        if is_large:
            options |= {"solver": "ipm", "run_crossover": "off"}
        if self.is_whole:
            options |= {"mip_rel_gap": 0.0, "mip_abs_gap": 0.5}  # costs of counts are whole: within a half is exact
        for name, value in options.items():
            self._solver.setOptionValue(name, value)
        self._solver.passModel(model)
        self._costed = np.zeros(0, dtype=np.int32)
        self._start: Floats | None = None

    def minimise(self, columns: NDArray[Any], costs: Floats, seconds: float = np.inf) -> Optimum:
        """The least Σ cost · x over these columns; every other column costs nothing."""
        solver = self._solver
        if len(self._costed):
            solver.changeColsCost(len(self._costed), self._costed, np.zeros(len(self._costed)))
        self._costed = np.asarray(columns, dtype=np.int32)
        solver.changeColsCost(len(self._costed), self._costed, np.asarray(costs, dtype=np.float64))
        if self._start is not None:
            # HiGHS forgets it where costs are set later.
            solution = highspy.HighsSolution()
            solution.col_value = self._start.tolist()
            solver.setSolution(solution)
        if np.isfinite(seconds):
            # The clock of HiGHS runs on from one program to the next.
            solver.setOptionValue("time_limit", solver.getRunTime() + max(seconds, 0.001))
        solver.run()
        outcome = _OUTCOMES.get(solver.getModelStatus(), "unfinished")
        if solver.getModelStatus() is highspy.HighsModelStatus.kUnboundedOrInfeasible:
            outcome = self._tell_apart()
        if outcome == "infeasible" or (outcome == "unfinished" and not self.is_whole):
            return Optimum(outcome)
        if outcome == "unbounded":
            return Optimum(outcome, -np.inf)
        info, solution = solver.getInfo(), solver.getSolution()
        if self.is_whole:
            return Optimum(outcome, info.objective_function_value, info.mip_dual_bound, np.array(solution.col_value))
        value = self._scale * info.objective_function_value
        at = self._scale * np.array(solution.col_value)
        return Optimum(outcome, value, value, at, np.array(solution.row_dual), np.array(solution.col_dual))

    def hold(self, columns: NDArray[Any], least: Floats, most: Floats) -> None:
        """Other bounds for some columns, from the next program on."""
        bounds = (_with_infinity(np.asarray(bound) / self._scale) for bound in (least, most))
        self._solver.changeColsBounds(len(columns), np.asarray(columns, dtype=np.int32), *bounds)

    def start(self, at: Floats) -> None:
        """A point from which a program in whole numbers starts: what is not better is passed over."""
        self._start = at

    def add(self, columns: NDArray[Any], factors: Floats, least: float) -> None:
        """One row more: Σ factor · x of these columns is at least so much."""
        self._solver.addRow(
            least / self._scale, highspy.kHighsInf, len(columns), np.asarray(columns, dtype=np.int32), factors
        )
        self.n_rows += 1

    def _tell_apart(self) -> Outcome:
        """Whether a program without an optimum has no point at all, or points without end."""
        self._solver.changeColsCost(len(self._costed), self._costed, np.zeros(len(self._costed)))
        self._solver.run()
        return "infeasible" if _OUTCOMES.get(self._solver.getModelStatus()) == "infeasible" else "unbounded"


def _with_infinity(bound: Floats) -> Floats:
    return np.clip(np.asarray(bound, dtype=np.float64), -highspy.kHighsInf, highspy.kHighsInf)


def _largest(*bounds: Floats) -> float:
    return max((float(np.abs(bound[np.isfinite(bound)]).max(initial=0.0)) for bound in bounds), default=0.0)
