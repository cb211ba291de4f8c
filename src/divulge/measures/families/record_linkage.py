"""Record linkage: in a masked file whose rows are in the order of the people, is a person's nearest row their own?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import scipy  # its parts are loaded where they are used: some take longer than many a command

from divulge.kernels.arrays import Floats
from divulge.measures.case import Case
from divulge.measures.counting.nearest import nearest, points
from divulge.measures.estimate import Estimate
from divulge.measures.families.family import Family, Measure
from divulge.measures.figures import share
from divulge.settings import Range

_OTHER = "Synthetic rows belong to nobody: set same_order where row i of the file is person i, masked."


@dataclass(frozen=True)
class RecordLinkage(Family):
    """Gower distance over the keys. One by one, every person is linked to the nearest row; bijectively, every row is
    linked to one person so that all distances together are least.
    """

    same_order: Annotated[bool, "Whether row i of the synthetic file is made from person i."] = False
    block: Annotated[
        int,
        "Bijective links are sought within random blocks of so many people: the work grows with its cube.",
        Range(least=2),
    ] = 1000

    name: ClassVar[str] = "record_linkage"
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure(
            "linked",
            "People whose nearest row is their own; of k equally near ones, 1/k.",
            "Domingo-Ferrer and Torra 2003",
        ),
        Measure(
            "linked_bijective", "People linked to their own row where every row is used once.", "Herranz et al. 2015"
        ),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """Both ways of linking; the generator draws the blocks."""
        n = case.people.n_rows
        why = _OTHER
        if self.same_order and n != case.synthetic.n_rows:
            why = f"{case.synthetic.n_rows:,} rows cannot be the masked rows of {n:,} people."
        if not self.same_order or not n or n != case.synthetic.n_rows:
            return {m.name: Estimate(m.name, math.nan, caveats=(why,)) for m in self.measures}
        names = case.scenario.keys
        people, rows = points(case.people, names), points(case.synthetic, names)
        own = np.minimum(1.0, np.abs(people - rows)).sum(axis=1) / len(names)
        return {
            "linked": share("linked", _linked(people, rows, own), n, "There are no people.", baseline=1 / n),
            "linked_bijective": self._bijective(people, rows, rng),
        }

    def _bijective(self, people: Floats, rows: Floats, rng: np.random.Generator) -> Estimate:
        n, right = len(people), 0
        order = rng.permutation(n)
        parts = np.array_split(order, max(1, -(-n // self.block)))
        for part in parts:
            right += int((_assigned(people[part], rows[part]) == np.arange(len(part))).sum())
        details = {"blocks": len(parts), "block": len(parts[0])}
        base = len(parts) / n
        return share("linked_bijective", right, n, "There are no people.", baseline=base, details=details)


def _assigned(people: Floats, rows: Floats) -> np.ndarray:
    """For every person a row, each row once, with the least sum of distances."""
    costs = np.minimum(1.0, np.abs(people[:, None, :] - rows[None, :, :])).sum(axis=2)
    return scipy.optimize.linear_sum_assignment(costs)[1]


def _linked(people: Floats, rows: Floats, own: Floats) -> float:
    """The expected number of right links: a person's own row is nearest, and picked among those that are as near."""
    depth = min(16, len(rows))  # of more than 16 equally near rows one is taken for 1/16: an overestimate
    distances, _ = nearest(rows, people, k=depth)
    # Sums of the same numbers in another order may differ in the last digit.
    is_nearest = own <= distances[:, 0] + 1e-12
    ties = (distances <= distances[:, :1] + 1e-12).sum(axis=1)
    return float((is_nearest / ties).sum())
