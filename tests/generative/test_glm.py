"""The regression kernels equal plain Newton steps on a dense design matrix, on random tables, designs and weights."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from divulge.kernels import cells, glm, layout, lowering, moments
from divulge.kernels.cells import Rows, Source
from divulge.kernels.layout import RawTerm
from tests.reference import glm as reference

FAMILIES = {
    "identity": lowering.IDENTITY,
    "logistic": lowering.LOGISTIC,
    "poisson": lowering.POISSON,
    "multinomial": lowering.MULTINOMIAL,
}
MISSING = lowering.NOTHING
N_CODES = (4, 3, 9, 3, 2)
"""Two categories (the last code of the first is missing), a number, the response, and a weight."""


def category(v: int, first: int) -> RawTerm:
    """All levels of a category but the first, which is the reference."""
    cell = np.arange(N_CODES[v], dtype=np.int32)
    n_levels = N_CODES[v]
    if v == 0:
        cell[-1] = MISSING
        n_levels -= 1
    column = np.concatenate([[-1], np.arange(first, first + n_levels - 1)]).astype(np.int32)
    return RawTerm((v,), (cell,), (None,), column, np.ones(n_levels))


def number(first: int, power: int = 1) -> RawTerm:
    values = (np.arange(N_CODES[2]) / 3.0 - 1.0) ** power
    return RawTerm((2,), (np.zeros(N_CODES[2], np.int32),), (values,), np.array([first], np.int32), np.ones(1))


def product(first: int) -> RawTerm:
    """The number times each level of the second category but the first."""
    level = np.arange(N_CODES[1], dtype=np.int32)
    values = np.arange(N_CODES[2]) / 3.0 - 1.0
    return RawTerm(
        (2, 1),
        (np.zeros(N_CODES[2], np.int32), level),
        (values, None),
        np.array([-1, first, first + 1], np.int32),
        np.ones(3),
    )


CONSTANT = RawTerm((), (), (), np.array([0], np.int32), np.ones(1))
DESIGNS: dict[str, tuple[tuple[RawTerm, ...], int]] = {
    "a constant": ((CONSTANT,), 1),
    "categories": ((CONSTANT, category(0, 1), category(1, 3)), 5),
    "a number and its square": ((CONSTANT, number(1), number(2, 2), category(1, 3)), 5),
    "an interaction": ((CONSTANT, category(1, 1), number(3), product(4)), 6),
}


@st.composite
def tables(draw: st.DrawFn) -> np.ndarray:
    n = draw(st.integers(40, 120))
    seed = draw(st.integers(0, 10_000))
    rng = np.random.default_rng(seed)
    shares = [rng.dirichlet(np.full(k, 2.0)) for k in N_CODES]
    return np.column_stack([rng.choice(k, n, p=p) for k, p in zip(N_CODES, shares, strict=True)]).astype(np.uint8)


def rows_of(codes: np.ndarray, family: str, is_weighted: bool) -> Rows:
    y = {"identity": [0.0, 5.0, 7.0], "logistic": [0.0, 1.0, np.nan], "poisson": [0.0, 1.0, 4.0]}.get(family, [0, 1, 2])
    return Rows(
        tuple(np.ascontiguousarray(c) for c in codes.T),
        N_CODES,
        len(codes),
        3,
        np.array(y, dtype=float),
        4 if is_weighted else -1,
        np.array([0.5, 2.0]) if is_weighted else np.ones(1),
    )


def dense(design: str, codes: np.ndarray, rows: Rows, family: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(x, y, weight) of the rows that take part."""
    terms, n_columns = DESIGNS[design]
    x = reference.dense_design(terms, n_columns, codes)
    y = rows.y[codes[:, 3]]
    weight = rows.w[codes[:, 4]] if rows.weight >= 0 else np.ones(len(codes))
    takes_part = np.isfinite(x).all(axis=1) & np.isfinite(y)
    classes = y[:, None] == np.arange(1, 3) if family == "multinomial" else y[:, None]
    return x[takes_part], classes[takes_part].astype(float), weight[takes_part]


