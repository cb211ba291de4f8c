"""Real assessments from the ledger: what was released before counts, the data must be those that were registered."""

from __future__ import annotations

import json
import random
import threading
import zipfile
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from sqlalchemy import select

from divulge.errors import LedgerError
from divulge.ledger import assessing, datasets, jobs, queries, releases, workflow
from divulge.ledger.model import Choice, Job, JobState, Release, Submission
from divulge.ledger.proposals import Proposal
from divulge.ledger.verify import verify
from divulge.ledger.worker import Limits, Worker
from divulge.spec import parse_output
from divulge.spec.handed_in import Placed
from tests.support.assessing import ready
from tests.support.ledgers import World

ALL: dict[str, Any] = {"kind": "crosstab", "variables": ["SEX", "ILL"]}
SETTINGS = {"design": {"kind": "repeated-halves", "splits": 20}, "measures": ["TCAP"]}


@pytest.fixture
def world(small_world: World, tmp_path: Path) -> World:
    """Data about three hundred people, one of whom lives alone in area 9."""
    chance = random.Random(7)
    rows = [f"{chance.randint(1, 3) if i else 9},{chance.choice('FM')},{chance.choice('xyz')}" for i in range(300)]
    (tmp_path / "areas.csv").write_text("\n".join(["AREA,SEX,ILL", *rows]) + "\n", encoding="utf-8")
    with small_world.ledger.writing() as session:
        made = datasets.register(session, None, "areas", tmp_path / "areas.csv", settings=SETTINGS)
        datasets.open_to(session, None, made.id, small_world.project)
    return World(small_world.ledger, small_world.person, small_world.project, made.id)


def _submit(world: World, by: str, **fields: Any) -> int:
    content = {"title": "Illness by sex", "outputs": [{**ALL, "compute": True, **fields}]}
    with world.ledger.writing() as session:
        proposal = Proposal(**content)
        return workflow.submit(session, world.person[by], world.project, world.dataset, proposal).id


def _work(world: World, *, in_a_process: bool) -> None:
    """Assess what waits: as a worker does, or here, which is quicker."""
    if in_a_process:
        Worker(world.ledger, threading.Event(), Limits(heartbeat=0.2)).run(once=True)
        return
    lease = jobs.take_job(world.ledger, "here")
    assert lease is not None
    found = assessing.run(assessing.prepare(world.ledger, lease.submission_id, lease.job_id), lambda step: None)
    lease.finish(found.record, found.figures)


def _release_a_month_ago(world: World, submission: int) -> None:
    with world.ledger.writing() as session:
        for who in ("checker", "second"):
            workflow.decide(session, world.person[who], submission, Choice.RELEASE, "Large cells.")
    with world.ledger.writing() as session:
        subject = session.get_one(Submission, submission)
        at = subject.created_at - timedelta(days=31)
        releases.let_out(session, world.ledger.store, subject, world.person["checker"], "checker", at=at)


@pytest.mark.slow
def test_tables_of_two_researchers_that_differ_by_one_person_are_caught_at_the_second(world: World) -> None:
    first = _submit(world, "researcher")
    _work(world, in_a_process=False)
    _release_a_month_ago(world, first)
    second = _submit(world, "colleague", where="AREA != 9")
    _work(world, in_a_process=True)
    with world.ledger.reading() as session:
        assessed = queries.find_submission(session, None, second).assessments[0]
        record = json.loads(queries.find_record(session, assessed.id))
        before = queries.find_submission(session, None, first).assessments[0]
    assert before.exposed == 0
    assert (assessed.verdict, assessed.exposed) == ("refuse", 1)
    assert record["cumulative"]["adds"]["exposed"] == 1
    assert record["cumulative"]["releases"][0].startswith(f"submission {first}, output 1 (released ")
    assert assessed.adds == record["cumulative"]["adds"]["marginal_risk"]
    assert verify(world.ledger).faults == ()


