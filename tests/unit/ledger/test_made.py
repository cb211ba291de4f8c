"""Outputs of variables that a session made: assessed as on the command line, and judged beside what they tell of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from divulge.assess import Candidate, plan
from divulge.errors import SpecError
from divulge.ledger import assessing, jobs, made, releases, searches, workflow
from divulge.ledger.earlier import earlier_outputs
from divulge.ledger.model import Choice, Dataset, Submission
from divulge.ledger.proposals import HANDED_IN, Proposal
from divulge.ledger.verify import verify
from divulge.record import dumps
from divulge.safer.propose import Mitigated
from divulge.spec import Assessment
from divulge.table import read_table
from tests.support.ledgers import World

QUICK = {"design": {"kind": "repeated-halves", "splits": 2, "curve": False}, "measures": ["TCAP"]}


@pytest.fixture
def world(small_world: World) -> World:
    with small_world.ledger.writing() as session:
        session.get_one(Dataset, small_world.dataset).settings = QUICK
    return small_world


def _people(world: World) -> pd.DataFrame:
    with world.ledger.reading() as session:
        return pd.read_csv(session.get_one(Dataset, world.dataset).path)


def _session(world: World, limit: int, words: tuple[str, str] = ("yes", "no")) -> bytes:
    """A log of R's in which somebody makes a variable of two words and counts by it."""
    frame = _people(world)
    made_of = frame.AGE.gt(limit).map({True: words[0], False: words[1]}).rename("old")
    counts = pd.crosstab(made_of, frame.WORK)
    rule = f"ifelse(d$AGE > {limit}, '{words[0]}', '{words[1]}')"
    wide = max(map(len, counts.index))
    rows = [f"  {label:<{wide}} {row.iloc[0]:>4} {row.iloc[1]:>4}" for label, row in counts.iterrows()]
    said = ["> d <- read.csv('people.csv')", f"> d$old <- {rule}", "> table(d$old, d$WORK)"]
    lines = [*said, "       ", f"  {'':<{wide}}   no  yes", *rows, "> "]
    return "\n".join(lines).encode()


def _hand_in(world: World, log: bytes) -> int:
    with world.ledger.writing() as session:
        blob = world.ledger.store.put(log)
        proposal = Proposal("Work by age", (), uploads=[("work.Rout", blob)], origin=HANDED_IN)
        return workflow.submit(session, world.person["researcher"], world.project, world.dataset, proposal).id


def _assess(world: World) -> Any:
    lease = jobs.take_job(world.ledger, "here")
    assert lease is not None
    found = assessing.run(assessing.prepare(world.ledger, lease.submission_id, lease.job_id), lambda step: None)
    lease.finish(found.record, found.figures, found.outputs)
    return found


def _release(world: World, number: int) -> None:
    with world.ledger.writing() as session:
        for checker in ("checker", "second"):
            workflow.decide(session, world.person[checker], number, Choice.RELEASE, "Fine.")
        releases.release(session, world.person["checker"], number, world.ledger.store)


@pytest.mark.slow
def test_table_of_a_made_variable_is_assessed_released_and_counts_for_what_comes_later(world: World) -> None:
    number = _hand_in(world, _session(world, 40))
    found = _assess(world)
    assert [one["kind"] for one in found.record["outputs"]] == ["crosstab"]
    assert not found.record["handed_in"]["left"]
    with world.ledger.reading() as session:
        output = session.get_one(Submission, number).outputs[0]
        assert list(output.made or {}) == ["old"]
        assert {figure["label"] for figure in output.figures or ()} >= {"old=yes & WORK=yes"}
    _release(world, number)
    assert verify(world.ledger).faults == ()
    # A table of ages shares no name with it, and tells of the same.
    with world.ledger.writing() as session:
        output_of_age = {"kind": "crosstab", "variables": ["AGE"], "where": "SEX = F", "compute": True}
        proposal = Proposal("Ages", [output_of_age])
        workflow.submit(session, world.person["researcher"], world.project, world.dataset, proposal)
    later = _assess(world).record
    assert later["cumulative"]["left_out"] == []
    assert later["cumulative"]["releases"][0].startswith(f"submission {number}, output 1")


@pytest.mark.slow
def test_words_of_an_authors_own_are_for_a_checker_to_read(world: World) -> None:
    _hand_in(world, _session(world, 40))
    record = _assess(world).record
    assert record["verdict"] != "release"
    assert "somebody must read them: 'yes', 'no'." in record["reasons"][-1]


