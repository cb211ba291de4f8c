"""From refuse to release: which figures are to blame, which change loses least, and what it was assessed to be."""

from divulge.safer.propose import Mitigated, Proposal, mitigate

__all__ = ["Mitigated", "Proposal", "mitigate"]
