"""Small groups whose statistics leave few samples, or one: uwedragon's examples."""

from __future__ import annotations

import pytest

from divulge.audit.samples import Known
from divulge.contributions.sizes import possible_sizes

SEVEN = {"n": 7, "mean": (2.8565, 2.8575), "sd": (1.5735, 1.5745), "values": (1, 2, 3, 4, 5)}


def test_seven_answers_from_1_to_5_leave_two_samples() -> None:
    found = Known(**SEVEN).possible()  # type: ignore[arg-type]
    assert found.is_complete
    assert found.samples == ((1, 1, 2, 3, 4, 4, 5), (1, 2, 2, 2, 3, 5, 5))
    assert found.shared == (1, 2, 3, 5)


def test_median_leaves_one_of_them() -> None:
    assert Known(**SEVEN, median=(2.5, 3.5)).possible().samples == ((1, 1, 2, 3, 4, 4, 5),)  # type: ignore[arg-type]


def test_three_whole_numbers_without_bounds_are_determined() -> None:
    found = Known(3, mean=(3.995, 4.005), sd=(1.995, 2.005)).possible()
    assert found.samples == ((2, 4, 6),)
    assert found.shared == (2, 4, 6)


def test_nothing_bounds_the_values_without_a_standard_deviation() -> None:
    found = Known(3, mean=(4, 4)).possible()
    assert not found.is_complete
    assert found.shared == ()


def test_extremes_bound_the_values() -> None:
    assert Known(3, mean=(4, 4), least=(3, 3), greatest=(5, 5)).possible().samples == ((3, 4, 5),)


def test_group_of_two_is_given_away_by_mean_and_sd() -> None:
    assert Known(2, mean=(30.45, 30.55), sd=(0.65, 0.75)).possible().samples == ((30, 31),)


def test_population_sd_is_another_sample() -> None:
    assert Known(2, mean=(31, 31), sd=(1, 1), sd_of_all=True).possible().samples == ((30, 32),)


def test_no_sample_agrees_with_figures_that_contradict() -> None:
    found = Known(3, mean=(4.3, 4.32), sd=(0.0, 0.01)).possible()
    assert found.samples == ()
    assert found.is_complete


@pytest.mark.slow
def test_many_samples_are_cut_and_said_to_be() -> None:
    found = Known(60, mean=(50, 50), sd=(20, 21), values=tuple(range(101))).possible()
    assert not found.is_complete
    assert found.shared == ()


@pytest.mark.parametrize(("perturbed", "mean", "true"), [(9, 11.25, 8), (14, 7.916666667, 12), (19, 9.25, 20)])
def test_mean_gives_the_count_behind_a_perturbed_one_away(perturbed: int, mean: float, true: int) -> None:
    # Handbook on SDC 2025: cell keys change counts by at most 2, the means are of the true ones.
    half = 0.5e-9  # printed to nine decimals
    assert possible_sizes(mean - half, mean + half, perturbed - 2, perturbed + 2).tolist() == [true]


def test_sizes_depend_on_the_spacing_of_the_values() -> None:
    assert possible_sizes(2.25, 2.25, 1, 8).tolist() == [4, 8]
    assert possible_sizes(2.25, 2.25, 1, 8, step=0.5).tolist() == [2, 4, 6, 8]
    assert possible_sizes(2.25, 2.25, 1, 8, step=1.0, origin=0.25).tolist() == list(range(1, 9))
