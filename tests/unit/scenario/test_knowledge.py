"""What an intruder is granted: counts at hand, then the schema's, then released ones, then every value alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from divulge.errors import EmbedError
from divulge.scenario import Knowledge
from divulge.table import Schema, Variable
from tests.support.tables import small_table

TABLE = small_table(a=["x", "x", "y", None], b=[None, None, None, None])
COUNTS = {name: TABLE.frequencies(name).astype(float) for name in TABLE.names}


def test_marginals_are_shares_of_all_rows_missing_ones_too() -> None:
    found = Knowledge.of(TABLE.schema, "marginals", COUNTS)
    assert found.marginals["a"] == pytest.approx([0.5, 0.25, 0.25])
    assert found.known == ("a", "b")


def test_who_knows_nothing_takes_every_value_as_likely_as_any_other() -> None:
    found = Knowledge.of(TABLE.schema, "nothing", COUNTS)
    assert found.marginals["a"] == pytest.approx([0.5, 0.5, 0.0])
    assert found.marginals["b"] == pytest.approx([1.0])  # missing in every row: nothing else can be drawn
    assert found.known == ()


def test_counts_at_hand_come_before_the_schemas_and_these_before_released_ones() -> None:
    plain = Variable("a", "categorical", np.array(["x", "y"]))
    counted = replace(plain, frequencies=np.array([3, 1]))
    released = {"a": np.array([1.0, 9.0])}
    given = Knowledge.of(Schema((counted,)), "marginals", {"a": np.array([1.0, 1.0])}, released)
    own = Knowledge.of(Schema((counted,)), "marginals", None, released)
    told = Knowledge.of(Schema((plain,)), "marginals", None, released)
    assert [k.marginals["a"][0] for k in (given, own, told)] == pytest.approx([0.5, 0.75, 0.1])
    assert [k.sources["a"] for k in (given, own, told)] == ["frequencies", "frequencies", "output"]


def test_variable_without_any_possible_value_is_refused_where_there_are_no_data() -> None:
    with pytest.raises(EmbedError, match="no value of 'b' is possible"):
        Knowledge.of(TABLE.schema.select(["b"]), "nothing")
