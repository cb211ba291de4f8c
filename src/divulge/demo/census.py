"""A simulated census: nobody in it exists.

It has the variables, value labels and reference categories of Elliot, Little & Allmendinger (appendices B and C), and
its TENURE follows the coefficients of their Table 2. The rest looks like the seven West Midlands districts in 1991 in
round figures: shares below are written by hand for this simulation and are not a published table.
"""

from __future__ import annotations

import numpy as np

from divulge.demo.demo import check_request
from divulge.kernels.arrays import Floats, Integers
from divulge.kernels.draws import codes, logistic, uniforms
from divulge.table import Schema, Table, Variable

N_ROWS = 50_357
"""How many people the paper's file had."""

FORMULA = "TENURE ~ AGE + C(AREAP) + C(ETHGROUP) + C(LTILL) + C(MSTATUS) + C(SEX)"
"""The paper's regression; the first category of each variable is its reference."""

CONSTANT = 0.2498
PER_YEAR_OF_AGE = 0.0012
COEFFICIENTS = {
    "AREAP": {58: -0.3754, 59: -0.3389, 60: 0.3404, 61: -0.7305, 62: 0.0805, 63: 0.1464},
    "ETHGROUP": {
        2: 0.5044,
        3: 1.0247,
        4: 0.9189,
        5: -1.6371,
        6: -0.7816,
        7: 0.0191,
        8: 0.5156,
        9: 0.3519,
        10: 0.7427,
    },
    "LTILL": {2: -0.6933},
    "MSTATUS": {2: -0.8421, 3: -0.3890, 4: 0.3676, 5: -0.0176},
    "SEX": {2: 0.0709},
}
"""Log odds of renting (Elliot, Little & Allmendinger, Table 2, column "Original")."""

_RULES = ("AGE < 16 -> MSTATUS = Single",)

_AREAS = ("Birmingham", "Coventry", "Dudley", "Sandwell", "Solihull", "Walsall", "Wolverhampton")
_GROUPS = (
    "White",
    "Black Caribbean",
    "Black African",
    "Black other",
    "Indian",
    "Pakistani",
    "Bangladeshi",
    "Chinese",
    "Other-Asian",
    "Other-other",
)

_AGE_SHARES = (7.3, 6.8, 6.3, 6.6, 7.7, 8.0, 6.9, 6.1, 6.5, 5.7, 5.4, 5.3, 5.4, 5.0, 4.0, 3.3, 2.2, 1.1, 0.4)
"""Per cent of people aged 0–4, 5–9, …, 85–89, 90–95."""

_AREA_SHARES = (961, 294, 305, 290, 200, 259, 242)  # thousands of people in each area
_GROUP_SHARES = (
    (78.5, 4.70, 0.30, 0.90, 5.30, 6.90, 1.30, 0.30, 0.60, 1.20),
    (88.2, 1.10, 0.20, 0.40, 6.30, 1.60, 0.40, 0.30, 0.60, 0.90),
    (95.5, 0.70, 0.05, 0.30, 1.40, 1.50, 0.05, 0.15, 0.10, 0.25),
    (85.3, 2.70, 0.10, 0.60, 7.90, 2.00, 0.60, 0.20, 0.25, 0.35),
    (97.1, 0.60, 0.05, 0.25, 1.00, 0.30, 0.05, 0.20, 0.15, 0.30),
    (90.4, 1.00, 0.05, 0.30, 4.60, 2.60, 0.45, 0.15, 0.20, 0.25),
    (81.4, 4.10, 0.15, 0.90, 11.3, 0.80, 0.05, 0.25, 0.40, 0.65),
)
"""Per cent of each ethnic group in each area, one row an area."""

# Below, each row is an age and what holds there; between two rows it changes in a straight line.

_NON_WHITE_BY_AGE = ((0, 1.75), (20, 1.35), (35, 1.05), (50, 0.85), (65, 0.35), (80, 0.15), (95, 0.10))
"""How many times the area's share of each group other than White: migration was recent, so these groups were young."""

_FEMALE_BY_AGE = ((0, 0.487), (20, 0.495), (60, 0.510), (70, 0.545), (80, 0.640), (90, 0.760), (95, 0.800))

_MEN_BY_AGE = (
    (16, 99.8, 0.2, 0.0, 0.0, 0.0),
    (20, 95.0, 4.8, 0.0, 0.2, 0.0),
    (25, 62.0, 35.5, 0.5, 2.0, 0.0),
    (35, 20.0, 66.0, 6.0, 7.7, 0.3),
    (45, 10.0, 71.0, 10.0, 8.3, 0.7),
    (55, 9.0, 73.0, 9.5, 6.5, 2.0),
    (65, 8.5, 73.5, 7.0, 4.0, 7.0),
    (75, 7.5, 66.5, 5.0, 2.5, 18.5),
    (85, 6.5, 48.0, 4.0, 1.5, 40.0),
    (95, 6.0, 28.0, 2.0, 1.0, 63.0),
)
_WOMEN_BY_AGE = (
    (16, 99.5, 0.5, 0.0, 0.0, 0.0),
    (20, 87.0, 12.5, 0.0, 0.5, 0.0),
    (25, 45.0, 50.0, 1.0, 4.0, 0.0),
    (35, 12.0, 70.0, 7.5, 10.0, 0.5),
    (45, 6.0, 72.5, 9.5, 10.0, 2.0),
    (55, 5.5, 71.5, 7.5, 7.5, 8.0),
    (65, 6.5, 59.0, 5.0, 4.5, 25.0),
    (75, 8.5, 37.0, 2.5, 2.5, 49.5),
    (85, 11.0, 15.5, 1.0, 1.5, 71.0),
    (95, 12.0, 4.5, 0.5, 1.0, 82.0),
)
"""Age, then per cent single, married, remarried, divorced, widowed."""

