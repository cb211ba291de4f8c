"""`divulge assess` in trouble: killed, interrupted, a full or read-only disk, a holdout that is none."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from divulge.assess.recipe import Recipe
from divulge.assess.splits.holdout import _shared_rows
from divulge.demo import simulated_census
from divulge.errors import WorkerError
from divulge.reports import Html
from divulge.table import Table
from tests.support.running import divulge

SPEC = """data: people.csv
outputs:
  - {kind: crosstab, variables: [TOWN, OWNS], compute: true}
scenario: {target: OWNS, keys: [TOWN]}
design: {kind: repeated-halves, splits: 60, curve: false, stop_early: false}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    _write_people("people.csv", 1, 600)
    Path("spec.yaml").write_text(SPEC, encoding="utf-8")
    return tmp_path


def _write_people(name: str, first: int, n: int) -> None:
    """People with a number each, from `first` on."""
    rows = np.random.default_rng(first).integers(0, [2, 5], size=(n, 2)).tolist()
    lines = [f"{first + i},{owns},{town}" for i, (owns, town) in enumerate(rows)]
    Path(name).write_text("PERSON,OWNS,TOWN\n" + "\n".join(lines) + "\n", encoding="utf-8")


def _results(folder: str) -> tuple[dict[str, Any], bytes]:
    record: dict[str, Any] = json.loads(Path(folder, "record.json").read_text(encoding="utf-8"))
    del record["timings"]
    return record, Html().render(record).encode("utf-8")


def _finished() -> int:
    return len(list(Path("out/splits").glob("[!.]*.npz")))


def _heed_interrupts() -> None:
    """Where the tests run in the background, a shell has them ignore Ctrl-C, and so would what they start."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.parametrize(("blow", "workers"), [(signal.SIGKILL, 2), (signal.SIGKILL, 1), (signal.SIGINT, 1)])
def test_stopped_run_resumes_to_the_same_bytes(folder: Path, blow: signal.Signals, workers: int) -> None:
    # Long enough to be stopped in the middle: many splits, each with something to search for.
    spec = SPEC.replace("splits: 60", "splits: 300") + "synthesiser: {kind: descent, start: univariate, seconds: 60}\n"
    Path("spec.yaml").write_text(spec, encoding="utf-8")
    assert divulge("--quiet", "assess", "spec.yaml", "-o", "whole", "--workers", 1) == 0
    command = [sys.executable, "-m", "divulge", "assess", "spec.yaml", "-o", "out", "--workers", str(workers)]
    # A session of its own is a process group of its own, which the blow hits as a terminal's Ctrl-C would.
    run = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=_heed_interrupts,
    )
    end = time.monotonic() + 120
    while _finished() < 3:
        assert run.poll() is None, run.communicate()
        assert time.monotonic() < end
        time.sleep(0.002)
    os.killpg(run.pid, blow)
    _, said = run.communicate(timeout=60)
    assert run.returncode == (130 if blow == signal.SIGINT else -signal.SIGKILL)
    assert ("--resume" in said.decode()) is (blow == signal.SIGINT)
    assert not Path("out/record.json").exists()
    assert 3 <= _finished() < 300, "the run was over before it was stopped"
    assert divulge("--quiet", "assess", "spec.yaml", "-o", "out", "--workers", 1, "--resume") == 0
    assert _results("out") == _results("whole")
    assert sorted(path.name for path in Path("out").iterdir()) == ["record.json", "report.html"]


def test_split_that_was_half_written_is_computed_again(folder: Path) -> None:
    assert divulge("--quiet", "assess", "spec.yaml", "-o", "whole", "--workers", 1) == 0
    from divulge.assess.splits.checkpoint import Checkpoint

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Checkpoint, "clear", lambda self: None)
        assert divulge("--quiet", "assess", "spec.yaml", "-o", "out", "--workers", 1) == 0
    for number, path in enumerate(sorted(Path("out/splits").glob("[!.]*.npz"))):
        if number % 2:
            path.write_bytes(path.read_bytes()[: 40 * number])
    assert divulge("--quiet", "assess", "spec.yaml", "-o", "out", "--workers", 1, "--resume") == 0
    assert _results("out") == _results("whole")


@pytest.mark.parametrize("after", [0, 5, 61])
def test_full_disk_is_an_error_and_leaves_nothing_half_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], after: int
) -> None:
    real, written = os.fsync, []

    def full(handle: int) -> None:
        written.append(handle)
        if len(written) > after:
            raise OSError(28, "No space left on device")
        real(handle)

    monkeypatch.setattr(os, "fsync", full)
    assert divulge("assess", "spec.yaml", "-o", "out", "--workers", 1) == 38
    said = capsys.readouterr().err
    assert "No space left on device" in said
    assert "that has room" in said
    if after == 0:
        assert not Path("out").exists()
        return
    # What is finished is whole, and is all that is there.
    assert not Path("out/record.json").exists()
    assert [path.name for path in Path("out").iterdir()] == ["splits"]
    assert _finished() == after - 1
    assert not list(Path("out/splits").glob(".*"))
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    assert divulge("--quiet", "assess", "spec.yaml", "-o", "out", "--workers", 1, "--resume") == 0


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a folder in which nobody may write")
def test_folder_in_which_nobody_may_write_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Nobody, root included, makes a folder in /proc.
    assert divulge("assess", "spec.yaml", "-o", "/proc/self/out") == 38
    said = capsys.readouterr().err
    assert "/proc/self/out/splits: cannot make the folder" in said
    assert "Choose another" in said


def test_file_in_the_place_of_the_folder_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("out").write_text("mine", encoding="utf-8")
    assert divulge("assess", "spec.yaml", "-o", "out") == 38
    assert "cannot make the folder" in capsys.readouterr().err
    assert Path("out").read_text(encoding="utf-8") == "mine"


def test_results_of_an_earlier_run_survive_one_that_fails(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert divulge("--quiet", "assess", "spec.yaml", "-o", "out", "--workers", 1) == 0
    before = _results("out")

    def fail(*_: object) -> None:
        raise WorkerError("a process ended.")

    monkeypatch.setattr("divulge.assess.conduct.run_pass", fail)
    assert divulge("--quiet", "assess", "spec.yaml", "-o", "out", "--workers", 1) == WorkerError.exit_code
    assert _results("out") == before
    assert not Path("out/splits").exists()


_IMPORTED = """
import sys
from divulge.cli import main
try:
    main(["--quiet", "assess", "spec.yaml", "-o", "out", "--workers", "1"])
