"""What a synthesiser is given (`Objective`) and what it returns (`Embedding`)."""

from divulge.objective.embedding import Embedding, Outcome
from divulge.objective.log import Progress
from divulge.objective.objective import Objective, Target
from divulge.objective.reproduction import Enough, Reproduction

__all__ = ["Embedding", "Enough", "Objective", "Outcome", "Progress", "Reproduction", "Target"]
