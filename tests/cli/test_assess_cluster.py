"""`divulge assess --scheduler`: a real scheduler and real worker processes, one of which is killed in mid-run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from divulge.assess import Step, assess, plan
from divulge.assess.splits import cluster
from divulge.reports import Html
from divulge.spec import read_spec
from tests.support.running import divulge

SPEC = """data: people.csv
outputs:
  - {kind: crosstab, variables: [TOWN, OWNS], compute: true}
scenario: {target: OWNS, keys: [TOWN]}
design: {kind: repeated-halves, splits: 20, curve: false, stop_early: false}
"""


class Cluster:
    """A scheduler and two workers, each a process of its own. `kill` kills a worker for good."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "log.txt"
        # As dask's nanny has it, which slows numpy down unless it is put right.
        self.environment = os.environ | {"MALLOC_TRIM_THRESHOLD_": "65536"}
        file = folder / "scheduler.json"
        common = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(file)]
        self.scheduler = self._start("dask_scheduler", "--port", "0", *common)
        wait_for(file.exists)
        self.address = str(json.loads(file.read_text(encoding="utf-8"))["address"])
        worker = ["--host", "127.0.0.1", "--no-dashboard", "--no-nanny", "--nthreads", "1", "--local-directory"]
        self.workers = [self._start("dask_worker", self.address, *worker, str(folder)) for _ in range(2)]

    def _start(self, module: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments]
        with self.log.open("ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, env=self.environment)

    def kill(self, number: int) -> None:
        self.workers[number].send_signal(signal.SIGKILL)
        self.workers[number].wait(10)

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait(10)


def wait_for(condition: Any, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.05)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rng = np.random.default_rng(1)
    rows = "\n".join(f"{owns},{town}" for owns, town in rng.integers(0, [2, 5], size=(400, 2)).tolist())
    (tmp_path / "people.csv").write_text(f"OWNS,TOWN\n{rows}\n", encoding="utf-8")
    (tmp_path / "spec.yaml").write_text(SPEC, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def two_workers(folder: Path) -> Iterator[Cluster]:
    made = Cluster(folder)
    yield made
    made.close()


def _bytes(folder: str) -> tuple[str, bytes]:
    record = json.loads(Path(folder, "record.json").read_text(encoding="utf-8"))
    del record["timings"]
    return json.dumps(record), Html().render(record).encode("utf-8")


def test_cluster_finds_the_same_bytes_even_where_a_worker_is_killed(two_workers: Cluster) -> None:
    for workers in (1, 2):
        assert divulge("--quiet", "assess", "spec.yaml", "-o", f"out{workers}", "--workers", workers) == 0
    scheduler = ("--scheduler", two_workers.address)
    assert divulge("--quiet", "assess", "spec.yaml", "-o", "cluster", *scheduler) == 0
    assert _bytes("out1") == _bytes("out2") == _bytes("cluster")

    seen: list[Step] = []

    def kill(step: Step) -> None:
        seen.append(step)
        if len(seen) == 3:
            two_workers.kill(0)

    found = assess(plan(read_spec("spec.yaml")), scheduler=two_workers.address, listener=kill)
    assert two_workers.workers[0].returncode == -signal.SIGKILL
    assert two_workers.workers[1].poll() is None
    assert len(seen) == 20
    del found.record["timings"]
    whole = json.loads(_bytes("out1")[0])
    del whole["findings"]  # what inspect knows, which the command adds
    assert {**found.record, "spec": None} == {**whole, "spec": None}  # no text of the spec was given here


def test_run_whose_workers_all_die_keeps_what_is_finished(
    two_workers: Cluster, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cluster, "BETWEEN_CHECKS", 0.2)
    real = cluster.Cluster._result
    done: list[object] = []

    def then_die(self: Any, future: Any) -> Any:
        if len(done) == 2:
            two_workers.kill(0)
            two_workers.kill(1)
        done.append(future)
        return real(self, future)

    monkeypatch.setattr(cluster.Cluster, "_result", then_die)
    # Workers are waited for at the start, and given up sooner later.
    monkeypatch.setattr(cluster.Cluster, "_wait_for_workers", _patiently(monkeypatch))
    assert divulge("assess", "spec.yaml", "-o", "out", "--scheduler", two_workers.address) == 58
    said = capsys.readouterr().err
    assert "all workers are gone" in said
    assert "--resume" in said
    assert len(list(Path("out/splits").glob("*.npz"))) >= 2
    assert not Path("out/record.json").exists()
    assert divulge("--quiet", "assess", "spec.yaml", "-o", "whole", "--workers", 1) == 0
    assert divulge("--quiet", "assess", "spec.yaml", "-o", "out", "--workers", 1, "--resume") == 0
    assert _bytes("out") == _bytes("whole")


def _patiently(monkeypatch: pytest.MonkeyPatch) -> Any:
    real = cluster.Cluster._wait_for_workers

    def wait(self: Any) -> None:
        real(self)
        monkeypatch.setattr(cluster, "FOR_WORKERS", 1.0)

    return wait


def test_scheduler_that_is_not_there_is_an_error_and_nothing_is_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cluster, "TO_CONNECT", 0.5)
    # The port is one that nobody may listen on without being root, and nobody does.
    assert divulge("assess", "spec.yaml", "-o", "out", "--scheduler", "tcp://127.0.0.1:9") == 58
    said = capsys.readouterr().err
    assert "--scheduler tcp://127.0.0.1:9: no dask scheduler answers" in said
    assert "dask scheduler" in said
    assert not Path("out").exists()


def test_address_that_is_none_is_an_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert divulge("assess", "spec.yaml", "-o", "out", "--scheduler", "carrier://pigeon") == 58
    assert "no dask scheduler answers" in capsys.readouterr().err


def test_missing_package_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert divulge("assess", "spec.yaml", "-o", "out", "--scheduler", "tcp://127.0.0.1:9") == 2
    said = capsys.readouterr().err
    assert "'distributed', which is not installed" in said
    assert "divulge[cluster]" in said
    assert not Path("out").exists()


def test_worker_with_other_versions_is_refused(folder: Path) -> None:
    wanted = {**cluster.versions(), "numpy": "1.0"}
    with pytest.raises(cluster.WorkerError, match=r"a worker has numpy .*, and 1\.0 is used here"):
        cluster._run_remotely(None, None, False, False, wanted)  # type: ignore[arg-type]  # it is refused before


def test_condensed_people_are_shared_out_and_found_alike(two_workers: Cluster) -> None:
    spec = """data: people
outputs:
  - {kind: linear, formula: OWNS ~ C(TOWN), compute: true}
  - {kind: crosstab, variables: [TOWN, SEX], compute: true}
design: {kind: repeated-halves, splits: 20, stop_early: false}
measures: [DCAP]
"""
    rng = np.random.default_rng(2)  # any seed will do
    columns = {"OWNS": rng.integers(0, 2, 2000), "TOWN": rng.integers(0, 5, 2000), "SEX": rng.integers(0, 2, 2000)}
    Path("people").mkdir()
    pq.write_table(pa.table(columns), "people/one.parquet")
    Path("many.yaml").write_text(spec, encoding="utf-8")
    ready = plan(read_spec("many.yaml"))
    assert ready.table.people is not None
    seen: list[Step] = []

    def kill(step: Step) -> None:
        seen.append(step)
        if len(seen) == 3:
            two_workers.kill(0)

    found = [assess(ready, workers=workers).record for workers in (1, 2, 8)]
    found.append(assess(ready, scheduler=two_workers.address).record)
    found.append(assess(ready, scheduler=two_workers.address, listener=kill).record)
    assert two_workers.workers[0].returncode == -signal.SIGKILL
    for record in found:
        record["timings"] = record["audit"]["seconds"] = None
        assert record == found[0]
