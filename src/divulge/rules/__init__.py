"""What can be said of an output without any search. A rule is one file and its name in RULES."""

from divulge.rules.extremes import HeldByFew
from divulge.rules.rule import Finding, Rule

RULES: tuple[Rule, ...] = (HeldByFew(),)
"""Every rule, in the order in which their findings are told."""

__all__ = ["RULES", "Finding", "Rule"]
