"""Bits printed and bits secret."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.lattice.bits import _secret_bits, figure_bits, response_bits, whole_bits


def test_a_figure_told_twice_is_counted_once() -> None:
    shifts = np.random.default_rng(1).normal(0, 200, (50, 1))  # any
    once = figure_bits(shifts, 0.25)
    twice = figure_bits(np.hstack([shifts, shifts]), 0.25)
    assert once == pytest.approx(np.log2(100 * np.sqrt(50)) + 2.05 - 1, abs=0.3)  # h of a normal is 2.05 + log₂ σ
    assert twice == pytest.approx(once + 0.5)  # two looks at the same narrow it by √2


def test_one_digit_more_holds_log2_of_ten_bits_more_for_each_figure() -> None:
    shifts = np.random.default_rng(1).normal(0, 50, (40, 3))  # any
    assert figure_bits(10 * shifts, 0.25) - figure_bits(shifts, 0.25) == pytest.approx(3 * np.log2(10))


def test_what_moves_by_less_than_its_width_tells_nothing() -> None:
    assert figure_bits(np.full((4, 2), 0.01), 0.25) == 0.0
    assert figure_bits(np.zeros((0, 2)), 0.25) == 0.0


def test_digits_beyond_whole_sums_tell_nothing() -> None:
    people = np.column_stack([np.ones(30), np.random.default_rng(3).integers(18, 70, 30)])  # any
    spans = np.ones(30, dtype=np.int64)
    fine = response_bits(people * 1e9, spans, people)
    assert fine.printed == whole_bits(people, 0.25)
    assert fine.secret == 30
    assert not fine.is_determined
    assert response_bits(people * 1e9, spans).is_determined
    assert whole_bits(people * np.pi, 0.25) == np.inf
    assert whole_bits(people * 0.25, 0.25) == pytest.approx(whole_bits(people, 0.25))


def test_secret_of_ten_values_three_times_over() -> None:
    assert _secret_bits(10, 3) == pytest.approx(3 * np.log2(10))
