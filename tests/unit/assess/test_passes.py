"""Passes: the figure that was least often reproduced; when no further splits are needed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from divulge.assess import assess, plan
from divulge.assess.passes import _worst
from divulge.assess.searched_halves import _TRIED
from divulge.assess.splits import runner
from divulge.assess.splits.split import Embedded, SplitResult, run_split
from divulge.assess.splits.task import Task
from divulge.designs import BLOCK, Split
from divulge.rules import Finding, Severity
from divulge.spec import Inputs, parse_spec
from divulge.table import Schema, Table, Variable


def _embedded(missed: tuple[int, ...], not_given: tuple[int, ...] = ()) -> Embedded:
    return Embedded("ok", 0.0, 4, 1.0, 1.0, missed, not_given)


@pytest.mark.parametrize(
    ("found", "share"),
    [
        ([_embedded(()), _embedded(())], 1.0),
        ([_embedded((2,)), _embedded(()), _embedded((1,)), _embedded((2,))], 0.5),
        # Undefined in one half of the splits and missed in the other: never put to the test.
        ([_embedded((3,)), _embedded((), (3,)), _embedded((3,)), _embedded((), (3,))], 0.0),
    ],
)
def test_worst_figure_counts_the_splits_that_gave_it(found: list[Embedded], share: float) -> None:
    assert _worst(found) == pytest.approx(share)


def _assessed(people: dict[str, list[int]], variables: list[str], **design: Any) -> Any:
    table = Table(
        Schema(tuple(Variable(n, "categorical", np.arange(max(c) + 1)) for n, c in people.items())),
        tuple(np.array(c) for c in people.values()),
    )
    document = {"data": "none.csv", "outputs": [{"kind": "crosstab", "variables": variables, "compute": True}]}
    document |= {"design": {"kind": "repeated-halves", "curve": False, **design}, "measures": ["DCAP"]}
    return assess(plan(parse_spec(document, Path()), Inputs(table.schema, table, table.n_rows, (None,))), workers=1)


def test_counts_need_one_block_whether_or_not_somebody_is_alone() -> None:
    rng = np.random.default_rng(1)
    n = 2000
    sex, tenure = rng.integers(0, 2, n).tolist(), rng.integers(0, 2, n).tolist()
    safe = _assessed({"sex": sex, "tenure": tenure}, ["sex", "tenure"]).record
    assert (safe["verdict"], safe["splits"]["used"]) == ("release", BLOCK)
    sex[0] = 2  # the only one
    alone = _assessed({"sex": sex, "tenure": tenure}, ["sex", "tenure"])
    assert alone.record["verdict"] == "refuse"
    assert np.flatnonzero(alone.exposed).tolist() == [0]


def test_person_whom_two_rules_name_is_counted_once() -> None:
    found = _assessed({"sex": [0, 1] * 40, "tenure": [0, 0, 1, 1] * 20}, ["sex", "tenure"])
    people = np.arange(80) < 3
    finding = Finding("a rule", Severity.REFUSE, (0,), (), "Three people are named.", people)
    result = replace(found.results[0], findings=(finding, finding))
    assert int(result.named_by_rules.sum()) == 3
    assert result.at_risk.tolist() == people.tolist()


@pytest.mark.parametrize("n_met", [0, 2, 3, _TRIED])
def test_near_is_enough_once_last_digits_of_most_first_halves_were_searched_for_in_vain(
    monkeypatch: pytest.MonkeyPatch, n_met: int
) -> None:
    asked = []

    def run(task: Task, split: Split, with_measures: bool, with_sweep: bool) -> SplitResult:
        asked.append(task.near_suffices)
        found = run_split(task, split, with_measures, with_sweep)
        reproduced = 1.0 if len(asked) <= n_met else 0.5
        return replace(found, outputs=tuple(replace(o, reproduced=reproduced) for o in found.outputs))

    monkeypatch.setattr(runner, "run_split", run)
    _assessed({"sex": [0, 1] * 40, "tenure": [0, 0, 1, 1] * 20}, ["sex", "tenure"])
    assert len(asked) >= BLOCK
    assert not any(asked[:_TRIED])
    assert all(near is (n_met < _TRIED / 2) for near in asked[_TRIED:BLOCK])


@pytest.mark.parametrize("share", [0.1, 0.9])  # of the time that a search may take; 0.2 in the mean is too much
def test_near_is_enough_once_last_digits_of_first_halves_cost_too_much(
    monkeypatch: pytest.MonkeyPatch, share: float
) -> None:
    asked = []

    def run(task: Task, split: Split, with_measures: bool, with_sweep: bool) -> SplitResult:
        asked.append(task.near_suffices)
        found = run_split(task, split, with_measures, with_sweep)
        searching = 0.0 if task.near_suffices else share * task.synthesiser.seconds
        return replace(found, searching=searching, seconds=searching)

    monkeypatch.setattr(runner, "run_split", run)
    # One in the cell of each: a second look follows.
    _assessed({"sex": [0, 1] * 40 + [1], "tenure": [0, 0, 1, 1] * 20 + [2]}, ["sex", "tenure"], stop_early=False)
    assert not any(asked[:2])
    assert all(near is (share > 0.2) for near in asked[2:])


def test_later_splits_search_for_less_time_where_earlier_ones_took_much_beside_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[float] = []

    def run(task: Task, split: Split, with_measures: bool, with_sweep: bool) -> SplitResult:
        given.append(task.synthesiser.seconds)
        return replace(run_split(task, split, with_measures, with_sweep), seconds=1800.0, searching=0.1)

    monkeypatch.setattr(runner, "run_split", run)
    _assessed({"sex": [0, 1] * 40, "tenure": [0, 0, 1, 1] * 20}, ["sex", "tenure"], stop_early=False, splits=2 * BLOCK)
    assert given[0] > 0.5
    assert max(given[BLOCK : 2 * BLOCK]) < 0.1  # what a start and single moves take


@pytest.mark.parametrize("failing", [(3,), tuple(range(BLOCK))])
def test_few_halves_whose_search_failed_are_searched_for_once_more_and_the_better_counts(
    monkeypatch: pytest.MonkeyPatch, failing: tuple[int, ...]
) -> None:
    seeds: dict[int, list[int]] = {}

    def run(task: Task, split: Split, with_measures: bool, with_sweep: bool) -> SplitResult:
        seeds.setdefault(split.number, []).append(task.seed)
        found = run_split(task, split, with_measures, with_sweep)
        if split.number not in failing or len(seeds[split.number]) > 1:
            return found
        return replace(found, outputs=tuple(replace(o, missed=(0,), near=0.0) for o in found.outputs))

    monkeypatch.setattr(runner, "run_split", run)
    (found,) = _assessed({"sex": [0, 1] * 40, "tenure": [0, 0, 1, 1] * 20}, ["sex", "tenure"]).results
    twice = {number for number, of_split in seeds.items() if len(of_split) > 1}
    assert all(first != second for first, second in (seeds[number] for number in twice))
    # Where all fail, a second search is for a few of them only.
    assert twice == set(failing) if len(failing) == 1 else 0 < len(twice) <= 0.3 * BLOCK
    assert found.n_splits == len(seeds)
    assert found.in_splits[0] == pytest.approx(1 - (len(failing) - len(twice)) / len(seeds))
