"""ROOM. Operators of the searches, one per file."""

from divulge.synthesisers.moves import pair

MOVES = (pair,)

__all__ = ["MOVES"]
