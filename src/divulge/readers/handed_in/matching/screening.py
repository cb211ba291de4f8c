"""Ways to read a model that a sample of the rows rules out, before any of them is fitted to all rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from divulge.readers.handed_in.candidates.candidate import Candidate
from divulge.readers.handed_in.candidates.vocabulary import Vocabulary
from divulge.readers.handed_in.matching.data import Data
from divulge.readers.handed_in.matching.figures import RATIOS, Way, label_of
from divulge.readers.handed_in.matching.fits import MAIN, fits_of
from divulge.table import Table

_SAMPLE = 3_000
"""Rows of a sample; with fewer than four times as many, all rows are as quick."""

_FAR = 8.0
"""Standard errors of the sample by which a coefficient of all rows is never off, even where variances are unequal."""


def is_ruled_out(
    candidate: Candidate, kind: str, way: Way, words: Vocabulary, data: Data, more: Mapping[str, Any]
) -> bool:
    """Whether most coefficients of a sample are far from the printed ones; one that was mistyped rules nothing out."""
    if data.n_rows < 4 * _SAMPLE:
        return False
    asked = {**more, "statistics": ("se",)}
    fits = fits_of(kind, _sample(data, way.where), way.formula(words), way.where, candidate.weights, asked)
    if isinstance(fits, str):
        return False
    fit = fits[0]
    far, near = 0, 0
    labels = {key: label_of(fit, column) for key, column in way.columns.items()}
    for figure in candidate.figures:
        label = labels.get(figure.of or "")
        value = figure.printed.value
        if label is None or value is None or figure.what not in (*MAIN, *RATIOS):
            continue
        if figure.what in RATIOS:
            if value <= 0:
                continue
            value = math.log(value)
        found, error = fit.coefficients.get(label, math.nan), fit.errors.get(label, math.nan)
        if math.isfinite(found) and error > 0:
            is_far = abs(found - value) > _FAR * error + figure.printed.unit
            far, near = far + is_far, near + (not is_far)
    return far > near


@lru_cache(maxsize=8)
def _sample(data: Data, where: str | None) -> Table:
    rows = np.flatnonzero(data.rows(where, ()))
    if len(rows) > _SAMPLE:
        rows = np.sort(np.random.default_rng(1).choice(rows, _SAMPLE, replace=False))  # any seed: a sample is a sample
    return data.table.take(rows)
