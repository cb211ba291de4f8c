"""Coarser variables, on variables that can be checked by eye."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.errors import DivulgeError
from divulge.table import Variable
from divulge.table.coarsening import Coarsening

GROUP = Variable("GROUP", "categorical", np.array([1, 2, 3, 4]), {1: "White", 3: "Chinese", 4: "Other"}, (None,))
AGE = Variable(
    "AGE", "numeric", np.array([0, 15, 16, 64, 65, 90]), missing=(-9,), frequencies=np.array([1, 2, 3, 4, 5, 6, 7])
)


def test_merged_values_stand_in_the_place_of_the_first_and_are_called_after_all() -> None:
    found, codes = Coarsening(merge=((4, 2),)).apply(GROUP)
    assert found.texts == ["1", "2+4", "3", ""]
    assert found.display == ["White", "2 or Other", "Chinese", "missing"]
    assert codes.tolist() == [0, 1, 2, 1, 3]


def test_bands_are_named_by_their_ends_and_add_the_frequencies() -> None:
    found, codes = Coarsening(bands=(0, 16, 65)).apply(AGE)
    assert found.texts == ["0-15", "16-64", "65+", "-9"]
    assert codes.tolist() == [0, 0, 1, 1, 2, 2, 3]
    assert found.frequencies is not None
    assert found.frequencies.tolist() == [3, 7, 11, 7]


def test_top_and_bottom_codes_leave_numbers() -> None:
    found, codes = Coarsening(top=65, bottom=16).apply(AGE)
    assert found.kind == "numeric"
    assert found.values.tolist() == [16, 64, 65]
    assert found.display == ["16 or less", "64", "65 or more", "-9"]
    assert codes.tolist() == [0, 0, 0, 1, 2, 2, 3]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"merge": [[1]]}, "two values or more"),
        ({"bands": [0, 16], "top": 5}, "exclude"),
        ({"bands": [16, 0]}, "rising"),
        ({"merge": [[1, 9]]}, "no value 9"),
        ({"merge": [[1, 2], [2, 3]]}, "merged twice"),
        ({"bands": [16]}, "above its least value"),
    ],
    ids=["one value", "two ways", "falling", "unknown", "overlapping", "gap below"],
)
def test_what_makes_no_sense_is_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(DivulgeError, match=message):
        Coarsening(**settings).apply(AGE if "bands" in settings else GROUP)  # type: ignore[arg-type]
