"""Ten thousand submissions: every list is a page, in as many queries as for ten, by an index."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import event, insert, text
from sqlalchemy.orm import Session

from divulge.ledger import queries
from divulge.ledger.database import Ledger
from divulge.ledger.model import (
    Assignment,
    Base,
    CheckerDecision,
    Choice,
    Job,
    JobState,
    State,
    StoredAssessment,
    SubmittedOutput,
)
from tests.support.ledgers import CROSSTAB, World

MANY = 10_000


def fill(world: World, count: int) -> None:
    """So many submissions in all states, every third released, with what belongs to them."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    states, authors = list(State), [world.person[n] for n in ("researcher", "colleague")]
    rows = [
        {
            "id": i,
            "project_id": world.project,
            "dataset_id": world.dataset,
            "author_id": authors[i % 2],
            "title": f"Table {i}",
            "state": State.RELEASED if i % 3 == 0 else states[i % len(states)],
            "created_at": start + timedelta(minutes=i),
            "changed_at": start + timedelta(minutes=i),
        }
        for i in range(1, count + 1)
    ]
    each: dict[type[Any], Callable[[int], dict[str, Any]]] = {
        SubmittedOutput: lambda i: {"number": 1, "kind": "crosstab", "document": CROSSTAB, "variables": ["SEX"]},
        Assignment: lambda i: {"person_id": world.person["checker"]},
        CheckerDecision: lambda i: {"person_id": world.person["second"], "choice": Choice.RELEASE, "reason": "Fine."},
        Job: lambda i: {"state": JobState.DONE},
        StoredAssessment: lambda i: {"verdict": "release", "record": "{}", "digest": "0" * 64},
    }
    # Into the tables themselves: what is made up here for lists is not sealed in the audit trail.
    tables = Base.metadata.tables
    with world.ledger.writing() as session:
        session.execute(insert(tables["submissions"]), rows)
        for kind, made in each.items():
            of_each = [{"submission_id": r["id"], **made(r["id"])} for r in rows]
            session.execute(insert(tables[kind.__tablename__]), of_each)
        released = [r["id"] for r in rows if r["state"] is State.RELEASED]
        fixed = {"person_id": world.person["checker"], "manifest": {}, "digest": "", "trail_count": 0, "trail_hash": ""}
        session.execute(insert(tables["releases"]), [{"submission_id": i, **fixed} for i in released])


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def crowded(
    request: pytest.FixtureRequest, templates: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    from tests.support.ledgers import open_world

    server = request.getfixturevalue("postgres") if request.param == "postgresql" else None
    world = open_world(templates.copy("world", server), tmp_path_factory.mktemp("store"))
    fill(world, MANY)
    yield world
    world.ledger.close()


@contextmanager
def counted(ledger: Ledger) -> Iterator[list[str]]:
    """The statements that are sent meanwhile."""
    sent: list[str] = []

    def note(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        sent.append(statement)

    event.listen(ledger.engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(ledger.engine, "before_cursor_execute", note)


def _touch_submissions(found: Any) -> None:
    for s in found.items:
        assert s.author.name
        assert s.project.name
        assert s.dataset.name
        assert [a.person.name for a in s.assignments]
        assert len(s.decisions) == 1


def _touch_releases(found: Any) -> None:
    for r in found.items:
        assert r.person.name
        assert r.submission.author.name
        assert r.submission.dataset.name
        assert len(r.submission.outputs) == len(r.submission.assessments) == 1


FILTERS: dict[str, dict[str, Any]] = {
    "all": {},
    "ready ones": {"state": State.READY},
    "about one dataset": {"dataset_id": 1},
    "the hundredth page": {"page": 100},
}
LISTS: dict[str, tuple[Callable[..., Any], Callable[[Any], object], int]] = {
    **{
        name: (lambda s, n, w=wanted: queries.list_submissions(s, **w, per_page=n), _touch_submissions, 4)
        for name, wanted in FILTERS.items()
    },
    "releases": (lambda s, n: queries.list_releases(s, [1], per_page=n), _touch_releases, 4),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LISTS)
def test_list_takes_as_many_queries_for_fifty_rows_as_for_ten(crowded: World, name: str) -> None:
    ask, touch, most = LISTS[name]
    sent = {}
    for per_page in (10, 50):
        with crowded.ledger.reading() as session:
            session.connection()  # begins the transaction, which SQLite does by a statement
            with counted(crowded.ledger) as statements:
                found = ask(session, per_page)
                touch(found)
            assert len(found.items) == per_page
            assert found.total > 1000
            sent[per_page] = len(statements)
    assert sent[10] == sent[50] <= most


def test_one_submission_takes_a_fixed_number_of_queries(crowded: World) -> None:
    with crowded.ledger.reading() as session, counted(crowded.ledger) as sent:
        found = queries.find_submission(session, None, 3)
        assert found.release is not None
        assert found.replaced_by is None
        assert [a.verdict for a in found.assessments] == ["release"]
        assert len(sent) <= 9


def test_lists_do_not_load_records(crowded: World) -> None:
    with crowded.ledger.reading() as session, counted(crowded.ledger) as sent:
        queries.list_releases(session)
        queries.find_submission(session, None, 3)
        assert not any("record" in statement for statement in sent)


def _plan(session: Session, statement: str) -> str:
    explain = "EXPLAIN QUERY PLAN" if session.get_bind().dialect.name == "sqlite" else "EXPLAIN"
    return "\n".join(str(row) for row in session.execute(text(f"{explain} {statement}")))


def test_pages_are_found_by_an_index(crowded: World) -> None:
    with crowded.ledger.reading() as session:
        if session.get_bind().dialect.name == "postgresql":
            session.execute(text("ANALYZE"))
        for condition in ("state = 'ready'", "author_id = 1", "project_id = 1", "true"):
            plan = _plan(
                session, f"SELECT * FROM submissions WHERE {condition} ORDER BY created_at DESC, id DESC LIMIT 50"
            )
            assert "Seq Scan" not in plan
            assert "TEMP B-TREE" not in plan, "rows are sorted before the first fifty are taken"
        plan = _plan(session, "SELECT * FROM jobs WHERE state = 'queued' ORDER BY id LIMIT 1")
        assert "Seq Scan" not in plan
        assert "TEMP B-TREE" not in plan


def test_pages_hold_every_row_once(small_world: World) -> None:
    fill(small_world, 101)
    with small_world.ledger.reading() as session:
        pages = [queries.list_submissions(session, page=n, per_page=20) for n in range(1, 7)]
        assert [s.id for p in pages for s in p.items] == list(range(101, 0, -1))
        assert pages[0].pages == 6
        assert queries.list_submissions(session, page=99).items == []


def test_filters_narrow_the_list(small_world: World) -> None:
    fill(small_world, 60)
    with small_world.ledger.reading() as session:
        everything = queries.list_submissions(session, per_page=100).items
        assert len(everything) == 60
        for state in State:
            found = queries.list_submissions(session, state=state, per_page=100).items
            assert found == [s for s in everything if s.state is state]
        assert queries.list_submissions(session, dataset_id=99).total == 0
