"""The same four statistics of groups of one, two and three people, and largest values, on many data sets."""

from __future__ import annotations

from typing import Any

from benchmarks.validation.foreign_data import attacks as by_hand
from benchmarks.validation.foreign_data.case import (
    BIRTHS,
    CPS,
    CRIME,
    HAPPY,
    TEST,
    TRANSPLANTS,
    WAGES,
    Foreign,
    few,
    of,
    some,
)


def _small_groups(data: str, by: str, level: Any, value: str, n: int) -> tuple[Foreign, ...]:
    """Statistics of `value` by `by`; of those with the level only one, two or three are kept, of the others n."""
    of_two = (of("means", value, by, decimals=2), of("shape", value, by, decimals=2))
    return (
        Foreign(
            f"mean {value} of one",
            data,
            (of("means", value, by, decimals=2),),
            by_hand.of_few(value, by),
            prepare=few(1, by, level, value, n=n),
        ),
        Foreign(
            f"mean and SD of {value} of two",
            data,
            of_two,
            by_hand.mean_and_sd(value, by),
            prepare=few(2, by, level, value, n=n),
        ),
        Foreign(
            f"median {value} of three",
            data,
            (of("position", value, by),),
            by_hand.of_few(value, by, most=3),
            prepare=few(3, by, level, value, n=n),
        ),
        Foreign(
            f"largest {value} of groups",
            data,
            (of("extremes", value, by),),
            by_hand.of_few(value, by, most=3),
            prepare=few(3, by, level, value, n=n),
        ),
    )


SMALL_GROUPS = (
    *_small_groups(HAPPY, "educ", 1.0, "prestige", 1500),
    *_small_groups(WAGES, "numdep", 5, "wage", 500),
    *_small_groups(CRIME, "nparr86", 5, "qemp86", 1500),
    *_small_groups(BIRTHS, "parity", 6, "bwght", 1300),
    *_small_groups(TEST, "relat", 9, "age", 1500),
    *_small_groups(CPS, "class_of_worker", "Without pay", "age", 1500),
    Foreign("largest wage", WAGES, (of("position", "wage", quantiles=[1.0]),), by_hand.largest_of_few("wage")),
    Foreign("longest time", TRANSPLANTS, (of("extremes", "time"),), by_hand.largest_of_few("time")),
    Foreign(
        "largest income",
        TEST,
        (of("extremes", "income"),),
        by_hand.largest_of_few("income"),
        prepare=some(1500, "income"),
    ),
)
