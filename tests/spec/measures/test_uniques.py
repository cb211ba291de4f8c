"""SUDA and the subsets of people on data whose scores others have published."""

from __future__ import annotations

import pandas as pd
import pytest

from divulge.measures import measure
from divulge.measures.counting.unique_sets import unique_sets
from divulge.measures.families.special_uniques import _special_uniques
from divulge.measures.families.suda import _dis_suda
from divulge.table import table_from_frame

GUIDELINE = pd.DataFrame(
    {
        "residence": ["urban"] * 4 + ["rural"] + ["urban"] * 5,
        "gender": ["f", "f", "f", "m", "f", "m", "f", "m", "f", "f"],
        "education": ["si", "si", "pi", "sc", "sc", "sc", "pc", "ps", "si", "si"],
        "labour": ["emp", "emp", "non", "emp", "un", "emp", "non", "un", "non", "non"],
    }
)
"""Ten people of the International Household Survey Network's guidelines for sdcMicro."""


@pytest.mark.slow
def test_scores_of_the_guideline_data() -> None:
    found = unique_sets(table_from_frame(GUIDELINE), list(GUIDELINE.columns))
    assert found.suda_scores().tolist() == [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]


def test_shares_of_keys_sum_to_more_than_one() -> None:
    data = pd.DataFrame({"a": [2, 1, 1], "b": [0, 3, 0], "c": [0, 6, 0]})
    found = unique_sets(table_from_frame(data), ["a", "b", "c"])
    assert found.suda_scores().tolist() == [2, 4, 2]
    assert found.by_variable() == {"a": 0.5, "b": 0.375, "c": 0.375}


def test_dis_suda_by_hand() -> None:
    # One unique with a score of 1, one pair: P = 2, A = 1, so 1/(1 + 2·0.99/0.01).
    data = pd.DataFrame({"a": [1, 2, 2]})
    found = unique_sets(table_from_frame(data), ["a"])
    assert _dis_suda(found, found.suda_scores(), 0.01) == pytest.approx([1 / 199, 0, 0])


def test_dis_suda_is_certain_without_pairs() -> None:
    found = unique_sets(table_from_frame(pd.DataFrame({"a": [1, 2]})), ["a"])
    assert _dis_suda(found, found.suda_scores(), 0.01).tolist() == [1, 1]


def test_missing_values_form_no_minimal_unique() -> None:
    data = pd.DataFrame({"a": ["x", "x", None], "b": ["u", "v", "v"]})
    found = unique_sets(table_from_frame(data), ["a", "b"])
    # Row 1 is unique on b, row 2 on a and b together, row 3 only on the value that is missing.
    assert found.suda_scores().tolist() == [1, 1, 0]


def test_special_uniques_take_in_ties() -> None:
    data = pd.Series([9.0, 5, 5, 5, 1, 1, 1, 1, 1, 1]).to_numpy()
    everybody = data > 0
    assert _special_uniques(data, everybody, 0.1).sum() == 1
    assert _special_uniques(data, everybody, 0.2).sum() == 4
    assert _special_uniques(data, data > 100, 0.2).sum() == 0


def test_dcap_of_uniques_counts_unique_people_alone() -> None:
    people = pd.DataFrame({"k": ["a", "a", "b", "c"], "t": ["x", "y", "x", "y"]})
    synthetic = pd.DataFrame({"k": ["a", "b", "b"], "t": ["x", "x", "y"]})
    found = measure(people, synthetic, ["k"], "t", measures=["subsets"])
    assert (found["DCAP_uniques"].numerator, found["DCAP_uniques"].denominator) == (0.5, 2)
    assert found["DCAP_uniques_matched"].value == 0.5
    assert found["DCAP_uniques"].baseline == 0.5
