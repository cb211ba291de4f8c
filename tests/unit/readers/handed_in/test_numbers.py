"""Figures as they are printed, with what stands around them."""

from __future__ import annotations

import pytest

from divulge.readers.handed_in.candidates.numbers import decimal_of, parse_cell, parse_number


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("1,234.50", 1234.5, 0.01),
        ("−0.3", -0.3, 0.1),
        (".05", 0.05, 0.01),
        ("8.2e-16", 8.2e-16, 1e-17),
        ("12%", 12.0, 1.0),
        ("0.12***", 0.12, 0.01),
        ("< 2e-16", 2e-16, 1e-16),
    ],
)
def test_a_figure_has_its_value_and_its_last_place(text: str, value: float, unit: float) -> None:
    found = parse_number(text)
    assert found is not None
    assert found.value == pytest.approx(value, rel=1e-12)  # floats written in two ways
    assert found.unit == pytest.approx(unit, rel=1e-12)


@pytest.mark.parametrize("text", ["", "a", "1.2.3", "12 people", "2024-05-13", "-"])
def test_what_is_no_figure_is_none(text: str) -> None:
    assert parse_number(text) is None


def test_a_value_agrees_when_it_rounds_to_what_was_printed() -> None:
    found = parse_number("0.34")
    assert found is not None
    assert found.agrees(0.3449)
    assert not found.agrees(0.3465)


@pytest.mark.parametrize(
    ("text", "main", "inner"),
    [
        ("98 (49%)", 98.0, [49.0]),
        ("64 [57, 70]", 64.0, [57.0, 70.0]),
        ("2.80 (1.06–7.43)", 2.8, [1.06, 7.43]),
        ("(0.034)", None, [0.034]),
        ("1,100 [700–1,600]", 1100.0, [700.0, 1600.0]),
        ("0.461 (df=523)", 0.461, []),
    ],
)
def test_a_cell_holds_a_figure_and_those_in_brackets(text: str, main: float | None, inner: list[float]) -> None:
    found = parse_cell(text)
    assert found is not None
    assert (None if found.main is None else found.main.value) == main
    assert [n.value for n in found.inner] == inner


@pytest.mark.parametrize("text", ["<10", "*", "c", "..", "NaN"])
def test_a_withheld_cell_has_no_value(text: str) -> None:
    found = parse_cell(text)
    assert found is not None
    assert found.main is not None
    assert found.main.is_suppressed


def test_a_reference_is_no_figure() -> None:
    found = parse_cell("1 (ref.)")
    assert found is not None
    assert found.is_reference


def test_decimal_commas_are_told_from_thousands() -> None:
    assert decimal_of(["1.234,5", "0,25"]) == ","
    assert decimal_of(["1,234", "0.25"]) == "."
    assert decimal_of(["1,234", "12,500"]) == "."
