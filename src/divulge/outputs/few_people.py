"""A regression of few people, as somebody who knows everybody's predictors sees it."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.kernels.arrays import Floats
from divulge.lattice.released import Released


@dataclass(frozen=True, eq=False)
class FewPeople:
    """The response of a regression. says: what its figures say of the responses, by row; values: which are possible.

    is_category: whether a response is a class rather than an amount.
    """

    response: str
    says: Released
    values: Floats
    is_category: bool
