"""`--fail-on`: 0 for release, 10 for review, 20 for refuse, from the one named on."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from divulge.cli import assess as command
from divulge.cli import main

EXPECTED = {
    (None, "release"): 0,
    (None, "review"): 0,
    (None, "refuse"): 0,
    ("review", "release"): 0,
    ("review", "review"): 10,
    ("review", "refuse"): 20,
    ("refuse", "release"): 0,
    ("refuse", "review"): 0,
    ("refuse", "refuse"): 20,
}


@pytest.mark.parametrize(("fail_on", "verdict"), EXPECTED)
def test_exit_code_follows_the_verdict_only_where_asked(
    fail_on: str | None, verdict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "people.csv").write_text("SEX\n" + "F\nM\n" * 30, encoding="utf-8")
    (tmp_path / "spec.yaml").write_text(
        "data: people.csv\noutputs:\n  - {kind: frequencies, variables: [SEX]}\n", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    # What the verdict is, other tests see to; here all three are wanted.
    checkpoint = SimpleNamespace(clear=lambda: None)
    found = SimpleNamespace(record={}, verdict=verdict, checkpoint=checkpoint)
    monkeypatch.setattr("divulge.assess.assess", lambda *arguments, **named: found)
    monkeypatch.setattr(command, "write_results", lambda *arguments, **named: [tmp_path / "a", tmp_path / "b"])
    with pytest.raises(SystemExit) as end:
        main(["assess", "spec.yaml", "--json", *(["--fail-on", fail_on] if fail_on else [])])
    assert (end.value.code or 0) == EXPECTED[fail_on, verdict]
