"""ROOM. Operators of the searches, one per file."""

from divulge.synthesisers.moves import crossover, mutation, pair, replacement, tournament

MOVES = (pair, tournament, crossover, mutation, replacement)

__all__ = ["MOVES"]
