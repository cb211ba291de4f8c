"""Hierarchical and linked tables of firms to protect, for ourselves and for tau-ARGUS alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse

from divulge.audit.jj import JjTable

LEVELS = tuple[int, ...]
"""How a variable is divided, and its parts again: (3, 4) are three groups of four."""


@dataclass(frozen=True)
class Hierarchical:
    """Firms by variables, each a hierarchy; which are unsafe is left to tau-ARGUS."""

    variables: tuple[LEVELS, ...]
    per_cell: float
    rule: str = "P(15,1)"

    @property
    def name(self) -> str:
        return " × ".join("·".join(map(str, levels)) for levels in self.variables) + " hierarchical"

    def people(self, seed: int = 1) -> pd.DataFrame:
        rng = np.random.default_rng(seed)  # any seed: skewed amounts, few large
        leaves = [leaves_of("ABC"[d], levels) for d, levels in enumerate(self.variables)]
        n = int(self.per_cell * np.prod([len(codes) for codes in leaves]))
        columns = {}
        for d, codes in enumerate(leaves):
            share = rng.gamma(1.0, 1.0, len(codes)) + 0.1
            columns["ABC"[d]] = rng.choice(codes, n, p=share / share.sum())
        return pd.DataFrame({**columns, "V": np.round(rng.lognormal(3.0, 1.4, n)).astype(int) + 1})

    def hierarchies(self) -> dict[str, str]:
        """The file of each variable that has more than one level."""
        return {"ABC"[d]: _file_of("ABC"[d], v) for d, v in enumerate(self.variables) if len(v) > 1}


def leaves_of(letter: str, levels: LEVELS) -> list[str]:
    return [_code(letter, at) for at in product(*map(range, levels))]


def _code(letter: str, at: Sequence[int]) -> str:
    return letter.lower() + "".join(f"{i:02d}" for i in at)


def _file_of(letter: str, levels: LEVELS) -> str:
    lines: list[str] = []

    def write(at: tuple[int, ...]) -> None:
        if at:
            lines.append("@" * (len(at) - 1) + _code(letter, at))
        if len(at) < len(levels):
            for i in range(levels[len(at)]):
                write((*at, i))

    write(())
    return "\n".join(lines) + "\n"


def linked(tables: Sequence[tuple[int, ...]], sizes: Sequence[int], per_cell: float, seed: int = 1) -> JjTable:
    """Tables of the same firms that share margins, as one set of cells and equations.

    tables: the variables that span each. sizes: how many values each variable has. Cells of one to three firms are
    unsafe, and must stay open by 15 % of their amount on each side.
    """
    rng = np.random.default_rng(seed)  # any seed: skewed amounts
    n = int(per_cell * max(np.prod([sizes[v] for v in table]) for table in tables))
    codes = []
    for size in sizes:
        share = rng.gamma(1.0, 1.0, size) + 0.1
        codes.append(rng.choice(size, n, p=share / share.sum()))
    amount = np.round(rng.lognormal(3.0, 1.4, n)) + 1
    number: dict[tuple[tuple[int, int], ...], int] = {}
    values: list[float] = []
    firms: list[int] = []
    for table in tables:
        for cell in product(*((None, *range(sizes[v])) for v in table)):
            key = tuple((v, c) for v, c in zip(table, cell, strict=True) if c is not None)
            if key in number:
                continue
            number[key] = len(values)
            inside = np.ones(n, dtype=bool)
            for v, c in key:
                inside &= codes[v] == c
            values.append(float(amount[inside].sum()))
            firms.append(int(inside.sum()))
    rows, columns, factors = [], [], []
    seen: set[tuple[int, tuple[tuple[int, int], ...]]] = set()
    for table in tables:
        for key in list(number):
            held = {v for v, _ in key}
            if not held < set(table):
                continue
            for v in set(table) - held:
                if (v, key) in seen:
                    continue
                seen.add((v, key))
                parts = [
                    number[tuple(sorted((*key, (v, c)), key=lambda x: table.index(x[0])))] for c in range(sizes[v])
                ]
                row = len(seen) - 1
                rows += [row] * (len(parts) + 1)
                columns += [number[key], *parts]
                factors += [-1.0] + [1.0] * len(parts)
    matrix = sparse.csr_array((factors, (rows, columns)), shape=(len(seen), len(values)))
    value, count = np.array(values), np.array(firms)
    status = np.where(count == 0, "z", np.where(count <= 3, "u", "s"))
    open_by = np.where(status == "u", np.maximum(1.0, np.round(0.15 * value)), 0.0)
    high = np.maximum(2 * value, value + open_by)
    return JjTable(value, value, status, np.zeros(len(value)), high, open_by, open_by, matrix)


def argus_sample(folder: Path) -> JjTable:
    """The table that tau-ARGUS comes with, turnover by size and region: `Simple2D.txt` has its values, `pp.tab` what is
    unsafe and by how much that must stay open, `region2.hrc` the parts of the country."""
    plain = pd.read_csv(folder / "Simple2D.txt", header=None, dtype={0: str, 1: str}, na_values="-").fillna(0.0)
    told = pd.read_csv(folder / "pp.tab", sep=";", decimal=",", header=None, dtype={0: str, 1: str})
    cells = {(size.strip(), region.strip()): i for i, (size, region) in enumerate(zip(told[0], told[1], strict=True))}
    values = {(a.strip(), b.strip()): float(v) for a, b, v in zip(plain[0], plain[1], plain[2], strict=True)}
    parts: dict[str, list[str]] = {"Total": []}
    for line in (folder / "region2.hrc").read_text(encoding="utf-8").splitlines():
        inside = line.startswith("@")
        parts[list(parts)[-1] if inside else "Total"].append(line.removeprefix("@").strip())
        if not inside:
            parts[line.strip()] = []
    parts["Total"].append("99")
    sizes, regions = (list(dict.fromkeys(key[axis] for key in cells)) for axis in (0, 1))
    equations = [(cells[s, whole], [cells[s, r] for r in some]) for s in sizes for whole, some in parts.items()]
    equations += [(cells["Total", r], [cells[s, r] for s in sizes if s != "Total"]) for r in regions]
    matrix = sparse.lil_array((len(equations), len(cells)))
    for row, (whole, some) in enumerate(equations):
        matrix[row, [whole, *some]] = [-1.0] + [1.0] * len(some)
    value = np.array([values[key] for key in cells])
    status = np.array([{"U": "u", "E": "z"}.get(s, "s") for s in told[8]])
    open_by = np.where(status == "u", told[9].to_numpy(dtype=float), 0.0)
    return JjTable(value, value, status, np.zeros(len(value)), 2 * value + open_by, open_by, open_by, matrix.tocsr())
