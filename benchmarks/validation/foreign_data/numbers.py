"""Means, totals, quantiles, extremes, spread and concentration."""

from __future__ import annotations

import pandas as pd

from benchmarks.validation.foreign_data import attacks as by_hand
from benchmarks.validation.foreign_data.case import ADULT, BIRTHS, HAPPY, SD, TEST, Foreign, few, of, some

NUMBERS = (
    Foreign("mean by sex", SD, (of("means", "age", "sex", decimals=1),), by_hand.nobody, prepare=some(2000)),
    Foreign(
        "four means of everybody",
        ADULT,
        tuple(of("means", v, by, decimals=1) for v in ("age", "hours_per_week") for by in ("sex", "income")),
        by_hand.nobody,
    ),
    Foreign(
        "mean of one",
        ADULT,
        (of("means", "hours_per_week", "native_country", decimals=1),),
        by_hand.of_few("hours_per_week", "native_country"),
        prepare=few(1, "native_country", "Holand-Netherlands"),
    ),
    Foreign(
        "mean of two",
        SD,
        (of("means", "income", "marital", decimals=2),),
        by_hand.of_few("income", "marital"),
        prepare=few(2, "marital", "LEGALLY SEPARATED", "income"),
    ),
    Foreign("totals of hundreds", TEST, (of("totals", "age", "urbrur"),), by_hand.nobody, prepare=some(2000)),
    Foreign(
        "total of a group that one dominates",
        ADULT,
        (of("totals", "capital_gain", "workclass"),),
        by_hand.dominated("capital_gain", "workclass"),
        prepare=lambda f: pd.concat(
            [
                f[(f.workclass == "Without-pay")].assign(capital_gain=0),
                f[(f.workclass == "State-gov") & (f.capital_gain == 99999)].head(1).assign(workclass="Without-pay"),
                f[f.workclass.isin(["Private", "State-gov"])].sample(1500, random_state=1),
            ]
        ),
    ),
    Foreign(
        "mean and SD of two",
        SD,
        (of("means", "income", "marital"), of("shape", "income", "marital")),
        by_hand.mean_and_sd("income", "marital"),
        prepare=few(2, "marital", "LEGALLY SEPARATED", "income"),
    ),
    Foreign(
        "mean and SD of hundreds",
        SD,
        (of("means", "age", "sex", decimals=1), of("shape", "age", "sex", decimals=1)),
        by_hand.nobody,
        prepare=some(2000),
    ),
    Foreign(
        "median of three",
        SD,
        (of("position", "income", "marital"),),
        by_hand.of_few("income", "marital", most=3),
        prepare=few(3, "marital", "LEGALLY SEPARATED", "income"),
    ),
    Foreign("median of hundreds", SD, (of("position", "age", "sex", decimals=0),), by_hand.nobody, prepare=some(2000)),
    Foreign(
        "95 % quantile of fifteen",
        SD,
        (of("position", "income", "marital", quantiles=[0.95]),),
        by_hand.edge("income", "marital", 0.95),
        prepare=few(15, "marital", "DE FACTO SEPARATED", "income"),
    ),
    Foreign(
        "quartiles of hundreds",
        HAPPY,
        (of("position", "prestige", "vhappy", quantiles=[0.25, 0.75], decimals=0),),
        by_hand.nobody,
        prepare=some(3000),
    ),
    Foreign(
        "quantile 1.0",
        SD,
        (of("position", "income", quantiles=[1.0]),),
        by_hand.largest_of_few("income"),
        prepare=some(1500, "income"),
    ),
    Foreign("maximum of one", BIRTHS, (of("extremes", "bwght"),), by_hand.largest_of_few("bwght")),
    Foreign("extremes of many", ADULT, (of("extremes", "education_num"),), by_hand.largest_of_few("education_num")),
    Foreign(
        "mode of two",
        SD,
        (of("mode", "income", "marital"),),
        by_hand.of_few("income", "marital"),
        prepare=few(2, "marital", "LEGALLY SEPARATED", "income"),
    ),
    Foreign("mode of hundreds", TEST, (of("mode", "hhcivil", "sex"),), by_hand.nobody, prepare=some(2000)),
    Foreign(
        "Herfindahl and total",
        ADULT,
        (of("herfindahl", "capital_gain", "workclass", decimals=4), of("totals", "capital_gain", "workclass")),
        by_hand.concentrated("capital_gain", "workclass"),
        prepare=lambda f: (
            f[f.workclass.isin(["Private", "Federal-gov"]) & (f.capital_gain > 0)]
            .groupby("workclass")
            .sample(60, random_state=1)
            .assign(capital_gain=lambda g: g.capital_gain.where(g.index != g.index[0], 9_999_999))
        ),
    ),
    Foreign("Gini of hundreds", SD, (of("gini", "age", "sex", decimals=2),), by_hand.nobody, prepare=some(2000)),
    Foreign(
        "means with one left out",
        SD,
        (of("means", "income", decimals=2), of("means", "income", decimals=2, where="age <= 90")),
        by_hand.difference_of_means("income", "age <= 90"),
        prepare=lambda f: pd.concat(
            [f[(f.age > 90) & (f.income > 500)].head(1), f[(f.age <= 90) & (f.income > 0)].sample(400, random_state=1)]
        ).reset_index(drop=True),
    ),
    Foreign(
        "means of men and of all",
        SD,
        (of("means", "age", decimals=1), of("means", "age", decimals=1, where="sex = MALE")),
        by_hand.nobody,
        prepare=some(2000),
    ),
)
