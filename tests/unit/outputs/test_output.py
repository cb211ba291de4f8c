"""What every kind of output shares."""

from __future__ import annotations

import pytest

from divulge.errors import OutputError
from divulge.outputs import Statbarn, Status
from divulge.outputs.fields import in_field
from divulge.outputs.kinds.means import Means
from tests.spec.outputs.people import PEOPLE, drawn


@pytest.mark.parametrize(
    ("inner", "outer", "where"),
    [
        (None, "outputs[2]", "outputs[2]"),
        ("formula", "outputs[2]", "outputs[2].formula"),
        ("variables[0]", "outputs[2]", "outputs[2].variables[0]"),
        ("formula", "formula", "formula"),
        ("variables[0]", "variables", "variables[0]"),
        ("condition 'AGE >'", "where", "where"),
    ],
)
def test_path_of_an_error_grows_from_the_inside(inner: str | None, outer: str, where: str) -> None:
    with pytest.raises(OutputError) as error, in_field(outer):
        raise OutputError("wrong.", where=inner)
    assert error.value.where == where


def test_six_of_the_twelve_groups_are_safe() -> None:
    assert len(Statbarn) == 12
    assert [group for group in Statbarn if group.is_safe] == list(Statbarn)[6:]


def test_every_status_has_a_sentence() -> None:
    assert all(status.sentence.endswith(".") for status in Status)


def test_lists_become_tuples_so_that_outputs_can_be_compared_and_hashed() -> None:
    output = Means(variables=["AGE"], by=["SEX"])  # type: ignore[arg-type]
    assert output == Means(variables=("AGE",), by=("SEX",))
    assert hash(output) == hash(Means(variables=("AGE",), by=("SEX",), released={"AGE": 1}))


def test_output_uses_its_own_variables_its_weights_and_those_of_its_condition() -> None:
    output = Means(variables=("PAY",), by=("SEX",), weights="W", where="AGE > 20 and AREA = n")
    assert output.uses(PEOPLE.schema) == ("PAY", "SEX", "W", "AGE", "AREA")


def test_negative_weights_are_rejected() -> None:
    with pytest.raises(OutputError, match="weights: weights of at least 0 are needed"):
        Means(variables=("X",), weights="W").check(drawn("X W\n1 -1\n2 1").schema)
