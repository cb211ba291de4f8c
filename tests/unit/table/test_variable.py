"""Variables name each value once, whatever they hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from divulge.errors import SchemaError
from divulge.table import Variable


@pytest.mark.parametrize(
    ("values", "missing"),
    [
        ([1, 2, 1], ()),
        ([1, 2], (2,)),
        ([1, 2], (2.0,)),
        ([1.0, 2.0], ("2",)),
        ([0.5], (0.5,)),
        ([2**62, 2**62 + 1], (2**62 + 1,)),
        ([1], (-9, "-9")),
        ([1], (None, None)),
    ],
    ids=["values", "integer", "float", "text", "decimal", "large integer", "missing codes", "empty field"],
)
def test_numeric_variable_rejects_a_value_named_twice(values: list[Any], missing: tuple[Any, ...]) -> None:
    for array in (np.array(values), np.array(values, dtype=object)):
        with pytest.raises(SchemaError, match="names the same value twice"):
            Variable("x", "numeric", array, missing=missing)


@pytest.mark.parametrize(
    ("values", "missing"),
    [([1, 2], (3, "NA", ".a", None)), ([2**62, 2**62 + 1], (2**62 + 2,)), ([1], ("01", "1.0", "", None, "nan"))],
    ids=["codes", "large neighbours", "texts that are not the value"],
)
def test_numeric_variable_takes_missing_codes_that_are_no_values(values: list[Any], missing: tuple[Any, ...]) -> None:
    assert Variable("x", "numeric", np.array(values), missing=missing).n_codes == len(values) + len(missing)


def test_values_are_a_copy_in_order() -> None:
    given = np.array([3, 1, 2])
    variable = Variable("x", "numeric", given)
    given[:] = 0
    assert variable.values.tolist() == [1, 2, 3]
    assert Variable("x", "categorical", np.array([3, 1])).values.tolist() == [3, 1]


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numbers_are_finite(value: float) -> None:
    with pytest.raises(SchemaError, match="not a finite number"):
        Variable("x", "numeric", np.array([1.0, value]))
