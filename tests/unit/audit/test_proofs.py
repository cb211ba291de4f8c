"""Chains of figures that prove a value, and sets of figures that contradict each other."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.audit.proofs import find_contradiction, prove_at_most, prove_value
from divulge.audit.system import System
from tests.unit.audit.systems import COUNTIES, exactly, four_by_four, handbook, regions, target


def test_value_is_the_shortest_sum_of_figures() -> None:
    system = regions({"county 1": COUNTIES["county 1"], "small": "ABIJKN"})
    proof = prove_value(system, target(system, "K"))
    assert proof is not None
    assert proof.sentence() == "small − county 1 − N = 30 − 20 − 7 = 3"


def test_long_chain_adds_up_to_the_cell() -> None:
    system = four_by_four()
    proof = prove_value(system, target(system, "wb"))
    assert proof is not None
    assert sum(step.factor * step.value for step in proof.steps) == 47
    assert {"row w", "row x", "column a", "column c"} < {step.figure for step in proof.steps}


def test_cell_that_is_not_determined_has_no_equation() -> None:
    system = handbook()
    assert prove_value(system, target(system, "11")) is None


def test_bound_is_proved_with_the_figure_that_gives_it() -> None:
    system = handbook()
    proof = prove_at_most(system, target(system, "11"), 6)
    assert proof is not None
    assert proof.sentence() == "column 1 = 6"


def test_bound_that_does_not_hold_has_no_proof() -> None:
    system = handbook()
    assert prove_at_most(system, target(system, "11"), 5) is None


def test_lower_bound_is_the_upper_bound_of_the_negative() -> None:
    system = handbook()
    proof = prove_at_most(system, -target(system, "11"), -3)
    assert proof is not None
    assert proof.bound == -3
    # Two proofs are as short as each other.
    assert {step.figure for step in proof.steps} in ({"row 1", "column 2"}, {"column 1", "row 2"})


def test_rounded_figure_enters_a_proof_with_the_end_that_is_used() -> None:
    figures = {"a": ({"a": 1.0}, 2.5, 7.5), "total": ({"a": 1.0, "b": 1.0}, 7.5, 12.5)}
    system = System.of("ab", figures)
    proof = prove_at_most(system, target(system, "b"), 10)
    assert proof is not None
    assert proof.sentence() == "total − a = 12.5 − 2.5 = 10"


def test_smallest_contradictory_set_is_named() -> None:
    figures = {
        "a": exactly("a", 3),
        "b": exactly("b", 4),
        "c": exactly("c", 9),
        "ab": exactly("ab", 8),
        "abc": exactly("abc", 17),
    }
    found = find_contradiction(System.of("abc", figures))
    assert {step.figure for step in found} == {"a", "b", "ab"}


def test_figures_that_agree_are_no_contradiction() -> None:
    assert find_contradiction(four_by_four()) == ()


def test_figure_that_no_whole_numbers_have_contradicts_itself() -> None:
    figures = {"twice": ({"a": 2.0, "b": 2.0}, 3, 3), "a": ({"a": 1.0}, 0, 5)}
    assert [step.figure for step in find_contradiction(System.of("ab", figures))] == ["twice"]


@pytest.mark.parametrize("n", [200])
def test_large_system_has_a_contradiction_without_needless_figures(n: int) -> None:
    names = [f"c{i}" for i in range(n)]
    figures = {name: exactly([name], 1) for name in names} | {"total": exactly(names, n + 1)}
    figures |= {f"pair {i}": exactly(names[i : i + 2], 2) for i in range(n - 1)}
    found = find_contradiction(System.of(names, figures))
    kept = [i for i, name in enumerate(figures) if name in {step.figure for step in found}]
    system = System.of(names, figures)
    assert find_contradiction(system.only(kept)) != ()
    assert all(find_contradiction(system.only([k for k in kept if k != i])) == () for i in kept[:5])
    assert np.isin(list(figures).index("total"), kept)