@pytest.mark.slow
@pytest.mark.parametrize("way", ["cells", "rows", "own terms"])
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("design", DESIGNS)
@given(codes=tables(), is_weighted=st.booleans(), scale=st.floats(0.0, 1.0))
def test_moments_equal_those_of_the_dense_matrix(
    way: str, family: str, design: str, codes: np.ndarray, is_weighted: bool, scale: float
) -> None:
    terms, n_columns = DESIGNS[design]
    n_classes = 2 if family == "multinomial" else 1
    rows = rows_of(codes, family, is_weighted)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells, "PAYS", 1.0 if way == "cells" else -1.0)
        patch.setattr(cells, "BATCH", 32)
        if way == "own terms":
            # No room for indicators: every term is looked up by itself.
            patch.setattr(layout, "SMALL", 0)
        source = Source(terms, n_columns, rows, n_classes)
        beta = scale * np.linspace(-1.0, 1.0, n_classes * n_columns).reshape(n_classes, n_columns)
        found = moments.moments(source, FAMILIES[family], beta)
        x, y, weight = dense(design, codes, rows, family)
        score, information = reference.moments(family, x, y, weight, beta)
        np.testing.assert_allclose(found.score, score, rtol=1e-10, atol=1e-8)
        np.testing.assert_allclose(found.information, information, rtol=1e-10, atol=1e-8)
        assert source.summary.n_rows == len(x)
        assert source.summary.weight == pytest.approx(weight.sum())


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("design", DESIGNS)
@given(codes=tables(), is_weighted=st.booleans())
def test_fit_equals_newton_on_the_dense_matrix(family: str, design: str, codes: np.ndarray, is_weighted: bool) -> None:
    terms, n_columns = DESIGNS[design]
    rows = rows_of(codes, family, is_weighted)
    found = glm.fit(Source(terms, n_columns, rows, 2 if family == "multinomial" else 1), FAMILIES[family])
    assert found.status in ("ok", "separated", "vanished level", "collinear", "too few rows")
    assume(found.status == "ok")
    x, y, weight = dense(design, codes, rows, family)
    score, information = reference.moments(family, x, y, weight, found.beta)
    # At the maximum the score is zero, in standard errors.
    step = np.linalg.solve(information, score)
    assert np.abs(step * np.sqrt(np.diagonal(information))).max() < 1e-8
    np.testing.assert_allclose(found.information, information, rtol=1e-6, atol=1e-6)


@given(codes=tables())
def test_separation_is_never_called_a_fit(codes: np.ndarray) -> None:
    # The response is whether the number is large: one line tells all rows apart.
    codes = codes.copy()
    codes[:, 3] = codes[:, 2] >= 4
    assume(0 < codes[:, 3].sum() < len(codes))
    terms, n_columns = DESIGNS["a number and its square"]
    found = glm.fit(Source(terms, n_columns, rows_of(codes, "logistic", False)), lowering.LOGISTIC)
    assert found.status == "separated" or not np.isfinite(found.beta).all()


@given(st.integers(0, 10_000), st.integers(2, 8))
def test_independent_columns_are_those_that_raise_the_rank(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(30, n))
    for j in range(1, n):
        if rng.random() < 0.4:
            x[:, j] = x[:, :j] @ rng.integers(-2, 3, j)
    size = np.sqrt((x**2).sum(axis=0))
    assume((size > 1e-6).all())
    keep = glm.independent(np.ascontiguousarray(x.T @ x / size / size[:, None]), glm.PIVOT)
    rank = [np.linalg.matrix_rank(x[:, : j + 1], tol=1e-8) for j in range(n)]
    assert keep.tolist() == [r > before for r, before in zip(rank, [0, *rank], strict=False)]
