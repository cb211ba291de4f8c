"""The map of risk and utility: columns that were drawn each for itself are no useful file."""

from __future__ import annotations

import numpy as np
import pandas as pd

from divulge.measures import measure
from divulge.record import to_plain
from divulge.reports.measured import measured_document


def _drawn(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)  # any seed: the second column follows the first
    age = rng.integers(0, 6, 500)
    return pd.DataFrame({"age": age, "ill": np.where(rng.random(500) < age / 6, "yes", "no")})


def test_file_with_columns_drawn_each_for_itself_is_less_useful_than_people_like_these() -> None:
    people, held, like = (_drawn(seed) for seed in (1, 2, 3))
    rng = np.random.default_rng(4)
    apart = people.assign(ill=rng.permutation(people.ill))
    found = measure(people, [like, apart], ["age"], "ill", holdout=held, measures=["utility", "inference"])
    figures = to_plain({part: getattr(found, part) for part in ("measures", "holdout", "difference")})
    files = measured_document(["like", "apart"], figures, {})["files"]
    assert files[0]["utility"] > files[1]["utility"] + 0.1
    # Means and shares see nothing of it: those of the second file are the people's own.
    assert found.measures["CIO"][1].value == 1.0
