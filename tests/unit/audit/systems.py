"""Published examples of tables with withheld cells, as systems."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from divulge.audit.system import System
from divulge.kernels.arrays import Floats

Figures = dict[str, tuple[dict[str, float], float, float]]


def exactly(cells: Iterable[str], value: float) -> tuple[dict[str, float], float, float]:
    """A figure that is the plain sum of some cells, printed in full."""
    return dict.fromkeys(cells, 1.0), value, value


def handbook() -> System:
    """Handbook on SDC 2025, feasibility intervals, example 3: two rows and two columns withheld."""
    return System.of(
        ["11", "12", "21", "22"],
        {
            "row 1": exactly(["11", "12"], 7),
            "row 2": exactly(["21", "22"], 3),
            "column 1": exactly(["11", "21"], 6),  # 9 less the 3 that are shown
            "column 2": exactly(["12", "22"], 4),  # 7 less the 3 that are shown
        },
    )


REGIONS = {"A": 2, "B": 2, "I": 8, "J": 8, "K": 3, "L": 3, "M": 3, "N": 7}
COUNTIES = {"county 1": "ABIJ", "county 2": "KLMN"}
SIZES = {"big": "LM", "small": "ABIJKN"}


def regions(*groupings: dict[str, str], withheld: str = "ABKLM") -> System:
    """Linked tables of sdcTable: regions by county, and the same regions by size; up to 3 withheld, total shown."""
    figures: Figures = {"total": exactly(REGIONS, sum(REGIONS.values()))}
    for grouping in groupings:
        figures |= {name: exactly(cells, sum(REGIONS[c] for c in cells)) for name, cells in grouping.items()}
    figures |= {cell: exactly([cell], n) for cell, n in REGIONS.items() if cell not in withheld}
    return System.of(list(REGIONS), figures, point=list(REGIONS.values()))


INNER = {"w": (30, 47, 64, 89), "x": (90, 124, 5, 31), "y": (92, 100, 59, 85), "z": (800, 991, 651, 685)}
WITHHELD = ("wa", "wb", "wc", "xa", "xc", "yb", "yd", "zb", "zd")


def four_by_four(*more_withheld: str) -> System:
    """sdcTable's table whose cell w|b is exact although every row and column has two withheld cells."""
    cells = {row + column: n for row, counts in INNER.items() for column, n in zip("abcd", counts, strict=True)}
    figures: Figures = {f"row {r}": exactly([r + c for c in "abcd"], sum(INNER[r])) for r in INNER}
    for c in "abcd":
        figures[f"column {c}"] = exactly([r + c for r in INNER], sum(cells[r + c] for r in INNER))
    figures |= {name: exactly([name], n) for name, n in cells.items() if name not in (*WITHHELD, *more_withheld)}
    return System.of(list(cells), figures, point=list(cells.values()))


def target(system: System, *cells: str) -> Floats:
    """The sum of some cells."""
    return np.array([float(name in cells) for name in system.cells])
