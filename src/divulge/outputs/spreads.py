"""What figures state as sums of powers: how far people lie from a mean, or from what a model predicts of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from divulge.kernels.arrays import Floats
from divulge.outputs.behind import Behind


@dataclass(frozen=True, eq=False)
class Spread:
    """One sum a group: Σ away^power.

    about: the variable, and what of it, as of other sums that are stated. behind: the groups and their figures. own:
    what each row has; away: how far it lies. error: of each group's sum as printed; infinite where it is not.
    is_left: whether people lie so far from what a model predicts of them, and not from the mean of their group.
    """

    about: tuple[str, str]
    behind: Behind
    own: Floats
    away: Floats
    error: Floats
    power: int = 2
    is_left: bool = False

    def coarser(self, names: tuple[str, ...]) -> Spread:
        """The same of a variable that is coarser than its column, which is another variable."""
        name, what = self.about
        return replace(self, about=(name, f"{what}, coarser")) if name in names else self
