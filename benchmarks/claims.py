"""A thousand attacks on people drawn anew: is every response that is called determined the true one?

Outputs are published as the program publishes them, and attacked as an assessment attacks them: regressions, means
with standard deviations of small groups, tables of ratios, and several of these about the same people. Where the truth
is not the only answer, what else has the printed figures is looked for by itself. Seconds are of the processor.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import lifelines.datasets
import numpy as np
import pandas as pd
import statsmodels.api as sm

from divulge.attacks import Submitted
from divulge.attacks.responses import SECONDS, Question, questions_of
from divulge.errors import DivulgeError
from divulge.lattice.responses import recover
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.kinds.linear import Linear
from divulge.outputs.kinds.logistic import Logistic
from divulge.outputs.kinds.means import Means
from divulge.outputs.kinds.poisson import Poisson
from divulge.outputs.kinds.shape import Shape
from divulge.outputs.output import Output
from divulge.table import Table, table_from_frame

ATTACKS = 1_000
SEED = 77_120
PEOPLE = (8, 60)
DIGITS = (2, 10)


@dataclass(frozen=True)
class _Data:
    """A yes-or-no class, an amount in whole numbers, what predicts them, and two ways to group people."""

    name: str
    load: Callable[[], pd.DataFrame]
    yes_or_no: str
    amount: str
    predictors: tuple[str, ...]
    groups: tuple[str, str]


def _fair() -> pd.DataFrame:
    data = sm.datasets.fair.load_pandas().data
    return data.assign(affair=(data["affairs"] > 0).astype(int))


def _election() -> pd.DataFrame:
    data = sm.datasets.anes96.load_pandas().data
    return data.assign(read=data["TVnews"].astype(int))


def _insurance() -> pd.DataFrame:
    data = sm.datasets.randhie.load_pandas().data
    return data.assign(poor=data["hlthf"].astype(int), ill=data["disea"].round().clip(upper=19).astype(int))


def _cancer() -> pd.DataFrame:
    data = lifelines.datasets.load_gbsg2()
    return data.assign(nodes=data["pnodes"].clip(upper=19))


def _rossi() -> pd.DataFrame:
    return lifelines.datasets.load_rossi()


def _transplants() -> pd.DataFrame:
    data = lifelines.datasets.load_kidney_transplant()
    return data.assign(decade=data["age"] // 10, year=(data["time"] // 365).astype(int))


def _colds() -> pd.DataFrame:
    data = lifelines.datasets.load_recur()
    return data.assign(months=(data["TIME0"] // 60).clip(upper=12).astype(int))


DATA = (
    _Data("affairs", _fair, "affair", "educ", ("age", "yrs_married", "religious"), ("rate_marriage", "occupation")),
    _Data("election study", _election, "vote", "read", ("age", "educ", "income"), ("PID", "selfLR")),
    _Data("health insurance", _insurance, "poor", "ill", ("lncoins", "lpi", "physlm"), ("hlthg", "idp")),
    _Data("breast cancer", _cancer, "cens", "nodes", ("age", "tsize", "estrec"), ("horTh", "tgrade")),
    _Data("released prisoners", _rossi, "arrest", "prio", ("age", "week", "fin"), ("mar", "wexp")),
    _Data("kidney transplants", _transplants, "death", "year", ("age", "time"), ("decade", "black_male")),
    _Data("recurrences", _colds, "TREAT", "months", ("AGE", "TIME1"), ("EVENT", "CENSOR")),
)


def _published(case: _Data, rng: np.random.Generator, digits: int) -> tuple[str, tuple[Output, ...]]:
    """What is released, drawn at random."""
    predicted = " + ".join(case.predictors)
    one, two = case.groups
    logistic = Logistic(formula=f"{case.yes_or_no} ~ {predicted}", significant=digits)
    linear = Linear(formula=f"{case.amount} ~ {predicted}", significant=digits)
    poisson = Poisson(formula=f"{case.amount} ~ {predicted}", significant=digits)
    share = Linear(formula=f"{case.yes_or_no} ~ {predicted}", significant=digits)
    decimals = min(digits, 4)
    means = tuple(Means(variables=(case.amount,), by=(g,), decimals=decimals, empty="allow") for g in (one, two))
    spreads = tuple(
        Shape(variables=(case.amount,), by=(g,), show=("sd",), decimals=decimals, empty="allow") for g in (one, two)
    )
    ratios = tuple(
        Crosstab(variables=(g, case.yes_or_no), statistic="row percentages", decimals=decimals, empty="allow")
        for g in (one, two)
    )
    median = case.load()[case.predictors[0]].median()
    part = Logistic(formula=logistic.formula, significant=digits, where=f"{case.predictors[0]} >= {median:g}")
    return [
        ("logistic regression", (logistic,)),
        ("linear regression", (linear,)),
        ("Poisson regression", (poisson,)),
        ("linear regression of a class", (share,)),
        ("means and standard deviations by two groupings", means + spreads),
        ("ratios by two groupings", ratios),
        ("logistic regression and ratios", (logistic, *ratios)),
        ("linear regression, means and standard deviations", (linear, means[0], spreads[0])),
        ("logistic regressions on all and on a part", (logistic, part)),
    ][int(rng.integers(9))]


def _attack(rng: np.random.Generator, tables: dict[str, Table]) -> Iterator[dict[str, Any]]:
    """Every question of one draw of people, with what was found; none where nothing can be published."""
    case = DATA[int(rng.integers(len(DATA)))]
    # As often 8 to 16 people as 22 to 44: of few there is most to claim.
    n = round(PEOPLE[0] * (PEOPLE[1] / PEOPLE[0]) ** rng.random())
    digits = int(rng.integers(DIGITS[0], DIGITS[1] + 1))
    what, outputs = _published(case, rng, digits)
    names = [case.yes_or_no, case.amount, *case.predictors, *case.groups]
    if case.name not in tables:
        tables[case.name] = table_from_frame(case.load()[list(dict.fromkeys(names))].dropna())
    whole = tables[case.name]
    table = whole.take(rng.permutation(len(whole))[:n])
    try:
        printed = tuple(o.publish(o.evaluate(table), table.schema) for o in outputs)
    except DivulgeError:
        return  # no fit: separated, collinear, or no people in a part
    for question in questions_of(Submitted(outputs, printed, table, ())):
        yield {"what": what, "data": case.name, "people": n, "digits": digits, **_found(question, table)}


def _found(question: Question, table: Table) -> dict[str, Any]:
    few, n = question.few[0], len(question.rows)
    truth = few.coding[table[few.response][question.rows]]
    began = time.process_time()
    found = recover(question.says, few.values, n, seconds=SECONDS, clock=time.process_time)
    seconds = time.process_time() - began
    is_open = not found.determined.all()
    return {
        "claims": int(found.determined.sum()),
        "false": int((found.values[found.determined] != truth[found.determined]).sum()),
        "everybody": not is_open,
        "ambiguous": is_open and found.is_complete,
        "not found": is_open and not found.is_complete,
        # The true responses have the printed figures, so an attack that ended without any has left them out.
        "missed": found.is_complete and not found.n_solutions,
        "seconds": seconds,
    }


def run() -> list[dict[str, Any]]:
    rng, tables = np.random.default_rng(SEED), dict[str, Table]()
    found: list[dict[str, Any]] = []
    while len(found) < ATTACKS:
        found += _attack(rng, tables)
    return [_line([f for f in found if f["what"] == what]) for what in sorted({f["what"] for f in found})]


def _line(found: list[dict[str, Any]]) -> dict[str, Any]:
    people, digits = ([f[key] for f in found] for key in ("people", "digits"))
    return {
        "outputs": found[0]["what"],
        "attacks": len(found),
        "data sets": len({f["data"] for f in found}),
        "people": f"{min(people)} to {max(people)}",
        "digits": f"{min(digits)} to {max(digits)}",
        **{key: sum(f[key] for f in found) for key in ("everybody", "ambiguous", "not found", "missed")},
        "somebody": sum(f["claims"] > 0 for f in found),
        "claims": sum(f["claims"] for f in found),
        "false": sum(f["false"] for f in found),
        "longest, processor seconds": round(max(f["seconds"] for f in found), 2),
    }
