"""Rank correlations of a few people, and beside scipy and R."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr

from divulge.outputs import Status
from divulge.outputs.kinds.rank_correlation import RankCorrelation
from divulge.table import Schema, Table, Variable
from tests.reference.models_of_r import VALUES
from tests.spec.outputs.beside import CENSUS, FEW, frame

SCHEMA = Schema((Variable("A", "numeric", np.arange(5)), Variable("B", "numeric", np.arange(5))))


def table(a: list[int], b: list[int]) -> Table:
    return Table(SCHEMA, (np.array(a, dtype=np.uint8), np.array(b, dtype=np.uint8)))


@pytest.mark.parametrize("method", ["spearman", "kendall"])
def test_same_order_is_one_and_the_reverse_minus_one(method: str) -> None:
    output = RankCorrelation(variables=("A", "B"), rank=method)  # type: ignore[arg-type]
    assert output.evaluate(table([0, 1, 3], [1, 2, 4])).values == pytest.approx([1.0])
    assert output.evaluate(table([0, 1, 3], [4, 2, 0])).values == pytest.approx([-1.0])
    assert output.evaluate(table([1, 1, 1], [4, 2, 0])).status is Status.CONSTANT


def test_kendall_counts_pairs() -> None:
    # Of the three pairs two are in the same order.
    found = RankCorrelation(variables=("A", "B"), rank="kendall").evaluate(table([0, 1, 2], [0, 2, 1]))
    assert found.values == pytest.approx([1 / 3])


def test_ties_are_those_of_scipy_and_r() -> None:
    data = frame()
    rho = RankCorrelation(variables=("AGE", "ETHGROUP")).evaluate(CENSUS).values[0]
    tau = RankCorrelation(variables=("AGE", "ETHGROUP"), rank="kendall").evaluate(CENSUS).values[0]
    other = data["ETHGROUP"].astype(int)
    assert rho == pytest.approx(spearmanr(data["AGE"], other).statistic)
    assert tau == pytest.approx(kendalltau(data["AGE"], other).statistic)
    assert RankCorrelation(variables=("AGE", "ETHGROUP")).evaluate(FEW).values == pytest.approx(VALUES["spearman"][0])
    few = RankCorrelation(variables=("AGE", "ETHGROUP"), rank="kendall").evaluate(FEW)
    assert few.values == pytest.approx(VALUES["kendall"][0])
