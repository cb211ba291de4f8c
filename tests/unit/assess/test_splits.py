"""One split, and the runner: results in the order of the splits, finished ones taken from where they are kept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from divulge.assess.scenarios import scenarios_for
from divulge.assess.splits.checkpoint import Checkpoint
from divulge.assess.splits.runner import Runner, Step
from divulge.assess.splits.split import SplitResult, run_split
from divulge.assess.splits.task import Task, make_task
from divulge.designs import RepeatedHalves, Split
from divulge.objective import Outcome
from divulge.scenario import Scenario
from divulge.synthesisers import Descent
from divulge.synthesisers.descent.last_digits import LastDigits
from tests.support.assessing import CROSSTAB, ready
from tests.support.tables import small_table


def _task(**output: object) -> Task:
    found = ready({**CROSSTAB, **output})
    scenarios = scenarios_for((), found.outputs, found.table.schema)
    return make_task(found.outputs, scenarios, found.table, found.families, found.synthesiser, 1)


TASK = _task()
SPLITS = ready(CROSSTAB).design.splits(300, 1)


def test_task_has_only_the_variables_that_are_spoken_of() -> None:
    assert TASK.table.names == ("AREA", "ILL")
    assert TASK.knowledge.known == ("AREA", "ILL")


def test_split_embeds_its_half_and_looks_everybody_up() -> None:
    found = run_split(TASK, SPLITS[0], True, False)
    assert found.is_usable
    assert found.outputs[0].reproduced == 1.0
    inside = SPLITS[0].rows()[0]
    lookup = TASK.lookups[0]
    scores = lookup.scores(found.counts[0])[lookup.cell_of_row]
    # A full table is its half: people in it are found, and the one who is alone in area 9 only where in.
    assert scores[inside].mean() > scores[~inside].mean()
    assert found.measures[0]["DCAP"].original > found.measures[0]["DCAP"].holdout
    assert found.sweep == ()


def test_split_that_nobody_is_left_in_prints_a_dash_and_still_counts() -> None:
    # Only one person is in area 9: in half of the splits nobody is left. Dropped, they would never be out.
    task = _task(kind="means", variables=["SEX"], where="AREA = '9'")
    found = [run_split(task, split, False, False) for split in SPLITS]
    assert all(r.is_usable for r in found)
    is_out = [not split.rows()[0][0] for split in SPLITS]
    assert [r.outputs[0].is_silent for r in found] == is_out
    assert sum(is_out) == 2


def test_split_with_too_few_rows_for_an_output_says_so_and_nothing_else() -> None:
    # Thirty-six coefficients, of which thirty rows are too few.
    rng = np.random.default_rng(3)  # any: numbers that have nothing to do with each other
    names = [f"X{i}" for i in range(35)]
    many = small_table(Y=[i % 7 for i in range(60)], **{n: [int(v) for v in rng.integers(0, 9, 60)] for n in names})
    plan_of = ready({"kind": "linear", "formula": f"Y ~ {' + '.join(names)}", "compute": True}, table=many)
    task = make_task(plan_of.outputs, [Scenario(("X0",), "Y")], many, plan_of.families, plan_of.synthesiser, 1)
    found = run_split(task, plan_of.design.splits(60, 1)[0], False, False)
    assert not found.is_usable
    assert found.why_not is not None
    assert "too few rows" in found.why_not
    assert found.counts == ()


def test_interrupted_search_does_not_pass_for_a_whole_one(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Descent.embed

    def interrupted(*given: object, **options: object) -> object:
        return replace(real(*given, **options), outcome=Outcome.INTERRUPTED)  # type: ignore[arg-type]

    monkeypatch.setattr(Descent, "embed", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_split(TASK, SPLITS[0], False, False)


def test_means_end_near_where_last_digits_were_in_vain(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = np.random.default_rng(6).integers(0, 900, 300).tolist()  # any
    table = small_table(PAY=numbers, SEX=[i % 2 for i in range(300)])
    output = {"kind": "means", "variables": ["PAY"], "by": ["SEX"], "compute": True, "decimals": 6}
    found = ready(output, table=table)
    scenarios = scenarios_for((), found.outputs, table.schema)
    task = make_task(found.outputs, scenarios, table, found.families, found.synthesiser, 1)
    monkeypatch.setattr(LastDigits, "land", lambda self: pytest.fail("near is enough"))
    result = run_split(replace(task, near_suffices=True), found.design.splits(300, 1)[0], False, False)
    assert result.outcome == Outcome.NEAR_ENOUGH
    assert result.outputs[0].near == 1.0
    assert result.outputs[0].reproduced < 1.0


def _numbers(results: list[SplitResult]) -> list[int]:
    return [r.split.number for r in results]


def test_splits_that_come_block_by_block_are_counted_as_one_stage() -> None:
    steps: list[Step] = []
    runner = Runner(Checkpoint(None, "", resume=False), 1, steps.append)
    for block in (SPLITS[:2], SPLITS[2:4]):
        list(runner.results("pass0", "All", TASK, block, beside=2))
    assert [(step.done, step.total) for step in steps] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert steps[-1].seconds_left == 0


def test_runner_takes_finished_splits_from_the_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint, steps = Checkpoint(tmp_path, "digest", resume=False), list[Step]()
    first = list(Runner(checkpoint, 1).results("pass0", "All", TASK, SPLITS[:2]))
    monkeypatch.setattr("divulge.assess.splits.runner.run_split", lambda *_: pytest.fail("it is finished"))
    again = list(Runner(checkpoint, 1, steps.append).results("pass0", "All", TASK, SPLITS[:2]))
    assert _numbers(first) == _numbers(again) == [0, 1]
    assert [np.array_equal(a.counts[0].near, b.counts[0].near) for a, b in zip(first, again, strict=True)] == [True] * 2
    assert [(s.done, s.total, s.seconds_left) for s in steps] == [(1, 2, None), (2, 2, None)]


def test_key_subsets_are_swept_over_where_asked_for() -> None:
    found = ready(CROSSTAB, scenario={"target": "ILL", "keys": ["AREA", "SEX"], "key_sizes": "1-2"}, measures=["TCAP"])
    scenarios = scenarios_for(found.assessment.scenarios, found.outputs, found.table.schema)
    task = make_task(found.outputs, scenarios, found.table, found.families, found.synthesiser, 1)
    results = list(Runner(Checkpoint(None, "", resume=False), 1).results("p", "", task, SPLITS[:2], sweep_at=(1,)))
    assert [bool(r.sweep) for r in results] == [False, True]
    assert all("_sweep" in name for name in results[1].sweep[0])


_PARENT_AND_WORKER = """
import os, time
from divulge.assess.splits.runner import _end_with
parent = os.getpid()
if os.fork() == 0:
    _end_with(parent)
    print("ready", flush=True)
