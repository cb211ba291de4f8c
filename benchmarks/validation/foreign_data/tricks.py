"""Ways to get something out that look like other outputs: weights, many digits of few people; and safe ones alike."""

from __future__ import annotations

import pandas as pd

from benchmarks.validation.foreign_data import attacks as by_hand
from benchmarks.validation.foreign_data import trick_attacks as tricked
from benchmarks.validation.foreign_data.case import WAGES, Foreign, model, of, table

PANEL, SCHOOLS, TRIAL, WARPS = (f"handed_in/{name}" for name in ("wagepan", "apistrat", "trial", "warpbreaks"))
PREGNANT, VOTES, SMOKERS = "handed_in/infert", "wild/055", "handed_in/smoke"


def _men(frame: pd.DataFrame) -> pd.DataFrame:
    """The men of one year: the first forty of them with weights that are powers of two, the first with a huge one."""
    men = frame[frame.year == 1980].reset_index(drop=True)
    powers = [2.0**k if k < 40 else 0.0 for k in range(len(men))]
    huge = [1e6 if k == 0 else 1.0 for k in range(len(men))]
    return men.assign(power=powers, huge=huge, few=(men.index < 12).astype(int))


def _usual(frame: pd.DataFrame) -> pd.DataFrame:
    return _men(frame).assign(weight=lambda f: 1.0 + (f.nr % 9) * 1.37)


def _schools(frame: pd.DataFrame) -> pd.DataFrame:
    """Schools in two years, the gain between them and the sum of both; at: which school."""
    gain, both = frame.api00 - frame.api99, frame.api00 + frame.api99
    return frame.assign(gain=gain, both=both, at=range(len(frame)))


def _capped(frame: pd.DataFrame) -> pd.DataFrame:
    """Wages, cut off at the second highest; and as a share of, and less, what they are."""
    wage = frame.wage.round(2)
    capped = wage.clip(upper=sorted(wage)[-2])
    return frame.assign(wage=wage, capped=capped, ratio=capped / wage, above=(wage - capped).round(2))


def _patients(frame: pd.DataFrame) -> pd.DataFrame:
    """Patients of whom everything is known, the first fourteen marked."""
    known = frame.dropna().reset_index(drop=True)
    made = {"age": known.age.astype(int), "response": known.response.astype(int)}
    return known.assign(**made, first=(known.index < 14).astype(int))


def _births(frame: pd.DataFrame) -> pd.DataFrame:
    """Every tenth woman of the first 120 marked."""
    return frame.assign(few=((frame.index < 120) & (frame.index % 10 == 3)).astype(int))


def _moments(value: str, decimals: int, *show: str, **more: object) -> tuple[dict[str, object], dict[str, object]]:
    return (
        of("means", value, decimals=decimals, **more),
        of("shape", value, show=list(show), decimals=decimals, **more),
    )


_LESS_ONE = of("means", "both", decimals=4, where="at > 0")

