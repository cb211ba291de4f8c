"""Which candidates are assessed in full."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from divulge.mitigations.mitigation import Rung
from divulge.safer.candidates import LOST, Step
from divulge.safer.propose import MOST_LOSING, Proposal, _chosen, _front, _losing_variables


def _candidate(name: str, rung: Rung, loss: float) -> tuple[Step, ...]:
    mitigation = cast(Any, SimpleNamespace(name=name, rung=rung))
    told = cast(Any, SimpleNamespace(information=loss))
    return (Step(0, mitigation, cast(Any, None), cast(Any, None), told),)


ROUNDED = [_candidate(f"way {i}", Rung.ROUND, 0.01 * i) for i in range(4)]
MERGED = _candidate("merge-levels", Rung.COARSEN, 0.3)


def _any(steps: tuple[Step, ...]) -> bool:
    del steps
    return True


@pytest.mark.parametrize("most", [2, 3, 5])
def test_one_that_merges_is_among_them_however_dear(most: int) -> None:
    chosen = _chosen([*ROUNDED, MERGED], most, _any)
    assert len(chosen) == most
    assert chosen[-1] is MERGED
    assert chosen[:-1] == ROUNDED[: most - 1]


def test_alone_or_without_any_that_merges_the_least_loss_is_taken() -> None:
    assert _chosen(ROUNDED, 2, _any) == ROUNDED[:2]
    assert _chosen([*ROUNDED, MERGED], 1, _any) == ROUNDED[:1]
    assert _chosen([], 2, _any) == []


def test_what_breaks_a_rule_is_not_assessed_and_no_more_is_screened_than_need_be() -> None:
    asked: list[tuple[Step, ...]] = []

    def passes(steps: tuple[Step, ...]) -> bool:
        asked.append(steps)
        return steps not in (ROUNDED[0], MERGED)

    assert _chosen([*ROUNDED, MERGED], 2, passes) == ROUNDED[1:3]
    assert asked == [*ROUNDED[:3], MERGED]


def test_variables_that_are_lost_count_once_however_many_they_are() -> None:
    kept, lost = ROUNDED[0][0], replace(MERGED[0], loses=True)
    assert kept.price == kept.loss.information
    assert lost.price == pytest.approx(MERGED[0].price + LOST)
    dear = _candidate("way", Rung.ROUND, 0.97)
    assert _chosen([dear, (lost,)], 1, _any) == [(lost,)]


def _kept(*losses: float) -> list[Proposal]:
    return [Proposal(_candidate("way", Rung.ROUND, loss), (cast(Any, None),), (), "", {}) for loss in losses]


def _without_a_variable(loss: float) -> tuple[Step, ...]:
    return (replace(_candidate("drop-variable", Rung.COARSEN, loss)[0], loses=True),)


def test_a_variable_less_is_tried_where_that_loses_less_than_what_was_released() -> None:
    cheap, dear = _without_a_variable(0.2), _without_a_variable(0.4)
    assert list(_losing_variables([*ROUNDED, dear, cheap], [], _kept(0.5, 0.6), _any)) == [cheap, dear]
    assert list(_losing_variables([*ROUNDED, dear, cheap], [], _kept(0.5, 0.3), _any)) == [], (
        "the worst would lose more"
    )
    assert list(_losing_variables([*ROUNDED, cheap], [], _kept(0.1), _any)) == []
    assert list(_losing_variables([cheap], [cheap], _kept(0.3), _any)) == [], "it was assessed before"


def test_without_anything_released_the_least_losses_of_a_variable_are_tried() -> None:
    some = [_without_a_variable(0.1 * i) for i in range(1, 6)]
    assert list(_losing_variables(some, [], [], _any)) == some[:MOST_LOSING]
    assert list(_losing_variables(some, [], [], lambda steps: steps is some[3])) == [some[3]]


def test_no_more_is_tried_once_one_of_them_was_released() -> None:
    kept: list[Proposal] = []
    tried = []
    for steps in _losing_variables([_without_a_variable(0.1), _without_a_variable(0.2)], [], kept, _any):
        tried.append(steps)
        kept += _kept(0.1)
    assert len(tried) == 1


def test_what_keeps_every_variable_comes_first_unless_it_loses_much_more() -> None:
    def released(steps: tuple[Step, ...], risk: float) -> Proposal:
        after = {"risk": [{"marginal_risk": {"interval": [0.0, risk]}}]}
        return Proposal(steps, (cast(Any, None),), (), "", after)

    without, near, far = (
        released(_without_a_variable(0.20), 0.001),
        released(_candidate("way", Rung.ROUND, 0.30), 0.002),
        released(_candidate("way", Rung.ROUND, 0.40), 0.003),
    )
    assert _front([without, near]) == [near, without]
    assert _front([without, far]) == [without], "it is beaten in both"
