"""What a member of this room is: data to play with, and what may be asked of a simulation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from divulge.errors import UsageError
from divulge.table import Table


class Demo(NamedTuple):
    """One table to play with: how to make it, what it is, and whether its people exist."""

    name: str
    make: Callable[[], Table]
    description: str
    origin: Literal["simulated", "real"]


def check_request(n_rows: int, seed: int) -> None:
    """Raise unless at least one row and a seed of at least 0 are asked for."""
    if n_rows < 1:
        raise UsageError(f"a simulation needs at least 1 row; {n_rows} are asked for.")
    if seed < 0:
        raise UsageError(f"a seed is a whole number of at least 0; {seed} is given.")
