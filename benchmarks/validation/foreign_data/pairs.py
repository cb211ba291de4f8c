"""Models of many kinds, pictures, and outputs that are unsafe only beside another one; safe ones of the same kinds."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.validation.foreign_data import attacks as by_hand
from benchmarks.validation.foreign_data import trick_attacks as tricked
from benchmarks.validation.foreign_data.attacks import Frame
from benchmarks.validation.foreign_data.case import Foreign, few, model, of, some, table

LUNG, SCHOOLS, BABIES, QUINE = "handed_in/lung", "handed_in/mathachieve", "handed_in/birthwt", "handed_in/quine"
SD, WAGE, CARS, ADULT = "handed_in/sd2011", "handed_in/wage1", "handed_in/auto", "handed_in/adult_20000"
RELEASED = "handed_in/rossi"


def _sites(frame: Frame) -> Frame:
    """Three large hospitals, and one patient of another."""
    known = frame.dropna(subset=["inst", "age"])
    sites = known.inst.value_counts().index
    kept = pd.concat([known[known.inst == sites[-1]].head(1), known[known.inst.isin(sites[:3])]])
    made = {"site": kept.inst.astype(int).map("s{}".format), "dead": (kept.status == 2).astype(int)}
    return kept.assign(**made)[["time", "dead", "age", "sex", "site"]].reset_index(drop=True)


def _pupils(frame: Frame) -> Frame:
    """Forty pupils of each of three schools, one of whom a variable marks."""
    schools = frame.School.value_counts().index[:3]
    kept = pd.concat([frame[frame.School == s].head(40) for s in schools]).reset_index(drop=True)
    return kept.assign(School=kept.School.astype(str), marked=(kept.index == 0).astype(int))


def _one_old(frame: Frame) -> Frame:
    """One person over ninety and two hundred others, married or not."""
    known = frame.dropna(subset=["income", "marital", "sex"])
    kept = pd.concat([known[(known.age > 90) & (known.income > 500)].head(1), known[known.age <= 90].head(200)])
    return kept.assign(married=kept.marital.eq("MARRIED").map({True: "yes", False: "no"})).reset_index(drop=True)


def _early(frame: Frame) -> Frame:
    """Babies of mothers with an earlier premature birth or without: few of each group with high blood pressure."""
    return frame.assign(race=frame.race.map({1: "white", 2: "black", 3: "other"}))


def _two_marked(frame: Frame) -> Frame:
    kept = frame.dropna(subset=["income"]).query("income > 500").head(150).reset_index(drop=True)
    return kept.assign(number=np.arange(len(kept)))


_CHI = {"kind": "chi-squared", "variables": ["married", "sex"], "decimals": 4, "compute": True}
_HIST = {"kind": "histogram", "variable": "wage", "compute": True}
_MARKED = by_hand.of_few("MathAch", "marked", most=1)

PAIRS = (
    Foreign(
        "Cox, a dummy for one",
        LUNG,
        (model("cox", "time ~ age + C(site)", event="dead"),),
        by_hand.of_few("time", "site", most=1),
        prepare=_sites,
    ),
    Foreign(
        "Weibull, a dummy for one",
        LUNG,
        (model("weibull", "time ~ age + C(site)", event="dead"),),
        by_hand.of_few("time", "site", most=1),
        prepare=_sites,
    ),
    Foreign("Cox of hundreds", RELEASED, (model("cox", "week ~ fin + age", event="arrest"),), by_hand.nobody),
    Foreign(
        "fixed effects, a dummy for one",
        SCHOOLS,
        (model("fixed-effects", "MathAch ~ SES + marked", absorb="School"),),
        _MARKED,
        prepare=_pupils,
    ),
    Foreign(
        "random intercept, a dummy for one",
        SCHOOLS,
        (model("random-intercept", "MathAch ~ SES + C(marked)", group="School"),),
        _MARKED,
        prepare=_pupils,
    ),
    Foreign(
        "median regression, a group of three",
        SD,
        (model("quantile-regression", "income ~ C(marital)", 2),),
        by_hand.of_few("income", "marital", most=3),
        prepare=few(3, "marital", "LEGALLY SEPARATED", "income", n=600),
    ),
    Foreign(
        "multinomial, a dummy for one",
        BABIES,
        (model("multinomial", "race ~ C(ptl)"),),
        by_hand.of_few("race", "ptl", most=1),
        prepare=lambda f: few(1, "ptl", 3, "race", n=180)(_early(f)),
    ),
    Foreign(
        "tree with a leaf of one",
        BABIES,
        (
            {
                "kind": "tree",
                "response": "low",
                "variables": ["ptl", "smoke"],
                "leaves": ["ptl = 3", "ptl < 3 and smoke = 1", "ptl < 3 and smoke = 0"],
                "compute": True,
            },
        ),
        by_hand.of_few("low", "ptl", most=1),
        prepare=few(1, "ptl", 3, "low", n=180),
    ),
    Foreign(
        "box plots of five",
        SD,
        (of("box-plot", "income", "marital"),),
        by_hand.of_few("income", "marital", most=5),
        prepare=few(5, "marital", "LEGALLY SEPARATED", "income", n=600),
    ),
    Foreign(
        "histograms with borders that differ",
        WAGE,
        ({**_HIST, "breaks": [0, 5, 12.35, 25]}, {**_HIST, "breaks": [0, 5, 12.45, 25]}),
        tricked.told_apart("wage", 12.35, 12.45),
    ),
    Foreign("histogram of hundreds", WAGE, ({**_HIST, "breaks": [0, 4, 6, 10, 25]},), by_hand.nobody),
    Foreign(
        "table of all, χ² with one left out",
        SD,
        (table("married", "sex"), {**_CHI, "where": "age <= 90"}),
        by_hand.counted_with_one_more("married", "sex", "age <= 90"),
        prepare=_one_old,
    ),
    Foreign(
        "table and χ² of the same",
        ADULT,
        (table("sex", "income"), {**_CHI, "variables": ["sex", "income"]}),
        by_hand.nobody,
    ),
    Foreign(
        "withheld cells beside a logit",
        BABIES,
        (table("race", "ht", threshold=10), model("logistic", "ht ~ C(race)", 4)),
        by_hand.shares_beside_withheld("race", "ht", 10),
        prepare=_early,
    ),
    Foreign("mean of a tenth power", WAGE, (model("linear", "I(wage ** 10) ~ 1", 0),), tricked.power_mean("wage", 10)),
    Foreign("logarithms", WAGE, (model("linear", "log(wage) ~ educ + exper"),), by_hand.nobody),
    Foreign(
        "gamma regression that one dominates",
        CARS,
        (model("gamma", "price ~ 1", 5),),
        tricked.mean_that_one_makes("price"),
        prepare=lambda f: f.assign(price=f.price.where(f.index != 3, 9_000_000))[["price", "mpg"]],
    ),
    Foreign(
        "means that leave out another person each",
        SD,
        tuple(of("means", "income", decimals=2, where=f"number != {k}") for k in (3, 8)),
        tricked.difference_of_two("income", "number != 3", "number != 8"),
        prepare=_two_marked,
    ),
    Foreign(
        "random intercept",
        SCHOOLS,
        (model("random-intercept", "MathAch ~ SES", group="School"),),
        by_hand.nobody,
        prepare=lambda f: f[f.School.isin(f.School.value_counts().index[:20])].assign(
            School=lambda g: g.School.astype(str)
        ),
    ),
    Foreign(
        "marginal effects", BABIES, (model("marginal-effects", "low ~ age + smoke", model="logistic"),), by_hand.nobody
    ),
    Foreign("negative binomial", QUINE, (model("negative-binomial", "Days ~ C(Sex) + C(Eth)"),), by_hand.nobody),
    Foreign(
        "Welch's test",
        SD,
        ({"kind": "t-test", "variable": "age", "by": "sex", "equal": False, "decimals": 3, "compute": True},),
        by_hand.nobody,
        prepare=some(1500),
    ),
)
