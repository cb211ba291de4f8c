"""ROOM. Ways to make microdata that reproduces outputs, one per file; none of them is given original data."""

from divulge.synthesisers.descent import Descent
from divulge.synthesisers.embedding import Embedding, Outcome, Progress, Reproduction
from divulge.synthesisers.objective import Objective, Target

SYNTHESISERS = (Descent,)
"""Every synthesiser; the first is the default."""

__all__ = ["SYNTHESISERS", "Descent", "Embedding", "Objective", "Outcome", "Progress", "Reproduction", "Target"]