@pytest.mark.slow
def test_released_zip_holds_the_figures_and_their_hashes(world: World) -> None:
    made = _submit(world, "researcher", threshold=46)
    _work(world, in_a_process=False)
    _release_a_month_ago(world, made)
    with world.ledger.reading() as session:
        packed = releases.release_zip(world.ledger.store, session.scalars(select(Release)).one())
    with zipfile.ZipFile(BytesIO(packed)) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        text = archive.read("files/output-1.csv").decode()
    assert text.splitlines()[0] == "term,value"
    assert "suppressed" in text
    assert manifest["files"][0]["name"] == "output-1.csv"
    assert len(manifest["trail"]["hash"]) == 64


def test_data_that_were_changed_since_are_noticed(world: World) -> None:
    with world.ledger.reading() as session:
        path = Path(datasets.get_dataset(session, world.dataset).path)
    path.write_text(path.read_text(encoding="utf-8") + "1,F,x\n", encoding="utf-8")
    made = _submit(world, "researcher")
    work = assessing.prepare(world.ledger, made, 1)
    with pytest.raises(LedgerError, match="not those that were registered"):
        assessing.run(work, lambda step: None)


def test_researcher_chooses_neither_data_nor_policy(world: World) -> None:
    made = _submit(world, "researcher")
    work = assessing.prepare(world.ledger, made, 1)
    assert set(work.document) == {"data", "schema", "outputs", "design", "measures"}
    assert Path(str(work.document["data"])).name == "areas.csv"


@pytest.mark.slow
def test_job_goes_on_where_another_worker_was_killed(world: World) -> None:
    made = _submit(world, "researcher")
    work = assessing.prepare(world.ledger, made, 1)

    class Killed(BaseException):
        pass

    def killed(step: Any) -> None:
        if step.done == 5:
            raise Killed

    with pytest.raises(Killed):
        assessing.run(work, killed)
    assert len(list((work.folder / "splits").glob("pass0-halves-*.npz"))) == 5
    again: list[int] = []
    found = assessing.run(work, lambda step: again.append(step.done))
    assert again[0] == 1
    assert found.record["splits"]["used"] == 20
    with world.ledger.reading() as session:
        assert session.scalars(select(Job)).one().state is JobState.QUEUED


def test_standard_errors_are_kept_with_their_own_decimals() -> None:
    model = {"kind": "logistic", "formula": "SEX ~ C(ILL)", "decimals": 2, "statistics": ["se"], "compute": True}
    coarse, fine = (assessing.released_figures(ready({**model, "se_decimals": n}))[0] for n in (2, 4))
    assert all(len(figure["value"].split(".")[1]) == 2 for figure in fine)
    assert all(len(figure["se"].split(".")[1]) == 4 for figure in fine)
    assert [f"{float(figure['se']):.2f}" for figure in fine] == [figure["se"] for figure in coarse]


