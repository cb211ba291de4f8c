"""Shares of classes of one or two people: 100 % of one are the one, and 50 % of two are one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.kernels.arrays import Floats, Mask
from divulge.outputs import Statbarn
from divulge.outputs.behind import Behind
from divulge.rules.rule import Finding, Rule, Severity


@dataclass(frozen=True, kw_only=True)
class SharesOfFew(Rule):
    """Shares of which a class of at most two people can be counted back, as of ratios of few.

    Of a base of one or two every printed share is a count. In a larger base a share other than 0 has somebody behind
    it, and one that rounds to less than one person has nobody: where all others of a class are 0, everybody of the
    class has the one value that is left. Whoever knows how many people the base has works that out.
    """

    name: ClassVar[str] = "shares of few"
    asks: ClassVar[str] = "Shares must not tell what counts of classes of one or two people would."
    source: ClassVar[str] = "k = n · share is a whole number: Brown & Heathers 2017 (GRIM); n ≤ 2, not strict"
    remedy: ClassVar[str] = "Withhold the shares of these classes, or merge them with others."
    severity: ClassVar[Severity] = Severity.REFUSE
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.FREQUENCIES,)

    most: Annotated[int, "Classes of at most so many people are looked at."] = 2

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        sentence = (
            f"In classes of at most {self.most} {{units}} {{n}} share{{s}} {{are}} as good as counts: whoever knows "
            "how many people the shares are of learns a value of these people."
        )
        for at, behind in enumerate(case.behind):
            if behind.what != "share":
                continue
            # The next base is theirs, as where sums are stated; shares without one are of everybody in them.
            of_what = next((b for b in case.behind[at:] if b.what == "base"), None)
            n = case.units(behind).reshape(behind.shape or (-1,))
            base = _people_in_base(case, behind, of_what)
            told = (n > 0) & (base <= self.most)
            somebody, nobody = _told(case, behind, base)
            for axis in range(n.ndim if behind.shape else 0):
                is_few = n.sum(axis=axis, keepdims=True) <= self.most
                is_certain = (somebody.sum(axis=axis, keepdims=True) == 1) & (
                    (somebody | nobody).all(axis=axis, keepdims=True)
                )
                if n.shape[axis] > 1:
                    told |= somebody & is_few & is_certain
            found += self.breach(case, behind, told.ravel() & case.shown(behind), sentence)
        return found


def _people_in_base(case: Case, behind: Behind, of_what: Behind | None) -> Floats:
    """How many people each share is of."""
    shape = behind.shape or (behind.n_groups,)
    if of_what is None:
        return np.full(shape, float(case.units(behind).sum()))
    sizes = case.units(of_what).astype(np.float64)
    spanned = tuple(k if name in of_what.names else 1 for name, k in zip(behind.names, shape, strict=False))
    return np.broadcast_to(sizes.reshape(spanned) if of_what.names else sizes.sum(), shape)


def _told(case: Case, behind: Behind, base: Floats) -> tuple[Mask, Mask]:
    """The shares that have somebody behind them, and those that have nobody, by what is printed."""
    scale = float(np.max(case.output.possible(case.table.schema)[1]))
    low, high = (np.asarray(b)[behind.figures].reshape(base.shape) for b in (case.released.low, case.released.high))
    is_shown = case.shown(behind).reshape(base.shape)
    slack = 1e-9 * (1.0 + base)  # sums of floats depend on their order
    with np.errstate(invalid="ignore"):
        return is_shown & (low > 0), is_shown & (base * high / scale < 1.0 - slack)