_ILL_BY_AGE = ((0, -3.9), (15, -3.4), (30, -3.0), (45, -2.3), (55, -1.6), (65, -0.9), (75, -0.35), (85, 0.4), (95, 0.9))
"""Log odds of a limiting long-term illness."""

_ILL_BY_AREA = (0.05, 0.0, -0.05, 0.1, -0.25, 0.05, 0.0)
_ILL_BY_GROUP = (0.0, 0.1, 0.0, 0.1, 0.15, 0.35, 0.45, -0.3, 0.0, 0.1)
_ILL_BY_STATUS = (0.15, 0.0, 0.0, 0.35, 0.1)
"""Added to the log odds: illness is commoner in poorer areas and groups, and among those who are not married."""


def simulated_census(n_rows: int = N_ROWS, seed: int = 1) -> Table:
    """A simulated census of `n_rows` people, the same for the same seed; a smaller one is the start of a larger one."""
    check_request(n_rows, seed)
    age = codes(uniforms(seed, 0, n_rows), np.repeat(_AGE_SHARES, [5] * 18 + [6]) / ([5.0] * 90 + [6.0] * 6))
    female = uniforms(seed, 1, n_rows) < _at(_FEMALE_BY_AGE, age)[:, 0]
    area = codes(uniforms(seed, 2, n_rows), np.array(_AREA_SHARES, dtype=np.float64))
    group_shares = np.array(_GROUP_SHARES)[area]
    group_shares[:, 1:] *= _at(_NON_WHITE_BY_AGE, age)
    group_shares[:, 0] = np.maximum(100.0 - group_shares[:, 1:].sum(axis=1), 0.0)
    group = codes(uniforms(seed, 3, n_rows), group_shares)
    status_shares = np.where(female[:, None], _at(_WOMEN_BY_AGE, age), _at(_MEN_BY_AGE, age))
    status = np.where(age < 16, 0, codes(uniforms(seed, 4, n_rows), status_shares))
    ill_odds = _at(_ILL_BY_AGE, age)[:, 0] + np.array(_ILL_BY_AREA)[area] + np.array(_ILL_BY_GROUP)[group]
    # A child is single without being unmarried, so status says nothing about a child's health.
    ill_odds += np.where(age < 16, 0.0, np.array(_ILL_BY_STATUS)[status])
    ill = uniforms(seed, 5, n_rows) < logistic(ill_odds)
    drawn = {"AGE": age, "AREAP": area, "ETHGROUP": group, "LTILL": 1 - ill, "MSTATUS": status, "SEX": 1 * female}
    drawn["TENURE"] = 1 * (uniforms(seed, 6, n_rows) < logistic(_rent_odds(drawn)))
    return Table(_SCHEMA, tuple(drawn[name].astype(np.uint8) for name in _SCHEMA.names))


def _at(table: tuple[tuple[float, ...], ...], age: Integers) -> Floats:
    """The columns of a by-age table at each person's age, (rows, columns)."""
    rows = np.array(table)
    return np.column_stack([np.interp(age, rows[:, 0], column) for column in rows[:, 1:].T]).astype(np.float64)


def _rent_odds(drawn: dict[str, Integers]) -> Floats:
    """Log odds of renting for each person, from the codes of the other variables."""
    odds: Floats = CONSTANT + PER_YEAR_OF_AGE * drawn["AGE"].astype(np.float64)  # years are their own codes
    for name, coefficients in COEFFICIENTS.items():
        odds = odds + np.array([coefficients.get(value, 0.0) for value in _SCHEMA[name].values.tolist()])[drawn[name]]
    return odds


def _variable(name: str, title: str, values: range, labels: tuple[str, ...]) -> Variable:
    return Variable(
        name,
        "categorical",
        np.array(values),
        labels=dict(zip(values, labels, strict=True)),
        title=f"{title} (simulated)",
    )


_SCHEMA = Schema(
    (
        Variable("AGE", "numeric", np.arange(96), title="Age in years (simulated)"),
        _variable("AREAP", "Individual SAR area", range(57, 64), _AREAS),
        _variable("ETHGROUP", "Ethnic group", range(1, 11), _GROUPS),
        _variable("LTILL", "Limiting long-term illness", range(1, 3), ("Yes", "No")),
        _variable("MSTATUS", "Marital status", range(1, 6), ("Single", "Married", "Remarried", "Divorced", "Widowed")),
        _variable("SEX", "Sex", range(1, 3), ("Male", "Female")),
        _variable("TENURE", "Tenure of household space", range(2), ("Own house", "Rent house")),
    ),
    rules=_RULES,
)
"""The data dictionary: what may be known of the census without seeing anybody in it."""
