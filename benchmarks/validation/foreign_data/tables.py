"""Counts: full tables, percentages, withheld and rounded cells, weights, missing values."""

from __future__ import annotations

import pandas as pd

from benchmarks.validation.foreign_data import attacks as by_hand
from benchmarks.validation.foreign_data.case import (
    ADULT,
    CENSUS,
    CPS,
    HAPPY,
    ROSSI,
    SD,
    TEST,
    TITANIC,
    Foreign,
    few,
    some,
    table,
)


def _tables(data: str, safe: tuple[str, ...], unsafe: tuple[str, ...]) -> tuple[Foreign, Foreign]:
    """Two full tables, one with hundreds in each cell and one with people alone."""
    return (
        Foreign(" × ".join(safe), data, (table(*safe),), by_hand.nobody),
        Foreign(" × ".join(unsafe), data, (table(*unsafe),), by_hand.alone(*unsafe)),
    )


TABLES = (
    *_tables("nursery", ("parents", "finance"), ("parents", "recommend")),
    *_tables("nursery", ("form", "children"), ("recommend", "children", "form")),
    *_tables(SD, ("sex", "placesize"), ("region", "marital", "workab")),
    *_tables(ADULT, ("sex", "income"), ("native_country", "income")),
    *_tables(ADULT, ("race", "income"), ("workclass", "race", "sex")),
    *_tables(TEST, ("urbrur", "sex"), ("age", "hhcivil")),
    *_tables(CENSUS, ("Region", "Sex"), ("Region", "Ethnic_Group", "Religion", "Health")),
    *_tables(CPS, ("sex", "income"), ("education", "citizenship", "class_of_worker")),
    Foreign("race × wexp", ROSSI, (table("race", "wexp"),), by_hand.nobody),
    Foreign(
        "one alone in a cell, none in a class", ROSSI, (table("race", "wexp", "mar"),), by_hand.nobody, truth="between"
    ),
    *_tables(HAPPY, ("vhappy", "y98"), ("income", "educ", "vhappy")),
    Foreign(
        "one more key than the table has",
        "nursery",
        (table("parents", "recommend"),),
        by_hand.alone("parents", "recommend"),
        {"keys": ["recommend", "health", "social"], "target": "parents"},
    ),
    Foreign(
        "percentages, rows of hundreds",
        ADULT,
        (table("sex", "income", statistic="row percentages", decimals=1),),
        by_hand.nobody,
        prepare=some(4000),
    ),
    Foreign(
        "percentages that give n away",
        SD,
        (table("marital", "workab", statistic="row percentages", decimals=1),),
        by_hand.alone("marital", "workab"),
        prepare=few(2, "marital", "LEGALLY SEPARATED", "workab"),
    ),
    Foreign(
        "withheld cells that the margins give",
        ROSSI,
        (table("race", "mar", threshold=10, margins=True),),
        by_hand.taken_away("race", "mar", withheld=10),
    ),
    Foreign(
        "withheld cells with company",
        SD,
        (
            table(
                "ls",
                "sex",
                margins=True,
                suppressed=[f"ls={ls} & sex={sex}" for ls in ("TERRIBLE", "UNHAPPY") for sex in ("MALE", "FEMALE")],
            ),
        ),
        by_hand.nobody,
        prepare=lambda frame: frame.dropna(subset=["ls"]),
    ),
    Foreign("table rounded to ten", TITANIC, (table("class", "age", base=10),), by_hand.nobody),
    Foreign(
        "weights of people alone",
        TEST,
        (table("relat", "sex", weights="sampling_weight"),),
        by_hand.alone("relat", "sex"),
        prepare=few(1, "relat", 8),
    ),
    Foreign(
        "weights of many",
        TEST,
        (table("urbrur", "sex", weights="sampling_weight"),),
        by_hand.nobody,
        prepare=some(3000),
    ),
    Foreign(
        "missing values as a category",
        SD,
        (table("marital", "workab", missing="include"),),
        by_hand.alone("marital", "workab", missing=True),
        prepare=lambda f: pd.concat([f[f.marital.isna() & (f.workab == "NO")].head(2), f[f.marital.notna()]]),
    ),
    Foreign("missing values of many", SD, (table("sex", "workab", missing="include"),), by_hand.nobody),
    Foreign(
        "everybody of a group alike, and rare",
        ADULT,
        (table("native_country", "race"),),
        by_hand.all_alike("native_country", "race"),
        prepare=lambda frame: frame[
            frame.native_country.eq("United-States") & frame.race.isin(["White", "Asian-Pac-Islander"])
            | frame.native_country.eq("Laos") & frame.race.eq("Asian-Pac-Islander")
        ],
    ),
    Foreign(
        "frequencies of sexes", TEST, ({"kind": "frequencies", "variables": ["sex"], "compute": True},), by_hand.nobody
    ),
    Foreign(
        "frequencies of exact incomes",
        SD,
        ({"kind": "frequencies", "variables": ["income"], "compute": True},),
        by_hand.largest_of_few("income"),
        prepare=some(1500, "income"),
    ),
)
