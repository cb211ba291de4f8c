"""The people of `nation.py`, made by a formula: the same in every run, and kept between two."""

from __future__ import annotations

import tempfile
from pathlib import Path

CARDS = {"area": 96, "sex": 2, "age": 18, "tenure": 8, "status": 6, "ill": 4, "work": 5, "born": 3}
TYPES = 500_000
PLANTED = {"tenure": (8, 0, 1), "status": (2, 6, 3), "ill": (1, 2, 4)}
"""Three people, each with a value that nobody else has: alone in their cell of tenure by status by illness."""

PLANTED_INCOMES = 10
"""Of the people with an income, three are planted: each alone in a region from this one on."""

FOLDER = Path(tempfile.gettempdir()) / "divulge-nation"
"""Where the people are kept between two runs: 250 MB."""


def make(n: int, path: Path) -> None:
    """n people as a Parquet file: each is of one of half a million types, three are planted."""
    import duckdb

    drawn = ", ".join(
        f"(hash(t * 8 + {i}) % {size})::UTINYINT AS {name}" for i, (name, size) in enumerate(CARDS.items())
    )
    each = [", ".join(f"{PLANTED.get(name, (0, 0, 0))[k]}::UTINYINT AS {name}" for name in CARDS) for k in range(3)]
    planted = " ".join(f"UNION ALL SELECT {one}" for one in each)
    with tempfile.TemporaryDirectory() as folder:
        connection = duckdb.connect(config={"memory_limit": "2GB", "temp_directory": folder})
        types = f"SELECT (hash(i) % {TYPES})::BIGINT AS t FROM range({n - 3}) AS r(i)"
        connection.execute(f"COPY (SELECT {drawn} FROM ({types}) {planted}) TO '{path}' (FORMAT parquet)")
        connection.close()


def make_incomes(n: int, path: Path) -> None:
    """n people with an income to the pound (some 300,000 different ones of sixty million people), three of them planted
    in a region of their own."""
    import duckdb

    def share(k: int) -> str:
        return f"((hash(i * 7 + {k}) % 1000003) + 0.5) / 1000003"

    normal = f"sqrt(-2 * ln({share(1)})) * cos(2 * pi() * {share(2)})"
    drawn = ", ".join(
        f"(hash(i * 5 + {k}) % {size})::UTINYINT AS {name}"
        for k, (name, size) in enumerate({"region": PLANTED_INCOMES, "sex": 2, "age": 18}.items(), start=1)
    )
    planted = " ".join(
        f"UNION ALL SELECT {PLANTED_INCOMES + k}, {k % 2}, {3 + k}, {41_234 + 11_111 * k}" for k in range(3)
    )
    with tempfile.TemporaryDirectory() as folder:
        connection = duckdb.connect(config={"memory_limit": "2GB", "temp_directory": folder})
        income = f"round(exp(10.2 + 0.7 * ({normal}) + 0.1 * (hash(i * 5 + 2) % 2)))::INTEGER AS income"
        people = f"SELECT {drawn}, {income} FROM range({n - 3}) AS r(i)"
        connection.execute(f"COPY ({people} {planted}) TO '{path}' (FORMAT parquet)")
        connection.close()


def made(n: int, what: str = "") -> Path:
    """The file of n people; it is kept. what: "incomes" for those with an income."""
    FOLDER.mkdir(mode=0o700, exist_ok=True)
    path = FOLDER / f"{n}{what}.parquet"
    if not path.exists():
        part = path.with_suffix(".part")
        (make_incomes if what else make)(n, part)
        part.rename(path)
    return path