TRICKS = (
    Foreign(
        "total by powers of two",
        PANEL,
        (of("totals", "union", weights="power", decimals=0, where="power > 0"),),
        tricked.binary_digits("union", "power"),
        prepare=_men,
    ),
    Foreign(
        "regression that one weight makes",
        PANEL,
        (model("linear", "hours ~ educ", 4, weights="huge"),),
        tricked.weighted_to_one("hours", "educ", "huge"),
        prepare=_men,
    ),
    Foreign(
        "mean, and mean of all but one by true conditions",
        PANEL,
        (
            of("means", "hours", decimals=3),
            of("means", "hours", decimals=3, where="not (nr = 17) and exper >= 0 and educ >= 0 and black >= 0"),
        ),
        by_hand.difference_of_means("hours", "nr != 17"),
        prepare=_men,
    ),
    Foreign(
        "totals of all and of two parts that leave one out",
        PANEL,
        (
            of("totals", "hours"),
            of("totals", "hours", where="black = 1"),
            of("totals", "hours", where="black = 0 and nr != 17"),
        ),
        by_hand.difference_of_means("hours", "nr != 17"),
        prepare=_men,
    ),
    Foreign(
        "probit of fourteen at many digits",
        TRIAL,
        (model("probit", "response ~ marker", 8, where="first = 1"),),
        tricked.probit_tried("response", "marker", "first == 1", 8),
        prepare=_patients,
    ),
    Foreign(
        "four moments of twelve",
        PREGNANT,
        _moments("parity", 8, "sd", "skewness", "kurtosis", where="few = 1"),
        tricked.moments_tried("parity", "few == 1", 8),
        prepare=_births,
    ),
    Foreign(
        "age bands that differ by a year",
        TRIAL,
        tuple(
            {"kind": "histogram", "variable": "age", "breaks": [0, border, 50, 65, 90], "compute": True}
            for border in (30, 31)
        ),
        tricked.told_apart("age", 30, 31),
        prepare=lambda f: pd.concat([_patients(f)[lambda g: g.age != 30], _patients(f)[lambda g: g.age == 30].head(1)]),
    ),
    Foreign(
        "expenses that one makes",
        VOTES,
        (of("totals", "expendA", "democA"),),
        by_hand.dominated("expendA", "democA"),
        prepare=lambda f: f.assign(expendA=f.expendA.where(f.index != 5, 900_000.0)),
    ),
    Foreign(
        "weighted means by marriage",
        PANEL,
        (of("means", "hours", "married", weights="weight", decimals=1),),
        by_hand.nobody,
        prepare=_usual,
    ),
    Foreign(
        "weighted regression",
        PANEL,
        (model("linear", "lwage ~ educ + married", 3, weights="weight"),),
        by_hand.nobody,
        prepare=_usual,
    ),
    Foreign(
        "spread and skewness of schools",
        SCHOOLS,
        (of("shape", "api00", "stype", show=["sd", "skewness", "kurtosis"], decimals=2),),
        by_hand.nobody,
        prepare=lambda f: f[["stype", "api00"]],
    ),
    Foreign(
        "spread and skewness of warps",
        WARPS,
        _moments("breaks", 1, "sd", "skewness", by=["tension"]),
        by_hand.nobody,
    ),
    Foreign(
        "mean and SD of twelve of hundreds",
        PANEL,
        _moments("hours", 0, "sd", where="few = 1"),
        by_hand.nobody,
        prepare=_men,
    ),
    Foreign(
        "probit at usual digits", TRIAL, (model("probit", "response ~ age", 3),), by_hand.nobody, prepare=_patients
    ),
    Foreign("union by marriage", PANEL, (table("union", "married"),), by_hand.nobody, prepare=_men),
    Foreign(
        "mean, and mean with a top code for one",
        WAGES,
        (of("means", "wage", decimals=4), of("means", "capped", decimals=4)),
        by_hand.difference_of_copies("wage", "capped"),
        prepare=lambda f: f.assign(
            wage=f.wage.round(2), capped=f.wage.round(2).clip(upper=sorted(f.wage.round(2))[-2])
        ),
    ),
    Foreign(
        "mean, and mean in other units of all but one",
        WAGES,
        (of("means", "wage", decimals=4), of("means", "euro", decimals=4)),
        by_hand.difference_of_copies("wage", "euro", 0.92),
        prepare=lambda f: f.assign(wage=f.wage.round(2), euro=(0.92 * f.wage.round(2)).round(6).where(f.index != 7)),
    ),
    Foreign(
        "mode of values that all differ",
        PANEL,
        (of("mode", "lwage"),),
        by_hand.least_as_mode("lwage"),
        prepare=lambda f: _men(f).drop_duplicates("lwage"),
    ),
    Foreign(
        "mean, and mean in other units",
        WAGES,
        (of("means", "wage", decimals=2), of("means", "euro", decimals=2)),
        by_hand.nobody,
        prepare=lambda f: f.assign(wage=f.wage.round(2), euro=(0.92 * f.wage.round(2)).round(2)),
    ),
    Foreign(
        "mean, and mean with a top code for many",
        WAGES,
        (of("means", "wage", decimals=2), of("means", "capped", decimals=2)),
        by_hand.nobody,
        prepare=lambda f: f.assign(wage=f.wage.round(2), capped=f.wage.round(2).clip(upper=12)),
    ),
    Foreign(
        "means of two years, and of their sum for all but one",
        SCHOOLS,
        (of("means", "api99", decimals=4), of("means", "api00", decimals=4), _LESS_ONE),
        by_hand.difference_of_sums("both", "at > 0", api99=1, api00=1),
        prepare=_schools,
    ),
    Foreign(
        "totals of two years, and of the gain for all but one",
        SCHOOLS,
        (of("totals", "api99"), of("totals", "api00"), of("totals", "gain", where="at > 0")),
        by_hand.difference_of_sums("gain", "at > 0", api99=-1, api00=1),
        prepare=_schools,
    ),
    Foreign(
        "mean of a share that is 1 but for one",
        WAGES,
        (of("means", "wage", decimals=4), of("means", "ratio", decimals=6)),
        by_hand.rest_of_alike("wage", "capped", "ratio"),
        prepare=_capped,
    ),
    Foreign(
        "total of what one has above a top code",
        WAGES,
        (of("totals", "above", decimals=2),),
        lambda frame: int((frame.above != 0).sum() == 1),
        prepare=_capped,
    ),
    Foreign(
        "means of two years, and of their sum for all but fifty",
        SCHOOLS,
        (of("means", "api99"), of("means", "api00"), of("means", "both", where="at >= 50")),
        by_hand.nobody,
        prepare=_schools,
    ),
    Foreign(
        "totals of two years, and of the gain for all but fifty",
        SCHOOLS,
        (of("totals", "api99"), of("totals", "api00"), of("totals", "gain", where="at >= 50")),
        by_hand.nobody,
        prepare=_schools,
    ),
    Foreign("Poisson of cigarettes", SMOKERS, (model("poisson", "cigs ~ restaurn", 3),), by_hand.nobody),
)
