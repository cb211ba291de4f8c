"""The case that a family of measures is given: aligned tables of people and synthetic rows, and a scenario."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from divulge.errors import MeasureError
from divulge.kernels.arrays import Floats, Mask
from divulge.kernels.cell_sums import CellSums
from divulge.measures.counting.cells import Cells, Counter
from divulge.measures.counting.exclusions import NO_EXCLUSIONS, Exclusions
from divulge.scenario import Scenario
from divulge.table import Table


@dataclass(frozen=True, eq=False)
class Case:
    """What a family of measures is given. All tables share one schema: equal codes mean equal values.

    people: who is attacked. This is the original; `for_holdout` gives the same case with the holdout in its place,
        and a family computes both alike without knowing which it is given.
    synthetic: the one synthetic table that the intruder sees (or all of them as one, for measures that pool).
    replicates: all synthetic tables, for measures that compare them with each other.
    holdout: people of the same kind who were not in the data, for measures that need both at once.
    everyone: the people and the holdout, whichever of them is attacked: what is known of the population.
    exclusions: cells that the attribute measures leave out.
    with_scores: whether the score of every row is wanted; without, measures leave `Estimate.scores` at None.
    counter: counts shared with other cases on the same tables.
    """

    people: Table
    synthetic: Table
    scenario: Scenario
    holdout: Table | None = None
    replicates: tuple[Table, ...] = ()
    exclusions: Exclusions = NO_EXCLUSIONS
    with_scores: bool = False
    counter: Counter | None = None
    everyone: tuple[Table, ...] = ()

    def for_holdout(self) -> Case:
        """The same attack on the holdout."""
        if self.holdout is None:
            raise MeasureError("there is no holdout.", hint="Give a table of people who were not in the data.")
        return replace(self, people=self.holdout, holdout=None, everyone=self.population)

    @property
    def population(self) -> tuple[Table, ...]:
        """Everybody who is known, whether they were in the data or not."""
        return self.everyone or (self.people, *([self.holdout] if self.holdout is not None else []))

    @cached_property
    def counts(self) -> Counter:
        """The shared counter, or one of this case's own."""
        tables = [self.people, self.synthetic, *([self.holdout] if self.holdout is not None else [])]
        return self.counter or Counter.of(tables, self.scenario.keys)

    @cached_property
    def cells(self) -> Cells:
        """People and synthetic rows counted by keys and target."""
        return self.counts.cells(self.people, self.synthetic, self.scenario.target)

    @cached_property
    def kept(self) -> Mask:
        """For every cell whether exclusions leave it in; empty where there are none."""
        return self.exclusions.kept(self.cells, self.people.schema, self.scenario.target)

    @property
    def counted(self) -> Mask:
        """For every cell whether its people count for the attribute measures: the denominator limit applied too."""
        limit = self.exclusions.denominator_limit
        within = self.cells.d <= limit if limit else np.ones(len(self.cells.codes), dtype=np.bool_)
        return within & self.kept if self.kept.size else within

    def sums(self, tau: float = 1.0) -> CellSums:
        """The sums over cells, after exclusions, with the certainty τ."""
        if tau not in self._sums:
            self._sums[tau] = self.cells.sums(self.kept, self.exclusions.denominator_limit, tau)
        return self._sums[tau]

    @cached_property
    def _sums(self) -> dict[float, CellSums]:
        return {}

    @cached_property
    def base(self) -> float:
        """Σ_t (d_t/N_d)², the chance of a guess from the target's distribution (Taub 2018, eq. 5, averaged)."""
        if not self.cells.n_people:
            return float("nan")
        shares = self.cells.d_target / self.cells.n_people
        return float(shares @ shares)

    def by_row(self, of_cells: Floats) -> Floats:
        """A figure of cells as a figure of the people's rows."""
        return of_cells[self.cells.places(self.counts.cell_codes(self.people, self.scenario.target))]

    def own_shares(self) -> Floats:
        """p^s of every person's own target given their keys; NaN where nobody synthetic has these keys."""
        s_q = self.cells.of_key[1]
        shares = np.divide(self.cells.s, s_q, out=np.full(len(self.cells.codes), np.nan), where=s_q > 0)
        # Excluded cells are counted as not disclosed, as in the sums; the matched figure leaves them out.
        shares[~self.counted] = np.nan
        return self.by_row(shares)
