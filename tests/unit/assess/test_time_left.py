"""How long an assessment still takes, as it is told while it runs."""

from __future__ import annotations

import pytest

from divulge.assess.splits import runner
from divulge.assess.splits.time_left import ALONE, SMALLER, WHOLE, PassAhead, TimeLeft

ONE = [PassAhead("Output 1", 30, 10, 30)]
SEVERAL = [PassAhead("All outputs", 30, 10, 30), PassAhead("Output 1", 30, 10), PassAhead("Output 2", 30, 10)]


def test_splits_that_may_stop_early_count_for_the_most_part_until_it_is_known() -> None:
    left = TimeLeft(ONE)
    assert left.seconds("Output 1", 3, 30, 2.0) == pytest.approx(2 * (25 - 3 + SMALLER * 30))
    assert left.seconds("Output 1", 12, 30, 2.0) == pytest.approx(2 * (30 - 12 + SMALLER * 30))


def test_outputs_that_are_still_to_come_alone_are_counted() -> None:
    left = TimeLeft(SEVERAL)
    first = left.seconds("All outputs", 30, 30, 1.0)
    assert first == pytest.approx(SMALLER * 30 + 2 * ALONE * (WHOLE + 25))
    # On the curve the splits are quicker; what comes after it is told by those of the first pass.
    assert left.seconds("All outputs, smaller parts", 20, 30, 0.1) == pytest.approx(1 + 2 * ALONE * (WHOLE + 25))
    assert left.seconds("Output 2", 29, 30, 0.5) == pytest.approx(0.5)


def test_a_second_look_is_told_when_it_begins() -> None:
    assert TimeLeft(ONE).seconds("Output 1, second look", 5, 50, 0.2) == pytest.approx(9)


def test_a_second_look_is_told_from_the_start_where_somebody_is_named() -> None:
    left = TimeLeft(ONE, looks=30)
    assert left.seconds("Output 1", 12, 30, 2.0) == pytest.approx(2 * (30 - 12 + SMALLER * 30 + 30))
    assert left.seconds("Output 1, smaller parts", 20, 30, 0.5) == pytest.approx(5 + 2 * 30)
    assert left.seconds("Output 1, second look", 29, 30, 1.0) == pytest.approx(1)


def test_nothing_takes_longer_than_the_budget_leaves() -> None:
    assert TimeLeft(SEVERAL, lambda: 7.0).seconds("All outputs", 1, 30, 100.0) == 7.0


def test_unknown_stages_are_told_by_themselves() -> None:
    assert TimeLeft(ONE).seconds("Something else", 1, 3, 2.0) == 4.0


def test_first_splits_that_cost_too_much_say_little_of_the_others() -> None:
    left = TimeLeft(ONE, dear=0.3, near=0.1)
    assert left.seconds("Output 1", 2, 30, 1.5) == pytest.approx(TimeLeft(ONE).seconds("Output 1", 2, 30, 0.1))
    for done, each in ((2, 0.2), (6, 1.5)):  # not dear; and no longer the first
        assert left.seconds("Output 1", done, 30, each) == TimeLeft(ONE).seconds("Output 1", done, 30, each)


def test_splits_of_late_say_how_long_others_take(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(runner.time, "perf_counter", lambda: now[0])
    stage = runner._Stage(began=0.0)
    assert stage.each() is None
    for seconds in (2.0, 2.0, 0.1, 0.1, 0.1, 0.1, 0.1):
        now[0] += seconds
        stage.computed.append(now[0])
    assert stage.each() == pytest.approx(0.1)
    now[0] += 30.0  # processes were started
    stage.computed.append(now[0])
    assert stage.each() == pytest.approx(34.5 / 8)