@pytest.mark.slow
def test_variable_that_would_carry_a_row_out_is_left_to_the_checker(world: World) -> None:
    _hand_in(world, _session(world, 40, ("Zebedee-born-1970-has-lupus", "no")))
    found = _assess(world)
    assert found.outputs == ()
    assert "long" in str(found.record["handed_in"]["left"])


LOUD = {
    "a long word": {"old": "cond(AGE > 40, 'Zebedee has lupus since May', 'no')"},
    "digits in a word": {"old": "cond(AGE > 40, 'NHS 4711197', 'no')"},
    "digits in a name": {"old_47111970": "AGE > 40"},
    "a long name": {"o" * 40: "AGE > 40"},
    "a long number": {"old": "AGE + 4711197.01"},
    "many words": {"old": "f(" + ", ".join(f"'{a}{b}'" for a in "abcde" for b in "abcde") + ")"},
}


@pytest.mark.parametrize("what", LOUD)
def test_loud_variable_is_refused(what: str) -> None:
    with pytest.raises(SpecError):
        made.check_quiet(LOUD[what])


def test_quiet_variable_is_taken() -> None:
    made.check_quiet({"age_band2": "recode_ranges(AGE, 16, 24, 1, 25, 64, 2)", "old": "cond(AGE > 40, 'yes', 'no')"})


def test_name_that_meant_something_else_in_an_earlier_release_is_told(world: World) -> None:
    with world.ledger.reading() as session:
        table = read_table(session.get_one(Dataset, world.dataset).path)
    before = [
        Candidate("submission 7", {"kind": "crosstab", "variables": ["old"], "compute": True}, {"old": "AGE > 40"})
    ]
    assert made.clashing(table, {"old": "AGE > 41"}, before) == {"old": "submission 7"}
    # Written otherwise, and the same for everybody.
    assert made.clashing(table, {"old": "40 < AGE"}, before) == {}


def test_earlier_release_is_related_by_what_its_variable_was_made_of(world: World) -> None:
    with world.ledger.reading() as session:
        table = read_table(session.get_one(Dataset, world.dataset).path)
    of_age = Candidate("a", {"kind": "crosstab", "variables": ["old"], "compute": True}, {"old": "AGE > 40"})
    of_sex = replace(
        of_age, release="b", made={"old2": "SEX == 'F'"}, document={**of_age.document, "variables": ["old2"]}
    )
    whole, found = made.together(table, ["AGE"], {}, [of_age, of_sex])
    assert [one.related for one in found] == [True, False]
    assert "old" in whole.schema
    assert "old2" not in whole.schema
    plain = Candidate("c", {"kind": "crosstab", "variables": ["AGE"], "compute": True})
    assert made.together(table, ["old"], {"old": "AGE > 40"}, [plain])[1][0].related


def test_made_variables_are_told_with_earlier_outputs(world: World, tmp_path: Path) -> None:
    number = world.ready()
    _release(world, number)
    with world.ledger.writing() as session:
        session.get_one(Submission, number).outputs[0].made = {"old": "AGE > 40"}
    with world.ledger.reading() as session:
        fingerprint = session.get_one(Dataset, world.dataset).fingerprint
        assert earlier_outputs(session, fingerprint)[0].made == {"old": "AGE > 40"}


def test_search_for_a_safer_table_minds_earlier_releases_of_made_variables(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with world.ledger.reading() as session:
        dataset = session.get_one(Dataset, world.dataset)
        document = {**QUICK, "data": dataset.path, "schema": ".schema.json"}
        schema, fingerprint = dumps(dataset.schema), dataset.fingerprint
    new = {"kind": "crosstab", "variables": ["AGE"], "compute": True}
    old = Candidate(
        "submission 7", {"kind": "crosstab", "variables": ["old", "SEX"], "compute": True}, {"old": "AGE > 40"}
    )
    asked: dict[str, Any] = {}

    def planned(assessment: Assessment, **given: Any) -> Mitigated:
        ready = plan(assessment, given["inputs"], given["released_before"])
        asked["embedded"] = [one.release for one in ready.earlier.kept]
        nothing = {"verdict": "release", "reasons": [], "exposure": {"exposed": 0}, "risk": []}
        return Mitigated(assessment, given["inputs"], nothing, (), (), (), 0, 0.0)

    monkeypatch.setattr("divulge.safer.mitigate", planned)
    searches.run(searches._Work({**document, "outputs": [new]}, schema, (), fingerprint, (old,)), lambda step: None)
    assert asked == {"embedded": ["submission 7"]}
