"""Simulated health records: the data generator of Templ et al. (RAPID, appendix A), on a grid of possible values."""

from __future__ import annotations

import numpy as np
from scipy.special import softmax

from divulge.demo.demo import check_request
from divulge.errors import UsageError
from divulge.kernels.arrays import Floats
from divulge.kernels.draws import codes, logistic, normals, truncated_normals, uniforms
from divulge.table import Schema, Table, Variable

_N_ROWS = 1_000  # how many rows the paper's simulation studies have
_AGE_MEAN, _AGE_SD, _AGE_MIN, _AGE_MAX = 45.0, 12.0, 18.0, 85.0
_INCOME_STEP, _INCOME_TOP = 500, 1_000_000
_SCORE_STEPS = 10  # a health score is kept to one decimal

_SCHEMA = Schema(
    (
        Variable("gender", "categorical", np.array(["female", "male"], dtype=object), title="Gender (simulated)"),
        Variable("age", "numeric", np.arange(18, 86), title="Age in completed years (simulated)"),
        Variable(
            "education",
            "categorical",
            np.arange(3),
            labels={0: "low", 1: "medium", 2: "high"},
            title="Educational attainment (simulated)",
            is_ordered=True,
        ),
        Variable(
            "income",
            "numeric",
            np.arange(0, _INCOME_TOP + 1, _INCOME_STEP),
            title="Yearly income in dollars, to the nearest 500, top-coded at 1,000,000 (simulated)",
        ),
        Variable(
            "health_score",
            "numeric",
            np.arange(100 * _SCORE_STEPS + 1) / _SCORE_STEPS,
            title="Health score from 0 to 100 (simulated)",
        ),
        Variable(
            "disease_status",
            "categorical",
            np.array(["healthy", "diabetic", "hypertensive"], dtype=object),
            title="Disease status (simulated)",
        ),
    )
)
"""The data dictionary of the simulated health records."""


def simulated_health(n_rows: int = _N_ROWS, kappa: float = 1.0, seed: int = 1) -> Table:
    """Health records whose variables depend on each other the more, the larger kappa (Templ et al., appendix A).

    kappa: 0 no dependence but through fixed intercepts, 1 signal and noise alike, large nearly deterministic.
    The paper's values are continuous; here each is put on its variable's grid after everything has been drawn.
    """
    check_request(n_rows, seed)
    if not (kappa >= 0 and np.isfinite(kappa)):
        raise UsageError(f"kappa must be a finite number of at least 0; it is {kappa}.")
    signal, noise = np.sqrt(kappa / (1 + kappa)), np.sqrt(1 / (1 + kappa))

    def normal(stream: int) -> Floats:
        return normals(uniforms(seed, stream, n_rows))

    status = normal(0)
    age = truncated_normals(uniforms(seed, 1, n_rows), _AGE_MEAN, _AGE_SD, _AGE_MIN, _AGE_MAX)
    # The paper gives the mean and deviation of age; those of log income follow from the rest, so the sample's are used.
    age_z = (age - _AGE_MEAN) / _AGE_SD
    schooling = signal * (0.8 * status - 0.4 * age_z) + noise * normal(2)
    education = 1 * (schooling >= -0.3) + (schooling >= 0.7)
    log_income = 10.0 + signal * (0.5 * status + 0.3 * age_z + 0.25 * education) + noise * normal(3)
    income_z = _standardised(log_income)
    health = signal * (0.6 * status - 0.5 * age_z + 0.2 * education + 0.2 * income_z) + noise * normal(4)
    diabetic = -1.5 + kappa * (0.8 * age_z - 0.3 * income_z - 0.2 * education)
    hypertensive = -1.3 + kappa * (1.0 * age_z - 0.2 * income_z - 0.1 * education)
    disease = codes(uniforms(seed, 5, n_rows), softmax(np.column_stack([0 * diabetic, diabetic, hypertensive]), axis=1))
    male_odds = signal * (0.3 * status - 0.2 * age_z + 0.2 * education)
    male = uniforms(seed, 6, n_rows) < logistic(male_odds)

    columns = {
        "gender": male,
        "age": np.floor(age) - _AGE_MIN,
        "education": education,
        "income": np.minimum(np.rint(np.exp(log_income) / _INCOME_STEP), _INCOME_TOP // _INCOME_STEP),
        "health_score": np.rint(100 * logistic(health) * _SCORE_STEPS),
        "disease_status": disease,
    }
    return Table(_SCHEMA, tuple(columns[v.name].astype(v.dtype) for v in _SCHEMA))


def _standardised(x: Floats) -> Floats:
    spread = x.std()
    return (x - x.mean()) / (spread if spread > 0 else 1.0)  # a single row has no spread
