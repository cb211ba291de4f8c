"""Key combinations as integers, also where 64 bits do not hold all that are possible."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from divulge.errors import MeasureError
from divulge.measures import measure
from divulge.scenario import coding
from divulge.scenario.coding import KeyCoding


def random_columns(n: int, cards: list[int], seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.integers(0, c, n) for c in cards]


@pytest.mark.parametrize("cards", [[3, 5, 2], [2**20] * 8, [2**40, 2**40, 7], [1, 1, 1]], ids=str)
def test_codes_are_equal_exactly_where_rows_are(cards: list[int]) -> None:
    tables = [random_columns(400, cards, 1), random_columns(300, cards, 2)]
    tables[1][0][:50] = tables[0][0][:50]
    made = KeyCoding.fit(tables, cards, 100)
    codes = np.concatenate([made.encode(t) for t in tables])
    rows = list(zip(*(np.concatenate(c) for c in zip(*tables, strict=True)), strict=True))
    assert codes.max() < made.radix
    assert len(set(codes.tolist())) == len(set(rows))
    decoded = made.decode(codes)
    assert list(zip(*decoded, strict=True)) == rows


def test_no_key_columns_of_no_rows_have_no_codes() -> None:
    made = KeyCoding.fit([[np.zeros(0, dtype=np.int64)]], [4], 3)
    assert made.encode([np.zeros(0, dtype=np.int64)]).size == 0


def test_coding_rejects_what_even_ranks_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coding, "ROOM", 1000)
    with pytest.raises(MeasureError, match="do not fit 64 bits"):
        KeyCoding.fit([random_columns(200, [500, 500], 3)], [500, 500], 10)


def test_figures_are_the_same_with_ranks_and_without(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    people, synthetic = (
        pd.DataFrame({n: rng.integers(0, c, 300) for n, c in {"a": 9, "b": 6, "c": 4, "t": 3}.items()}) for _ in "ds"
    )
    plain = measure(people, synthetic, ["a", "b", "c"], "t", key_sizes=(1, 3))
    monkeypatch.setattr(coding, "ROOM", 2000)
    ranked = measure(people, synthetic, ["a", "b", "c"], "t", key_sizes=(1, 3))
    assert plain["DiSCO"].value > 0
    for name in plain.measures:
        assert ranked[name].value == pytest.approx(plain[name].value, nan_ok=True), name
