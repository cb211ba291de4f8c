"""The way from the command to the kernel: which passes there are, and how many frames it takes."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from numba.core.registry import CPUDispatcher

import divulge
from divulge.assess import assess
from divulge.cli.assess import run
from divulge.table import write_table
from tests.support.assessing import CROSSTAB, people, ready

SOURCE = str(Path(divulge.__file__).parent)
MOST_FRAMES = 12
SEX = {"kind": "crosstab", "variables": ["SEX"], "compute": True}


@pytest.mark.slow
def test_several_outputs_are_assessed_together_and_each_alone() -> None:
    found = assess(ready(CROSSTAB, SEX), workers=1)
    assert [r.outputs for r in found.results] == [(0, 1), (0,), (1,)]
    assert found.record["emergent"]["exposed_by_parts"] == 1
    assert [o["number"] for o in found.record["outputs"]] == [1, 2]


def test_outputs_are_assessed_together_only_where_that_is_asked_for() -> None:
    found = assess(ready(CROSSTAB, SEX), workers=1, alone=False)
    assert [r.outputs for r in found.results] == [(0, 1)]
    assert found.record["emergent"] is None


@pytest.mark.slow
def test_earlier_outputs_have_a_pass_of_their_own_under_the_same_scenarios() -> None:
    found = assess(ready(CROSSTAB, earlier=[SEX]), workers=1)
    together, alone, before = found.results
    assert (together.outputs, alone.outputs, before.outputs) == ((0, 1), (0,), (1,))
    assert [s.scenario for s in together.scenarios] == [s.scenario for s in before.scenarios]


def _ours(frame: FrameType | None) -> list[str]:
    """The frames of ours from the command to here."""
    found: list[str] = []
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(SOURCE):
            found.insert(0, f"{file.removeprefix(SOURCE)}:{frame.f_code.co_name}")
        if found and found[0] == "/cli/assess.py:run":
            break
        frame = frame.f_back
    return found


@pytest.mark.slow
def test_kernel_is_few_frames_away_from_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stacks: list[list[str]] = []

    def telling(kernel: Any) -> Any:
        def called(*given: Any) -> Any:
            stacks.append(_ours(sys._getframe(1)))
            return kernel(*given)

        return called

    for module in [m for n, m in list(sys.modules.items()) if n.startswith("divulge.") and ".kernels" not in n]:
        for name, value in list(vars(module).items()):
            if isinstance(value, CPUDispatcher):
                monkeypatch.setattr(module, name, telling(value))
    monkeypatch.chdir(tmp_path)
    write_table(people(), tmp_path / "people.csv")
    spec = "data: people.csv\nmeasures: [DCAP]\ndesign: {kind: repeated-halves, splits: 4}\noutputs:\n"
    spec += "  - {kind: crosstab, variables: [SEX, ILL], compute: true}\n"
    spec += "  - {kind: logistic, formula: SEX ~ C(ILL), decimals: 1, compute: true}\n"
    (tmp_path / "spec.yaml").write_text(spec, encoding="utf-8")
    run(tmp_path / "spec.yaml", output=tmp_path / "out", workers=1)
    searching = [stack for stack in stacks if any("synthesisers/descent" in frame for frame in stack)]
    assert searching, "the search calls kernels"
    deepest = max(searching, key=len)
    assert len(deepest) <= MOST_FRAMES, "\n".join(deepest)


def test_what_there_is_no_time_for_is_left_out_and_said() -> None:
    # A hundredth of a second is over before the first split.
    found = assess(replace(ready(CROSSTAB, SEX), budget=0.01), workers=1)
    assert [r.outputs for r in found.results] == [(0, 1)]
    assert "There was no time for each output alone." in found.record["reasons"]
