"""Whatever is killed, whenever: nothing is lost, nothing is done twice. A hundred such runs are in `make validate`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from tests.support.faults import Run, faults_of, in_a_program
from tests.support.ledgers import World


@pytest.mark.needs("postgresql")
def test_nothing_is_lost_or_done_twice_whatever_is_killed() -> None:
    runs = list(in_a_program(range(1, 5)))
    assert [run["wrong"] for run in runs] == [[]] * 4
    killed = {name for run in runs for name in run["killed"]}
    assert killed == {"worker", "client", "postgresql"}


def test_what_is_lost_or_done_twice_would_be_seen(small_world: World, tmp_path: Path) -> None:
    made = small_world.ready()
    told: list[Any] = [["submitted", made + 1], ["decided", made, "checker"], ["decided", made, "checker"]]
    (tmp_path / "client1.told").write_text("\n".join(json.dumps(t) for t in told), encoding="utf-8")
    with small_world.ledger.engine.execution_options(divulge_writes=True).begin() as connection:
        connection.execute(text("DELETE FROM assessments"))
    wrong = "\n".join(faults_of(Run(1, small_world.ledger.url, tmp_path, None)))
    for expected in ("is lost", "told twice", "gone from the ledger", "is ready", "results of jobs"):
        assert expected in wrong
