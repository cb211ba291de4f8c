"""Published examples of tables with withheld cells, as systems."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

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


_ROWS = (
    ("young", "Spain", "EU", "2014", 6),
    ("young", "Iceland", "nonEU", "2014", 8),
    ("old", "Spain", "EU", "2014", 9),
    ("old", "Portugal", "EU", "2014", 1),
    ("young", "Iceland", "nonEU", "2015", 2),
    ("old", "Spain", "EU", "2015", 4),
    ("old", "Portugal", "EU", "2015", 3),
    ("young", "Spain", "EU", "2016", 7),
    ("young", "Iceland", "nonEU", "2016", 2),
    ("young", "Portugal", "EU", "2016", 2),
)
_HIDDEN = {
    ("year 2015",),
    ("year 2016",),
    ("nonEU", "year 2015"),
    ("nonEU", "year 2016"),
    ("young", "year 2015"),
    ("young", "year 2016"),
    ("nonEU", "young", "year 2015"),
    ("nonEU", "young", "year 2016"),
    ("Iceland", "year 2015"),
    ("Iceland", "year 2016"),
    ("Portugal", "year 2014"),
    ("Portugal", "year 2015"),
    ("Portugal", "year 2016"),
    ("Spain", "year 2014"),
    ("Spain", "year 2015"),
    ("Spain", "year 2016"),
}


def countries() -> System:
    """GaussSuppression's linked tables (age × eu × year, geo × year), withheld as it does with rangeMin = 4."""
    figures: Figures = {}
    cells = [f"{age} {geo} {year}" for age, geo, _, year, _ in _ROWS]
    for names in ({"eu", "age", "year"}, {"geo", "year"}):
        for row in _ROWS:
            said = {"age": row[0], "geo": row[1], "eu": row[2], "year": f"year {row[3]}"}
            for shown in _subsets([n for n in ("eu", "geo", "age", "year") if n in names]):
                key = tuple(said[n] for n in shown)
                inside = [c for c, r in zip(cells, _ROWS, strict=True) if set(key) <= {*r[:3], f"year {r[3]}"}]
                total = sum(r[4] for c, r in zip(cells, _ROWS, strict=True) if c in inside)
                if key not in _HIDDEN:
                    figures[" ".join(key) or "total"] = exactly(inside, total)
    return System.of(cells, figures, is_whole=False, point=[row[4] for row in _ROWS])


def _subsets(names: list[str]) -> list[tuple[str, ...]]:
    return [chosen for size in range(len(names) + 1) for chosen in combinations(names, size)]