except SystemExit as ended:
    assert not ended.code
heavy = ("pandas", "formulaic", "narwhals", "joblib", "matplotlib", "sklearn", "scipy.stats")
print([n for n in heavy if n in sys.modules])
"""


def test_assessment_imports_nothing_that_takes_longer_than_it_does(folder: Path) -> None:
    model = "outputs:\n  - {kind: logistic, formula: OWNS ~ C(TOWN), decimals: 1, compute: true}\n"
    Path("spec.yaml").write_text(SPEC.replace("outputs:\n", model).replace("splits: 60", "splits: 4"), encoding="utf-8")
    said = subprocess.run([sys.executable, "-c", _IMPORTED], check=True, capture_output=True, text=True).stdout
    assert said.strip().endswith("[]")


def test_holdout_of_other_people_is_measured_beside(folder: Path) -> None:
    _write_people("others.csv", 5001, 300)
    Path("spec.yaml").write_text(f"holdout: others.csv\n{SPEC}", encoding="utf-8")
    assert divulge("--quiet", "assess", "spec.yaml", "-o", "out", "--workers", 1) == 0
    dcap = _results("out")[0]["risk"][0]["holdout"]["DCAP"]
    assert 0 < dcap["holdout"] < dcap["original"] < 1
    assert dcap["difference"] == pytest.approx(dcap["original"] - dcap["holdout"])


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ((501, 300), "100 of 300 rows of the holdout are in the original too"),
        ((1, 600), "600 of 600 rows of the holdout are in the original too"),
    ],
)
def test_holdout_that_overlaps_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], rows: tuple[int, int], said: str
) -> None:
    _write_people("others.csv", *rows)
    Path("spec.yaml").write_text(f"holdout: others.csv\n{SPEC}", encoding="utf-8")
    assert divulge("assess", "spec.yaml", "-o", "out") == 54
    assert said in capsys.readouterr().err
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [("PERSON,OWNS\n1,1\n", 54, "the holdout has no column 'TOWN'"), (None, 30, "holdout: others.csv")],
)
def test_holdout_of_another_kind_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str | None, code: int, said: str
) -> None:
    if text is not None:
        Path("others.csv").write_text(text, encoding="utf-8")
    Path("spec.yaml").write_text(f"holdout: others.csv\n{SPEC}", encoding="utf-8")
    assert divulge("assess", "spec.yaml", "-o", "out") == code
    assert said in capsys.readouterr().err
    assert not Path("out").exists()


def test_people_who_are_merely_alike_are_not_called_the_same() -> None:
    people, others = simulated_census(4000, 1), simulated_census(2000, 2)
    assert _shared_rows(people, others) == 0


def test_people_without_numbers_are_counted_from_rows_that_have_no_twin() -> None:
    people, others = simulated_census(4000, 1), simulated_census(2000, 2)
    columns = zip(people.columns, others.columns, strict=True)
    mixed = Table(others.schema, tuple(np.concatenate([b[:1500], a[:500]]) for a, b in columns))
    # An estimate: those who have a twin cannot be told from strangers. Four standard errors are a quarter of it.
    assert _shared_rows(people, mixed) == pytest.approx(500, rel=0.25)


@pytest.mark.parametrize("stops", [1, 2])
def test_every_resume_goes_further_than_the_run_before(
    folder: Path, monkeypatch: pytest.MonkeyPatch, stops: int
) -> None:
    spec = SPEC.replace("splits: 60", "splits: 4")
    Path("spec.yaml").write_text(spec, encoding="utf-8")
    assert divulge("--quiet", "assess", "spec.yaml", "-o", "whole", "--workers", 1) == 0
    searched: list[int] = []
    embed, may = Recipe.embed, [1]

    def counted(self: Recipe, *args: Any, run: int = 0, **more: Any) -> Any:
        if len(searched) == may[0]:
            raise KeyboardInterrupt
        searched.append(run)
        return embed(self, *args, run=run, **more)

    monkeypatch.setattr(Recipe, "embed", counted)
    resume: list[str] = []
    for _ in range(stops):
        # Stopped in the second search of the run: one is finished, whichever it is.
        assert divulge("--quiet", "assess", "spec.yaml", "-o", "out", "--workers", 1, *resume) == 130
        may, resume = [len(searched) + 1], ["--resume"]
    may[0] = 10_000
    assert divulge("--quiet", "assess", "spec.yaml", "-o", "out", "--workers", 1, "--resume") == 0
    assert len(set(searched)) == len(searched), "no search is made twice"
    assert _results("out") == _results("whole")
