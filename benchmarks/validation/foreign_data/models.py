"""Regressions, correlations, tests, ratios and survival."""

from __future__ import annotations

import pandas as pd

from benchmarks.validation.foreign_data import attacks as by_hand
from benchmarks.validation.foreign_data.case import (
    ADULT,
    BIRTHS,
    CRIME,
    PRISONERS,
    ROSSI,
    SD,
    TEST,
    TRANSPLANTS,
    WAGES,
    Foreign,
    few,
    model,
    some,
)

MODELS = (
    Foreign(
        "linear, two predictors", TEST, (model("linear", "age ~ sex + urbrur"),), by_hand.nobody, prepare=some(2000)
    ),
    Foreign(
        "linear",
        BIRTHS,
        (model("linear", "bwght ~ male + white + C(parity)", 2),),
        by_hand.nobody,
        prepare=lambda f: f[f.parity <= 3],
    ),
    Foreign(
        "logistic", ADULT, (model("logistic", "income ~ age + sex"),), by_hand.nobody, prepare=some(3000, "income")
    ),
    Foreign("log wages", WAGES, (model("linear", "log(wage) ~ numdep + west + construc"),), by_hand.nobody),
    Foreign("logistic, everybody", ADULT, (model("logistic", "income ~ age + sex + education_num"),), by_hand.nobody),
    Foreign("logistic", BIRTHS, (model("logistic", "white ~ bwght + male", 3),), by_hand.nobody),
    Foreign("Poisson", CRIME, (model("poisson", "nparr86 ~ black + hispan + born60"),), by_hand.nobody),
    Foreign(
        "saturated with one alone",
        SD,
        (model("linear", "income ~ C(marital)*C(sex)", 2),),
        by_hand.of_few("income", "marital", "sex", most=1),
        prepare=few(1, "marital", "LEGALLY SEPARATED", "income"),
    ),
    Foreign(
        "interaction that isolates one",
        ROSSI,
        (model("linear", "mar ~ C(race)*C(wexp)"),),
        by_hand.of_few("mar", "race", "wexp", most=1),
        prepare=lambda f: pd.concat([f[(f.race == 0) & (f.wexp == 0)].head(1), f[(f.race != 0) | (f.wexp != 0)]]),
    ),
    Foreign(
        "interaction that isolates four",
        SD,
        (model("linear", "income ~ C(marital)*C(sex)", 2),),
        by_hand.nobody,
        prepare=lambda f: pd.concat(
            [
                f[(f.marital == "DIVORCED") & (f.sex == "MALE")].dropna().head(4),
                f[f.marital.isin(["MARRIED", "SINGLE"])].dropna(subset=["income"]).sample(1500, random_state=1),
                f[(f.marital == "DIVORCED") & (f.sex == "FEMALE")].dropna(subset=["income"]),
            ]
        ),
        truth="between",
    ),
    Foreign(
        "a dummy for one",
        SD,
        (model("linear", "income ~ age + C(marital)", 2),),
        by_hand.of_few("income", "marital", most=1),
        prepare=few(1, "marital", "LEGALLY SEPARATED", "income", "age"),
    ),
    Foreign(
        "nearly as many parameters as rows",
        CRIME,
        (model("linear", "nparr86 ~ qemp86 + black + hispan + born60 + pcnvsq + inc86sq", 5),),
        by_hand.few_degrees(7),
        prepare=some(12),
    ),
    Foreign(
        "two regressions with one left out",
        SD,
        (
            model("linear", "income ~ age + depress", 4),
            model("linear", "income ~ age + depress", 4, where="age <= 90"),
        ),
        by_hand.difference_of_regressions("income", ["age", "depress"], "age <= 90"),
        prepare=lambda f: pd.concat(
            [
                f[(f.age > 90) & (f.income > 500)].dropna().head(1),
                f[(f.age <= 90) & (f.income > 0)].dropna().sample(600, random_state=1),
            ]
        ).reset_index(drop=True),
    ),
    Foreign(
        "correlation of three",
        SD,
        (
            {
                "kind": "correlation",
                "variables": ["income", "age"],
                "where": "marital = LEGALLY SEPARATED",
                "decimals": 4,
                "compute": True,
            },
        ),
        by_hand.correlation_of_three("age", "income", "marital == 'LEGALLY SEPARATED'"),
        prepare=few(3, "marital", "LEGALLY SEPARATED", "income"),
    ),
    Foreign(
        "correlation of thousands",
        CRIME,
        ({"kind": "correlation", "variables": ["qemp86", "pcnvsq"], "decimals": 2, "compute": True},),
        by_hand.nobody,
    ),
    Foreign(
        "χ² of thousands",
        TEST,
        ({"kind": "chi-squared", "variables": ["sex", "electcon"], "decimals": 2, "compute": True},),
        by_hand.nobody,
        prepare=some(3000),
    ),
    Foreign(
        "χ² of hundreds",
        PRISONERS,
        ({"kind": "chi-squared", "variables": ["fin", "arrest"], "decimals": 2, "compute": True},),
        by_hand.nobody,
    ),
    Foreign(
        "χ² with one alone",
        TEST,
        ({"kind": "chi-squared", "variables": ["sex", "relat"], "decimals": 4, "compute": True},),
        by_hand.alone("sex", "relat"),
        prepare=lambda f: pd.concat([f[f.relat == 8], f[f.relat.isin([1, 3])].sample(1200, random_state=1)]),
    ),
    Foreign(
        "odds ratio of hundreds",
        ADULT,
        ({"kind": "ratios", "outcome": "income", "exposure": "sex", "decimals": 2, "compute": True},),
        by_hand.nobody,
        prepare=some(3000, "income"),
    ),
    Foreign(
        "survival of thousands",
        ADULT,
        (
            {
                "kind": "survival",
                "time": "hours_per_week",
                "event": "income",
                "times": [20, 40, 50],
                "decimals": 3,
                "compute": True,
            },
        ),
        by_hand.nobody,
        prepare=some(3000, "income"),
    ),
    Foreign(
        "survival of hundreds",
        TRANSPLANTS,
        (
            {
                "kind": "survival",
                "time": "time",
                "event": "death",
                "times": [500, 1000, 2000],
                "decimals": 3,
                "compute": True,
            },
        ),
        by_hand.nobody,
    ),
    Foreign(
        "survival of two",
        SD,
        ({"kind": "survival", "time": "age", "event": "sex", "by": ["marital"], "compute": True, "empty": "allow"},),
        by_hand.single_deaths("marital"),
        prepare=few(2, "marital", "LEGALLY SEPARATED", n=800),
    ),
)
