"""Which levels of variables to merge, so that nobody stands in a thin cell, at the least loss of information."""

from divulge.merging.goal import Goal
from divulge.merging.path import Cells, Levels, Partition, find_merges

__all__ = ["Cells", "Goal", "Levels", "Partition", "find_merges"]
