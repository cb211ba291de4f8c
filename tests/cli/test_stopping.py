"""Ctrl-C, an ended job, a closed terminal: long commands stop, keep what is finished, and say how to go on."""

from __future__ import annotations

import shlex
import signal
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from divulge.terminal.stopping import Stopped, going_on
from tests.support.acro_folders import people, table_entry, write_folder
from tests.support.running import divulge

LONG = {
    "assess s.yaml -o 'my out'": ("divulge.assess.assess", " --resume"),
    "assess handed --data people.csv": ("divulge.assess.folders.handed_in.assess_handed_in", " --resume"),
    "acro folder --data people.csv": ("divulge.assess.folders.assess_folder", " --resume"),
    "mitigate s.yaml": ("divulge.safer.mitigate", " --resume"),
    "embed s.yaml -o made.csv": ("divulge.assess.recipe.embed_runs", ""),
    "teach s.yaml": ("divulge.teaching.make_dataset", ""),
    "check s.yaml": ("divulge.assess.preview.forecast", ""),
    "measure --original people.csv --synthetic people.csv --keys sex --target ill --all": (
        "divulge.measures.measure_targets",
        "",
    ),
    "read handed --data people.csv": ("divulge.readers.handed_in.folder.read_folder", ""),
    "audit s.yaml": ("divulge.cli.audit.audit", ""),
    "rules s.yaml": ("divulge.cli.rules.check_outputs", ""),
    "demo --run made": ("divulge.cli.demo.run_job", ""),
}
"""Commands that may take more than ten seconds, what takes long in each, and what goes on from there."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    frame = people()
    frame.to_csv("people.csv", index=False)
    table = pd.crosstab(frame.town, frame.sex)
    write_folder(tmp_path / "folder", {"output_0": table_entry(table, "a.crosstab(df.town, df.sex)")})
    Path("handed").mkdir()
    table.to_csv("handed/table.csv")
    spec = "data: people.csv\noutputs: [{kind: crosstab, variables: [town, sex]}, {kind: means, variables: [age]}]\n"
    Path("s.yaml").write_text(spec, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("words", LONG)
def test_long_command_that_is_stopped_prints_the_line_that_goes_on(
    words: str, blow: signal.Signals, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place, more = LONG[words]
    monkeypatch.setattr(place, lambda *_, **__: signal.raise_signal(blow))
    # Where the tests run in the background, a shell has them ignore Ctrl-C.
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL, signal.SIGHUP: signal.SIG_DFL}
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}
    try:
        assert divulge(*shlex.split(words)) == 130
        assert {number: signal.getsignal(number) for number in usual} == usual, "as they were before"
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    said = " ".join(capsys.readouterr().err.split())
    assert said.endswith(f"divulge {words}{more}")
    assert ("What is finished is kept" in said) == bool(more)


@pytest.mark.parametrize("words", ["assess handed --data people.csv -o out", "mitigate s.yaml -o out"])
def test_what_was_stopped_goes_on_without_a_search_made_twice(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from divulge.assess.recipe import Recipe

    text = Path("s.yaml").read_text(encoding="utf-8") + "design: {splits: 2, curve: false}\n"
    Path("s.yaml").write_text(text, encoding="utf-8")
    given = [*shlex.split(words), "--workers", "1"]
    searched: list[tuple[int, ...]] = []
    embed, stop_at = Recipe.embed, [2]

    def counted(self: Recipe, *args: Any, run: int = 0, **more: Any) -> Any:
        if len(searched) == stop_at[0]:
            raise KeyboardInterrupt
        found = embed(self, *args, run=run, **more)
        searched.append((run, len(self.outputs), *found.outputs[0].released.astype(int)))
        return found

    monkeypatch.setattr(Recipe, "embed", counted)
    assert divulge("--quiet", *given) == 130
    for stop_at[0] in (4, 5):
        assert divulge("--quiet", *given, "--resume") == 130
    assert len(set(searched)) == 5


def test_line_that_goes_on_says_resume_once_and_can_be_pasted() -> None:
    said = going_on(["assess", "a b.yaml", "--resume", "-o", "x"], Stopped("--resume"))
    assert said.endswith("Go on with: divulge assess 'a b.yaml' -o x --resume")
    said = going_on(["assess", "s.yaml"], Stopped("-o", "x-2", "--resume"))
    assert said.endswith("divulge assess s.yaml -o x-2 --resume")
    assert going_on(["check", "s.yaml"]) == "Interrupted. Run it again: divulge check s.yaml"
