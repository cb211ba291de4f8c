"""Which candidates are assessed in full."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from divulge.mitigations.mitigation import Rung
from divulge.safer.candidates import LOST, Step
from divulge.safer.propose import _chosen


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