time.sleep(600)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork to make a child without joblib")
@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
def test_worker_ends_with_whoever_started_it(ending: signal.Signals) -> None:
    parent = subprocess.Popen([sys.executable, "-c", _PARENT_AND_WORKER], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    assert parent.stdout.readline() == "ready\n"
    parent.send_signal(ending)
    # The pipe is closed once both have ended; a worker looks every second, and a busy machine may take a while.
    assert parent.communicate(timeout=60)[0] == ""


def test_splits_that_load_compiled_code_start_no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("divulge.assess.splits.runner._in_processes", lambda *_: pytest.fail("they do not pay"))
    monkeypatch.setattr("divulge.assess.splits.runner.os.cpu_count", lambda: 2)
    took = iter([1.9, 0.1, 0.1, 0.1])
    made = run_split(TASK, SPLITS[0], False, False)
    monkeypatch.setattr(
        "divulge.assess.splits.runner.run_split", lambda _, split, *__: replace(made, split=split, seconds=next(took))
    )
    runner = Runner(Checkpoint(None, "", resume=False))
    assert len(list(runner.results("p", "", TASK, SPLITS[:4]))) == 4


def _shared(monkeypatch: pytest.MonkeyPatch, seconds: float) -> list[int]:
    """How many splits are shared out each time, where one takes so long."""
    monkeypatch.setattr("divulge.assess.splits.runner.os.cpu_count", lambda: 2)
    made = run_split(TASK, SPLITS[0], False, False)
    shared: list[int] = []

    def in_processes(workers: int, task: Task, rest: Sequence[Split], *_: object) -> Iterator[SplitResult]:
        shared.append(len(rest))
        return (replace(made, split=s, seconds=seconds) for s in rest)

    monkeypatch.setattr("divulge.assess.splits.runner._in_processes", in_processes)
    monkeypatch.setattr(
        "divulge.assess.splits.runner.run_split", lambda _, split, *__: replace(made, split=split, seconds=seconds)
    )
    return shared


def test_splits_that_turn_out_long_are_shared_out(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = _shared(monkeypatch, 7.0)
    runner = Runner(Checkpoint(None, "", resume=False))
    assert [r.split for r in runner.results("p", "", TASK, SPLITS[:4])] == list(SPLITS[:4])
    assert shared == [3]


def test_a_block_is_shared_out_where_all_blocks_make_that_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    # A second each: ten are not worth two processes, thirty are. The first may have been loading.
    shared = _shared(monkeypatch, 1.0)
    runner = Runner(Checkpoint(None, "", resume=False))
    splits = RepeatedHalves(splits_wanted=30).splits(300, 1)
    for start in (0, 10, 20):
        found = runner.results("p", "", TASK, splits[start : start + 10], beside=20)
        assert [r.split for r in found] == list(splits[start : start + 10])
    assert shared == [8, 10, 10]
