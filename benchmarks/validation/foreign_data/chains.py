"""Several outputs together: chains of filters, other kinds, weights for one; and what papers print together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from benchmarks.validation.foreign_data import attacks as by_hand
from benchmarks.validation.foreign_data import chain_attacks as chained
from benchmarks.validation.foreign_data.case import Foreign, model, of, table

SURVEY, WOMEN, ADULTS, RELEASED = "sd2011_train", "wild/020", "adults_control", "handed_in/rossi"
FERTILITY, TEST, AFFAIRS = "wild/053", "wild/021", "wild/022"


def _women(frame: pd.DataFrame) -> pd.DataFrame:
    """Married women, with numbers; the eighth is marked, counted twice, and made a group."""
    one = frame.index == 7
    made = {"at": range(len(frame)), "half": frame.index % 2, "one": one.astype(int), "twice": np.where(one, 2.0, 1.0)}
    numbers = {"inc": frame.inc.round(2), "lwg": frame.lwg.round(3), "rich": (frame.inc > 20).astype(int)}
    return frame.assign(**made, **numbers, ages=frame.age // 10 * 10, time=frame.age - 29)[lambda f: f.age < 60]


def _released(frame: pd.DataFrame) -> pd.DataFrame:
    """Prisoners, the last of whom has a number."""
    return frame.assign(at=range(len(frame)), twice=np.where(np.arange(len(frame)) == 3, 2.0, 1.0))


def _survey(frame: pd.DataFrame) -> pd.DataFrame:
    """People asked about incomes, which some did not tell; 0 and 1 for what they are."""
    known = {"YES": 1.0, "NO": 0.0}
    made = {
        "income": frame.income.where(frame.income >= 0),
        "widowed": (frame.marital == "WIDOWED").astype(int),
        "married": (frame.marital == "MARRIED").astype(int),
        "happy": frame.ls.isin(["PLEASED", "DELIGHTED"]).astype(int),
        "abroad": frame.workab.map(known),
    }
    return frame.assign(**made)


def _adults(frame: pd.DataFrame) -> pd.DataFrame:
    ages = frame.age // 10 * 10
    rich = frame.income.str.contains(">50K").astype(int)
    return frame.assign(ages=ages, rich=rich)[(frame.age >= 20) & (frame.age < 70)]


def _survival(**more: Any) -> dict[str, Any]:
    return {"kind": "survival", "time": "week", "event": "arrest", "compute": True, **more}


def _counted(*names: str, **more: Any) -> dict[str, Any]:
    return {"kind": "frequencies", "variables": list(names), "compute": True, **more}


def _pair(kind: str, *names: str, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "variables": list(names), "compute": True, **more}


_LESS, _LESS_PRISONER = "at != 7", "at != 5"
_PARTS = ("half = 0", "half = 1 and at != 7")
_FINE = [round(0.05 + 0.01 * k, 2) for k in range(91)]
_DECILES = [round(0.1 * k, 1) for k in range(1, 10)]
_YEARS = list(range(0, 34, 3))
_SHOWN = {"statistics": ["se", "n", "r2"]}
_SPREAD: dict[str, Any] = {"show": ["sd"]}


def _unsafe(name: str, data: str, outputs: tuple[dict[str, Any], ...], attack: by_hand.Attack) -> Foreign:
    prepare = {WOMEN: _women, RELEASED: _released, SURVEY: _survey}[data]
    return Foreign(name, data, outputs, attack, prepare=prepare)


def _safe(name: str, data: str, *outputs: dict[str, Any]) -> Foreign:
    prepare = {WOMEN: _women, RELEASED: _released, SURVEY: _survey, ADULTS: _adults}.get(data, lambda f: f)
    return Foreign(name, data, outputs, by_hand.nobody, prepare=prepare)


_UNSAFE = (
    _unsafe(
        "correlation of two rare things, and how many have each",
        SURVEY,
        (_pair("correlation", "widowed", "abroad", decimals=4), of("means", "widowed"), of("means", "abroad")),
        chained.joint_count("widowed", "abroad", lambda phi: round(phi, 4)),
    ),
    _unsafe(
        "χ² of two rare things, and how many have each",
        SURVEY,
        (_pair("chi-squared", "widowed", "abroad", decimals=3), _counted("widowed", "abroad")),
        chained.joint_count("widowed", "abroad", lambda phi: round(3648 * phi**2, 3)),
    ),
    _unsafe(
        "correlation with an indicator of one",
        WOMEN,
        (_pair("correlation", "inc", "one", decimals=6), of("means", "inc", decimals=4)),
        chained.indicator_of_one("inc", "one"),
    ),
    _unsafe(
        "errors by two clusters, one of them a person",
        WOMEN,
        (model("linear", "inc ~ age", 6, errors="cluster", cluster="one", statistics=["se", "n"]),),
        chained.error_of_two_clusters("inc", "age", "one"),
    ),
    _unsafe(
        "an instrument that one person has",
        WOMEN,
        (model("two-stage", "inc ~ lwg", 6, instruments="one"),),
        chained.fitted_exactly("inc", "lwg", "one"),
    ),
    _unsafe(
        "numbers at risk of all, and of two parts that lack one",
        WOMEN,
        tuple(
            _survival(time="time", event="rich", show=["at risk"], **more)
            for more in ({}, *({"where": part} for part in _PARTS))
        ),
        chained.at_risk_less_parts("time", "half", _LESS),
    ),
    _unsafe(
        "life table, and histogram of times of all but one",
        WOMEN,
        (
            _survival(time="time", event="rich", show=["events", "censored"], breaks=_YEARS),
            {"kind": "histogram", "variable": "time", "breaks": _YEARS, "where": _LESS, "compute": True},
        ),
        chained.interval_of_one("time", _YEARS, _LESS),
    ),
    _unsafe(
        "means of both halves, and ages of all but one",
        WOMEN,
        (of("means", "age", "half", decimals=4), _counted("age", where=_LESS)),
        chained.mean_less_counted("age", _LESS),
    ),
    _unsafe(
        "mean of all, and ages of two parts that lack one",
        WOMEN,
        (of("means", "age", decimals=4), *(_counted("age", where=part) for part in _PARTS)),
        chained.mean_less_counted("age", _LESS),
    ),
    _unsafe(
        "mean time of all, and events of all but one",
        WOMEN,
        (
            _survival(time="time", event="rich", show=["events", "censored"], where=_LESS),
            of("means", "time", decimals=4),
        ),
        chained.mean_less_counted("time", _LESS),
    ),
    _unsafe(
        "fine quantiles of all, and of all but one",
        WOMEN,
        tuple(of("position", "inc", quantiles=_FINE, decimals=2, **more) for more in ({}, {"where": _LESS})),
        chained.between_quantiles("inc", _FINE, 2, _LESS),
    ),
    _unsafe(
        "tree of all, and counts of all but one",
        WOMEN,
        (
            {
                "kind": "tree",
                "response": "rich",
                "variables": ["age"],
                "leaves": ["age < 40", "age >= 40"],
                "compute": True,
            },
            table("rich", where=_LESS),
        ),
        chained.counts_less_counts("rich", _LESS),
    ),
    _unsafe(
        "χ² with one counted twice",
        WOMEN,
        tuple(_pair("chi-squared", "ages", "rich", decimals=5, **more) for more in ({}, {"weights": "twice"})),
        chained.counted_twice("ages", "rich", "twice"),
    ),
    _unsafe(
        "curves with one counted twice",
        RELEASED,
        tuple(_survival(decimals=5, **more) for more in ({}, {"weights": "twice"})),
        chained.curve_counted_twice("week", "arrest", "twice"),
    ),
    _unsafe(
        "row percentages of all, and of two parts that lack one",
        WOMEN,
        tuple(
            table("ages", "rich", statistic="row percentages", decimals=4, **more)
            for more in ({}, *({"where": part} for part in _PARTS))
        ),
        chained.counts_less_counts("rich", _LESS),
    ),
)

_SAFE = (
    _safe(
        "table 1, a regression and both halves of it",
        SURVEY,
        of("means", "age", "sex", decimals=1),
        of("means", "income", "sex", decimals=0),
        model("linear", "income ~ age + C(sex)", 2, **_SHOWN),
        model("linear", "income ~ age", 2, where="sex = FEMALE", **_SHOWN),
        model("linear", "income ~ age", 2, where="sex = MALE", **_SHOWN),
    ),
    _safe(
        "one covariate more",
        SURVEY,
        model("linear", "income ~ age + C(sex)", 2, **_SHOWN),
        model("linear", "income ~ age + C(sex) + married", 2, **_SHOWN),
    ),
    _safe(
        "means by filters that differ by hundreds",
        SURVEY,
        *(of("means", "income", decimals=0, where=where) for where in ("age >= 16", "age >= 25", "age >= 40")),
    ),
    _safe(
        "percentages with their numbers",
        SURVEY,
        table("sex", "happy", statistic="row percentages", decimals=1),
        table("sex", "happy"),
    ),
    _safe("deciles of income", SURVEY, of("position", "income", quantiles=_DECILES, decimals=0)),
    _safe(
        "deciles of all, and of those under sixty",
        SURVEY,
        *(of("position", "income", quantiles=_DECILES, decimals=0, where=where) for where in ("age > 0", "age < 60")),
    ),
    _safe(
        "correlation of two common things",
        SURVEY,
        _pair("correlation", "married", "happy", decimals=4),
        _counted("married", "happy"),
    ),
    _safe(
        "means with weights and without",
        ADULTS,
        of("means", "rich", "sex", decimals=3),
        of("means", "rich", "sex", weights="fnlwgt", decimals=3),
    ),
    _safe(
        "table, means and model by age",
        ADULTS,
        table("ages", "sex"),
        of("means", "rich", "ages", decimals=3),
        model("logistic", "rich ~ C(ages) + C(sex)"),
    ),
    _safe(
        "curves of all, and with aid and without",
        RELEASED,
        *(_survival(times=[13, 26, 39, 52], decimals=3, **more) for more in ({}, {"by": ["fin"]})),
    ),
    _safe(
        "means, SD and t test",
        SURVEY,
        of("means", "depress", "sex", decimals=2),
        of("shape", "depress", "sex", decimals=2, **_SPREAD),
        {"kind": "t-test", "variable": "depress", "by": "sex", "decimals": 2, "compute": True},
    ),
    _safe("age at the first birth", FERTILITY, model("linear", "agefbrth ~ yearborn", 3, **_SHOWN)),
    _safe("two regressions of scores", TEST, *(model("linear", f"verbmath ~ {x}") for x in ("hsize", "hsize + white"))),
    _safe("how happy marriages are", AFFAIRS, of("means", "ratemarr", decimals=2), of("shape", "ratemarr", decimals=2)),
)

CHAINS = (*_UNSAFE, *_SAFE)
