"""Columns that point at people are recognised; ordinary levels and numbers are left in peace."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from divulge.table import table_from_frame

N = 1000
RNG = np.random.default_rng(3)  # any seed: only how often values repeat matters
LETTERS = np.array(list("ABDEFGHJLNPQRSTUWXYZ"))


def _holds(values: Any, name: str = "x") -> str:
    return table_from_frame(pd.DataFrame({name: values})).schema[name].holds


def _postcodes(n: int) -> list[str]:
    return [f"{LETTERS[i % 20]}{i % 9 + 1} {i // 7 % 9}{LETTERS[i // 3 % 20]}{LETTERS[i // 11 % 20]}" for i in range(n)]


@pytest.mark.parametrize(
    ("values", "name", "holds"),
    [
        (np.arange(N) + 100_000, "x", "identifier"),
        ([f"P{i:05d}" for i in range(N)], "x", "identifier"),
        ([f"person{i % 700}@mail.example" for i in range(N)], "x", "identifier"),
        ([f"+44 20 7946 {i % 700:04d}" for i in range(N)], "x", "identifier"),
        ([f"Smith{i % 300}" for i in range(10 * N)], "surname", "identifier"),
        ([f"I said that {i} was not to my liking" for i in range(N)], "x", "text"),
        (_postcodes(N), "x", "postcode"),
        (RNG.integers(10_000, 99_999, N), "zip_code", "postcode"),
        ([f"2011-03-{i % 28 + 1:02d}" for i in range(N)], "x", "date"),
        ([f"{i % 28 + 1}/3/85" for i in range(N)], "x", "near-unique"),
        ([f"firm {i % 300}" for i in range(N)], "x", "near-unique"),
    ],
    ids=[
        *("numbers", "texts", "addresses of mail", "telephones", "names", "comments", "postcodes", "zip codes"),
        *("dates", "short years", "few rows each"),
    ],
)
def test_what_points_at_people_is_recognised(values: Any, name: str, holds: str) -> None:
    assert _holds(values, name) == holds


@pytest.mark.parametrize(
    ("values", "name"),
    [
        (RNG.integers(16, 90, N), "age"),
        (RNG.lognormal(7, 1, N), "income"),
        (RNG.choice(["Own", "Rent"], N), "name"),
        ([f"area {i % 80}" for i in range(N)], "area"),
        (RNG.integers(0, 2, N), "zip"),
        ([f"x{i}" for i in range(8)], "x"),
        (["a very long label of a level", "another long label of a level"] * 500, "x"),
    ],
    ids=["ages", "amounts", "a name for two levels", "areas", "two numbers", "a small file", "long labels"],
)
def test_levels_and_amounts_are_left_in_peace(values: Any, name: str) -> None:
    assert _holds(values, name) == "levels"


def test_messages_suggest_levels_and_nothing_else() -> None:
    table = table_from_frame(pd.DataFrame({"id": [f"P{i:05d}" for i in range(N)], "sex": ["F", "M"] * (N // 2)}))
    assert table.schema["id"].tellable == []
    assert set(table.schema["sex"].tellable) == {"F", "M"}
