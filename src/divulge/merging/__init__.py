"""Which levels of variables to merge, so that nobody stands in a thin cell, at the least loss of information."""

from divulge.merging.goal import Goal
from divulge.merging.path import Levels, find_merges
from divulge.merging.rows import Cells, Partition

__all__ = ["Cells", "Goal", "Levels", "Partition", "find_merges"]
