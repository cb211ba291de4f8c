"""Controlled rounding: multiples of a base that still add up, as near to the counts as that allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import scipy  # its parts are loaded where they are used: some take longer than many a command
from scipy import sparse

from divulge.errors import OutputError
from divulge.kernels.arrays import Floats
from divulge.outputs.methods.method import Method
from divulge.settings import Range

SECONDS = 20.0
"""How long the solver may look for the nearest table; what it has by then adds up too."""


@dataclass(frozen=True, kw_only=True)
class ControlledRounding(Method):
    """Every count to a multiple at most `steps` beyond the two next to it; margins are the sums of what is printed.

    The sum of absolute changes over all figures is least (Salazar-González 2006, as τ-ARGUS does it), by mixed integer
    programming.
    """

    is_drawn: ClassVar[bool] = False
    kind: ClassVar[str] = "controlled-rounding"

    base: Annotated[int, "Printed numbers are multiples of this.", Range(least=2)] = 5
    steps: Annotated[int, "How many multiples beyond the nearest a count may go.", Range(least=0)] = 0

    def apply(self, labels: Sequence[str], counts: Floats, sums: sparse.csr_array | None) -> Floats:
        del labels
        if sums is None:
            return np.floor(counts / self.base + 0.5) * self.base
        for steps in range(self.steps, self._known_steps(sums) + 1):
            found = _nearest(counts / self.base, sums, steps)
            if found is not None:
                return found * self.base
        # With more steps than everybody knows of, intervals would not hold what they should.
        raise OutputError(
            f"no multiples of {self.base} were found that add up.",
            where="method",
            hint=f"Write steps: {self._known_steps(sums) + 1}.",
        )

    def reach(self, printed: Floats, sums: sparse.csr_array | None) -> tuple[Floats, Floats]:
        found = np.full(len(printed), (self._known_steps(sums) + 1.0) * self.base - 1.0)
        return found, found

    def _known_steps(self, sums: sparse.csr_array | None) -> int:
        """Steps that may have been needed. Tables of two variables need none (Cox 1987), and their cells are in four
        figures at most; of more variables a step may be."""
        is_plain = sums is None or np.asarray(sums.sum(axis=0)).max(initial=0) <= 4
        return self.steps if is_plain else max(self.steps, 1)

    def describe(self) -> str:
        return f"Counts were rounded to multiples of {self.base} that add up."


def _nearest(exact: Floats, sums: sparse.csr_array, steps: int) -> Floats | None:
    """Whole cells whose sums are nearest to the exact figures, all within their steps; None where there are none."""
    n_figures, n_cells = sums.shape
    low, high = np.floor(exact + 1e-9), np.ceil(exact - 1e-9)  # 2.9999999 is 3
    low, high = np.maximum(low - steps, 0.0), high + steps
    # Cells, then how far each figure is from what it was: distance ≥ ±(sum − exact).
    eye = sparse.eye_array(n_figures, format="csr")
    above = sparse.hstack([sums, -eye])
    below = sparse.hstack([sums, eye])
    held = sparse.hstack([sums, sparse.csr_array((n_figures, n_figures))])
    bounds = scipy.optimize.Bounds(
        np.concatenate([low[:n_cells], np.zeros(n_figures)]),
        np.concatenate([high[:n_cells], np.full(n_figures, np.inf)]),
    )
    done = scipy.optimize.milp(
        np.concatenate([np.zeros(n_cells), np.ones(n_figures)]),
        integrality=np.concatenate([np.ones(n_cells), np.zeros(n_figures)]),
        bounds=bounds,
        constraints=[
            scipy.optimize.LinearConstraint(sparse.csr_matrix(above), -np.inf, exact),
            scipy.optimize.LinearConstraint(sparse.csr_matrix(below), exact, np.inf),
            scipy.optimize.LinearConstraint(sparse.csr_matrix(held), low, high),
        ],
        # One in two hundred: the last half per cent of nearness is not worth minutes.
        options={"time_limit": SECONDS, "mip_rel_gap": 0.005},
    )
    return None if done.x is None else np.asarray(sums @ np.round(done.x[:n_cells]))
