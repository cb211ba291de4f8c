"""ROOM. Ways to make synthetic microdata that *do* see the original, as reference marks (see comparator.py).

Nothing here is part of an assessment's attack: a synthesiser is never given a table, a comparator is.
"""

from divulge.comparators.cart import Cart
from divulge.comparators.comparator import Comparator, broken_rules
from divulge.comparators.copula import Copula, Moments, published_moments
from divulge.comparators.marginals import Marginals
from divulge.comparators.sample import Sample

COMPARATORS: tuple[type[Comparator], ...] = (Cart, Copula, Marginals, Sample)
"""Every comparator, from what keeps most of the original's structure to what keeps least, then plain samples."""

__all__ = [
    "COMPARATORS",
    "Cart",
    "Comparator",
    "Copula",
    "Marginals",
    "Moments",
    "Sample",
    "broken_rules",
    "published_moments",
]
