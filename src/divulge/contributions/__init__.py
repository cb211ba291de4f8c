"""Who contributes how much to each figure: what rules of output checking look at."""

from divulge.contributions.case import Case, Contributions

__all__ = ["Case", "Contributions"]
