"""The counted measures on tables that can be checked by eye, and on the worked examples of the papers."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from divulge.measures import Exclusions, calibrated, measure

KOLB_SYNTHETIC = pd.DataFrame({"key1": [1, 1, 4, 4, 4, 5], "key2": [2, 2, 12, 12, 12, 12], "t": [3, 5, 4, 4, 4, 10]})
KOLB_ORIGINAL = pd.DataFrame({"key1": [1, 1, 4, 4, 4, 5], "key2": [2, 2, 12, 12, 12, 12], "t": [3, 3, 4, 4, 9, 10]})


@pytest.mark.slow
def test_kolb_and_others_table_2() -> None:
    found = measure(KOLB_ORIGINAL, KOLB_SYNTHETIC, ["key1", "key2"], "t")
    assert found["TCAP_ratio"].value == 1 / 2
    assert found["group_disclosure"].value == 1 / 2
    assert found["group_disclosure_recall"].value == 1 / 2
    # The records with WEAP = 1: three with TCAP 2/3 and one with 1.
    record = found["TCAP_record"]
    assert (record.numerator, record.denominator) == (pytest.approx(3), 4)
    assert record.value == pytest.approx(0.75)
    # WEAP per record: .5, .5, 1, 1, 1, 1.
    assert found["WEAP"].value == pytest.approx(5 / 6)


def test_every_figure_of_six_people_by_hand() -> None:
    # q = a: the original says 1, 1, 2; the synthetic 1, 1. q = b: 3; 3 and 4. q = c: 5, 5; nobody.
    people = pd.DataFrame({"q": list("aaabcc"), "t": ["1", "1", "2", "3", "5", "5"]})
    synthetic = pd.DataFrame({"q": list("aabbd"), "t": ["1", "1", "3", "4", "1"]})
    found = measure(people, synthetic, ["q"], "t")
    expected = {
        "UiO": (1, 6),  # b
        "UiS": (1, 5),  # d
        "UiOiS": (1, 6),
        "repU": (0, 6),
        "Dorig": (3, 6),  # b and c
        "Dsyn": (3, 5),  # a and d
        "iS": (4, 6),  # a and b
        "DiS": (3, 6),  # a
        "DiSCO": (2, 6),  # a with 1
        "DiSDiO": (0, 6),
        "CAPd": (2 * 2 / 3 + 1 / 3 + 1 + 2, 6),
        "CAPs": (2 + 2 * 1 / 2 + 1, 5),
        "DCAP": (2 + 1 / 2, 6),
        "DCAP_matched": (2 + 1 / 2, 4),
        "TCAP": (2, 3),
        "TCAP_matched": (2, 4),
        "TCAP_zero": (2, 6),
        "TCAP_record": (2 * 2 / 3, 2),
        "TCAP_record_zero": (2 * 2 / 3, 3),
        "mean_denom": (2, 1),
    }
    for name, (numerator, denominator) in expected.items():
        figure = found[name]
        assert (figure.numerator, figure.denominator) == (pytest.approx(numerator), denominator), name
        assert figure.value == pytest.approx(numerator / denominator), name
    assert found["max_denom"].value == 2
    assert found["baseCAPd"].value == pytest.approx((2**2 + 1 + 1 + 2**2) / 6**2)


def test_values_are_aligned_where_synthpop_compares_rows_of_different_values() -> None:
    # synthpop sorts the synthetic levels as texts (100, 40, 5, 9) and the original as numbers, and finds DiSCO 0.
    people = pd.DataFrame({"k": [1, 2, 3, 4], "t": [5, 40, 9, 100]})
    synthetic = pd.DataFrame({"k": [1, 2, 3, 4], "t": [5, 40, 9, 40]})
    found = measure(people, synthetic, ["k"], "t")
    assert (found["DiSCO"].numerator, found["DiSCO"].denominator) == (3, 4)
    assert found["DCAP"].value == 0.75


@pytest.mark.parametrize("other", [["1", "2", "x"], ["1.0", "2.00", "x"], [1.0, 2.0, 3.0]])
def test_numbers_and_texts_that_write_them_are_one_value(other: list[object]) -> None:
    people = pd.DataFrame({"k": [1, 2], "t": ["a", "b"]})
    synthetic = pd.DataFrame({"k": other, "t": ["a", "b", "a"]})
    assert measure(people, synthetic, ["k"], "t")["DiSCO"].value == 1


def test_missing_is_a_level_of_its_own_apart_from_the_empty_text() -> None:
    people = pd.DataFrame({"k": [None, "", "a"], "t": ["x", "y", None]})
    synthetic = pd.DataFrame({"k": ["", None, "a"], "t": ["y", "x", None]})
    assert measure(people, synthetic, ["k"], "t")["DiSCO"].value == 1
    swapped = synthetic.assign(k=[None, "", "a"])
    assert measure(people, swapped, ["k"], "t")["DiSCO"].value == 1 / 3


def test_undefined_figures_say_so_with_what_was_divided() -> None:
    people = pd.DataFrame({"k": ["a", "b"], "t": ["x", "y"]})
    synthetic = pd.DataFrame({"k": ["c", "d"], "t": ["x", "y"]})
    found = measure(people, synthetic, ["k"], "t")
    for name in ("TCAP", "TCAP_matched", "DCAP_matched", "TCAP_record", "mean_denom"):
        figure = found[name]
        assert math.isnan(figure.value), name
        assert (figure.numerator, figure.denominator) == (0, 0), name
        assert figure.caveats, name
    for name in ("TCAP_zero", "DCAP", "DiSCO", "TCAP_record_zero", "max_denom"):
        assert found[name].value == 0, name


def test_calibration_of_the_teaching_data_paper() -> None:
    assert calibrated(0.733, 0.502) == pytest.approx(0.464, abs=5e-4)  # printed with three decimals
    assert math.isnan(calibrated(1, 1))


def test_exclusions_leave_the_people_and_the_identity_measures_alone() -> None:
    # One key, cells of 7 and 1: synthpop's limit of 5 leaves one row of the key and calls it unique.
    people = pd.DataFrame({"k": ["a"] * 8, "t": ["x"] * 7 + ["y"]})
    found = measure(people, people, ["k"], "t", exclusions=Exclusions(denominator_limit=5))
    assert found["UiO"].value == 0
    assert (found["iS"].numerator, found["iS"].denominator) == (1, 8)
    assert found["DiSCO"].details["excluded"]["denominator limit"]["original"] == 7


def test_one_way_check_flags_the_level_that_everybody_has() -> None:
    people = pd.DataFrame({"k": [f"q{i}" for i in range(100)], "t": ["no"] * 95 + ["yes"] * 5})
    details = measure(people, people, ["k"], "t")["DiSCO"].details
    assert details["one_way"] == {"level": "no", "rows": 95, "share_of_DiSCO": 0.95, "share_of_people": 0.95}
    assert details["two_way"] == []
    fewer = people.iloc[:53]
    assert measure(fewer, fewer.iloc[:50], ["k"], "t")["DiSCO"].details["one_way"] is None


def test_two_way_check_flags_what_a_key_level_tells_alone() -> None:
    people = pd.DataFrame(
        {"age": ["17"] * 10 + ["50"] * 10, "area": ["n", "s"] * 10, "t": ["single"] * 10 + ["married", "single"] * 5}
    )
    flagged = measure(people, people, ["age", "area"], "t")["DiSCO"].details["two_way"]
    assert {(p["key"], p["level"], p["target_level"], p["rows"]) for p in flagged} == {
        ("age", "17", "single", 10),
        ("area", "s", "single", 10),
    }
    assert {p["share"] for p in flagged} == {1.0}


def test_several_files_are_pooled_for_cap_and_kept_apart_for_raab() -> None:
    people = pd.DataFrame({"k": ["a", "b"], "t": ["x", "y"]})
    files = [pd.DataFrame({"k": ["a", "a"], "t": ["x", "x"]}), pd.DataFrame({"k": ["a", "b"], "t": ["z", "y"]})]
    found = measure(people, files, ["k"], "t")
    assert [e.value for e in found.measures["DCAP"]] == [0.5, 0.5]
    assert found.pooled["DCAP"].value == pytest.approx((2 / 3 + 1) / 2)
    assert "DiSCO" not in found.pooled


@pytest.mark.slow
def test_sweep_gives_the_mean_both_ways() -> None:
    # With k the intruder is right twice of twice; l says nothing for certain; both keys are as good as k.
    people = pd.DataFrame({"k": list("aabb"), "l": list("cdcd"), "t": list("xxyy")})
    found = measure(people, people, ["k", "l"], "t", key_sizes=(1, 2))
    assert [r["TCAP"] for r in found["TCAP_sweep"].details["subsets"]] == pytest.approx([1, math.nan, 1], nan_ok=True)
    assert found["TCAP_sweep"].value == 1
    assert found["TCAP_sweep_zero"].value == pytest.approx(2 / 3)
    assert found["TCAP_sweep"].caveats == ("In 1 of 3 key subsets the intruder is certain of nobody.",)
