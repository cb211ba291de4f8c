"""Which further figures must be withheld, so that what is withheld does not follow from the others."""

from divulge.withholding.complete import complete_pattern
from divulge.withholding.figures import Figures
from divulge.withholding.pattern import find_pattern

__all__ = ["Figures", "complete_pattern", "find_pattern"]