def test_standard_errors_are_compared_with_the_data_as_on_the_command_line(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a column of the data could be handed in, and released, as standard errors."""
    model: dict[str, Any] = {"kind": "linear", "formula": "AREA ~ C(SEX)", "decimals": 4, "se_decimals": 4}
    plans: list[Any] = []

    def stop(found: Any, **_: Any) -> Any:
        plans.append(found)
        raise ZeroDivisionError

    monkeypatch.setattr(assessing, "assess", stop)

    def disagreeing(output: dict[str, Any]) -> int:
        with world.ledger.writing() as session:
            proposal = Proposal("T", [output])
            made = workflow.submit(session, world.person["researcher"], world.project, world.dataset, proposal).id
        lease = jobs.take_job(world.ledger, "here")
        assert lease is not None
        with pytest.raises(ZeroDivisionError):
            assessing.run(assessing.prepare(world.ledger, made, lease.job_id), lambda step: None)
        return int(plans[-1].disagrees[0])

    assert disagreeing({**model, "compute": True}) == 0
    found = plans[0].figures[0]
    pairs = zip(found.labels, found.values, found.se, strict=True)
    right = {label: {"value": round(float(v), 4), "se": round(float(se), 4)} for label, v, se in pairs}
    assert disagreeing({**model, "released": right}) == 0
    first = next(iter(right))
    wrong = {**right, first: {**right[first], "se": right[first]["se"] + 0.5}}
    assert disagreeing({**model, "released": wrong}) > 0


def test_output_of_a_file_with_long_numbers_of_its_authors_own_is_left_to_the_checker() -> None:
    lines = SimpleNamespace(candidate=SimpleNamespace(lines=(3, 9)))
    found = [
        Placed(
            "a.log", cast("Any", lines), {}, parse_output({"kind": "linear", "formula": text, "compute": True}), None
        )
        for text in ("y ~ I(x - 43.2)", "y ~ I(x - 4711.19700101)")
    ]
    kept, left = assessing._quiet(found, ("b.log: not read.",))
    assert kept == found[:1]
    assert left[0] == "b.log: not read."
    assert left[1].startswith("a.log, lines 3–9: linear cannot be assessed")


@pytest.fixture
def many(small_world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """The same people as a Parquet file, with three hundred taken for many."""
    from divulge.condensing import kept_counts
    from divulge.sources import file
    from divulge.table import read_table, write_table

    pytest.importorskip("duckdb")
    for module in (kept_counts, file, assessing):
        monkeypatch.setattr(module, "MANY", 300)
    chance = random.Random(7)
    rows = [f"{chance.randint(1, 3)},{chance.choice('FM')},{chance.choice('xyz')}" for i in range(400)]
    (tmp_path / "areas.csv").write_text("\n".join(["AREA,SEX,ILL", *rows]) + "\n", encoding="utf-8")
    write_table(read_table(tmp_path / "areas.csv"), tmp_path / "areas.parquet")
    with small_world.ledger.writing() as session:
        made = datasets.register(session, None, "areas", tmp_path / "areas.parquet", settings=SETTINGS)
        datasets.open_to(session, None, made.id, small_world.project)
        assert made.rows == 400
        assert made.fingerprint == datasets.fingerprint(read_table(tmp_path / "areas.csv"))
    return World(small_world.ledger, small_world.person, small_world.project, made.id)


@pytest.mark.slow
def test_many_people_are_counted_once_for_each_set_of_variables(many: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from divulge.sources.file import File

    read = File.read
    asked: list[Any] = []

    def counted(self: File, *args: Any, **given: Any) -> Any:
        asked.append(args)
        return read(self, *args, **given)

    monkeypatch.setattr(File, "read", counted)
    records = []
    for _ in range(2):
        work = assessing.prepare(many.ledger, _submit(many, "researcher"), 1)
        records.append(assessing.run(work, lambda step: None).record)
    assert len(asked) == 2, "once to see whether these are the data, once to count"
    assert records[0]["condensed"]["people"] == 400
    assert records[0]["data"] == records[1]["data"]
    assert records[0]["verdict"] == records[1]["verdict"]
    kept = list(many.ledger.store.condensed_folder.iterdir())
    assert {file.stat().st_mode & 0o777 for file in kept} == {0o600}


def test_many_people_who_were_changed_since_are_noticed_although_they_are_kept(many: World) -> None:
    from divulge.table import read_table, write_table

    assessing.run(assessing.prepare(many.ledger, _submit(many, "researcher"), 1), lambda step: None)
    with many.ledger.reading() as session:
        path = Path(datasets.get_dataset(session, many.dataset).path)
    write_table(read_table(path).take(slice(0, 399)), path)
    with pytest.raises(LedgerError, match="not those that were registered"):
        assessing.run(assessing.prepare(many.ledger, _submit(many, "colleague"), 2), lambda step: None)
