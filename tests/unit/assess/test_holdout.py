"""A holdout that is none: people who are in the data too are counted, strangers who are merely alike are not."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.assess.splits.holdout import _shared_rows, check_apart
from divulge.errors import DesignError
from divulge.table import Schema, Table, Variable


def _people(n: int, seed: int, values: int = 40, numbers: range | None = None) -> Table:
    rng = np.random.default_rng(seed)
    columns = {name: rng.integers(0, values, n) for name in ("a", "b", "c")}
    sizes = dict.fromkeys(columns, values)
    if numbers is not None:
        columns["id"], sizes["id"] = np.array(numbers), 1000
    variables = tuple(Variable(name, "numeric", np.arange(sizes[name])) for name in columns)
    return Table(Schema(variables), tuple(columns.values()))


def test_strangers_share_nobody() -> None:
    assert _shared_rows(_people(300, 1), _people(300, 2)) == 0


def test_strangers_who_are_alike_share_nobody() -> None:
    assert _shared_rows(_people(300, 1, values=3), _people(300, 2, values=3)) == 0


def test_people_of_the_data_are_counted() -> None:
    data = _people(300, 1)
    assert _shared_rows(data, data.take(slice(0, 100))) == 100


def test_a_number_of_the_person_says_who_is_in_both() -> None:
    assert _shared_rows(_people(100, 1, numbers=range(100)), _people(100, 2, numbers=range(90, 190))) == 10


def test_holdout_of_people_in_the_data_is_refused_with_how_many() -> None:
    data = _people(300, 1)
    with pytest.raises(DesignError, match="100 of 100 rows"):
        check_apart(data, data.take(slice(0, 100)))
    with pytest.raises(DesignError, match="nobody"):
        check_apart(data, data.take(slice(0, 0)))
    with pytest.raises(DesignError, match="no column 'c'"):
        check_apart(data, _people(300, 2).select(["a", "b"]))
