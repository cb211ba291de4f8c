"""What contributors learn that outsiders do not."""

from __future__ import annotations

import numpy as np

from divulge.audit.budget import Budget
from divulge.audit.inside import _ask_insiders
from divulge.audit.system import System
from tests.unit.audit.systems import exactly

SINGLETONS = System.of("abc", {"total": exactly("abc", 4), "b": exactly("b", 2)})
HELD = np.array([1.0, 2.0, 1.0])


def test_member_of_a_cell_knows_that_it_is_not_empty() -> None:
    found, finished = _ask_insiders(SINGLETONS, HELD, [0, 2])
    assert finished
    assert [(i.who, i.cell, i.low, i.high) for i in found] == [((0,), 2, 0, 1), ((2,), 0, 0, 1)]


def test_sole_contributor_reveals_the_other_singleton() -> None:
    # sdcTable: a and c withheld, protected from outsiders, not from each other.
    found, _ = _ask_insiders(SINGLETONS, HELD, [0, 2], alone=[0, 2])
    assert [(i.who, i.cell, i.low, i.high) for i in found] == [((0,), 2, 1, 1), ((2,), 0, 1, 1)]


def test_coalition_learns_what_none_of_them_does() -> None:
    system = System.of("abc", {"total": exactly("abc", 9)}, is_whole=False)
    held = np.array([2.0, 3.0, 4.0])
    alone, _ = _ask_insiders(system, held, [0, 1, 2], alone=[0, 1, 2])
    assert all(i.low < i.high for i in alone)
    together, _ = _ask_insiders(system, held, [0, 1, 2], alone=[0, 1, 2], at_once=2)
    assert {(i.who, i.cell, i.low) for i in together if i.low == i.high} == {
        ((0, 1), 2, 4.0),
        ((0, 2), 1, 3.0),
        ((1, 2), 0, 2.0),
    }


def test_spent_budget_is_said() -> None:
    assert _ask_insiders(SINGLETONS, HELD, [0, 2], budget=Budget(0.0)) == ([], False)
