"""Simulated people of 50 and over in South Yorkshire in 1991: nobody here exists.

Same variables, values and number of people as in Elliot, Little & Allmendinger 2024 ("bespoke synthetic teaching
datasets"), shares near those of their Table 1, and access to a car by the coefficients of their Table 2. How the other
variables hang together is written by hand in round figures and is no published table.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from divulge.objective import Objective, Target
from divulge.objective.knowledge import granted
from divulge.outputs import Output
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.kinds.logistic import Logistic
from divulge.synthesisers import Evolutionary
from divulge.table import Schema, Table, read_schema

N_PEOPLE = 8054
SCHEMA_FILE = Path(__file__).with_name("people.schema.json")
FORMULA = "CARS ~ AGE + C(AREAP, Treatment(51)) + C(SEX) + C(ETHGROUP) + C(LTILL, Treatment(2)) + C(TENURE)"
MUTATION = [[0, 0.01], [250, 0.005], [500, 0.001], [750, 0.0005], [1000, 0.0001]]
MUTATION += [[1250, 0.00005], [1500, 0.00001], [1750, 0.000005]]
"""The paper names the first five rates, "…" stands for the rest."""

_CONSTANT, _PER_YEAR = 6.4034, -0.0787
_AREA = np.array([-0.0239, -0.0398, -0.0650, 0.0])
_TENURE = np.array([0.0, 0.1788, -1.6399, -1.7013, -0.7950, -1.8219, -1.9224])
_FEMALE, _OTHER, _ILL = -0.5501, -0.8254, -0.2033


def simulated_people(n: int = N_PEOPLE, seed: int = 1) -> Table:
    """So many people, in random order."""
    rng = np.random.default_rng(seed)
    years = np.arange(46)
    age = rng.choice(years, n, p=_shares(np.exp(-((years / 27.0) ** 2))))  # the very old are few
    female = (rng.random(n) < 0.50 + 0.0032 * age).astype(np.int64)
    area = rng.choice(4, n, p=_shares([0.1716, 0.2210, 0.1838, 0.4236]))
    other = (rng.random(n) < 0.0122).astype(np.int64)
    ill = (rng.random(n) < _logistic(-1.25 + 0.047 * age)).astype(np.int64)
    # Who is buying is younger, who rents from the council is older and oftener ill.
    odds = np.log([0.3650, 0.2131, 0.0055, 0.0358, 0.0117, 0.0204, 0.3486]) + np.zeros((n, 7))
    odds[:, 1] += 1.15 - 0.11 * age
    odds[:, 6] += -0.35 + 0.012 * age + 0.3 * ill
    cumulative = np.cumsum(np.exp(odds), axis=1)
    tenure = (rng.random(n)[:, None] * cumulative[:, -1:] > cumulative).sum(axis=1)
    eta = _CONSTANT + _PER_YEAR * (50 + age) + _AREA[area] + _FEMALE * female + _OTHER * other + _ILL * ill
    car = (rng.random(n) < _logistic(eta + _TENURE[tenure])).astype(np.int64)
    return Table(read_schema(SCHEMA_FILE), (area, age, female, other, 1 - ill, tenure, car))


def _shares(weights: object) -> NDArray[np.float64]:
    given = np.asarray(weights, dtype=float)
    return given / given.sum()


def _logistic(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return 1.0 / (1.0 + np.exp(-x))


def halves(people: Table) -> tuple[Table, Table]:
    """(original, holdout): people are in random order, so the first half is a random one."""
    middle = people.n_rows // 2
    return people.take(slice(0, middle)), people.take(slice(middle, None))


def objective_of(original: Table, outputs: list[Output]) -> Objective:
    """What a synthesiser is given: the released numbers, the schema, and the univariate distributions."""
    # The schema's frequencies are those of the paper's people; the simulated ones have their own.
    schema = Schema(tuple(replace(v, frequencies=original.frequencies(v.name)) for v in original.schema))
    # The paper releases no standard errors.
    targets = tuple(Target(o, replace(o.publish(o.evaluate(original), schema), se=None)) for o in outputs)
    return Objective(schema, targets, granted(schema, targets, "marginals").marginals)


def regression(weight: float = 1.0) -> Logistic:
    """The published model: 14 coefficients, to 4 decimals."""
    return Logistic(formula=FORMULA, decimals=4, weight=weight)


def crosstab(variable: str, weight: float = 1.0) -> Crosstab:
    """Shares of all people by a variable and access to a car; the search compares shares, as the authors' program."""
    return Crosstab(variables=(variable, "CARS"), statistic="proportions", decimals=4, weight=weight)


def paper_settings(generations: int, population: int) -> Evolutionary:
    """The settings of both experiments: uniform start, no crossover, falling mutation rates, elitist."""
    return Evolutionary(population=population, generations=generations, crossover=0.0, mutation=MUTATION)
