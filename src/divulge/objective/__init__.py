"""What a synthesiser is given (`Objective`) and what it returns (`Embedding`)."""

from divulge.objective.embedding import Embedding, Outcome, Progress, Reproduction
from divulge.objective.objective import Objective, Target

__all__ = ["Embedding", "Objective", "Outcome", "Progress", "Reproduction", "Target"]
