"""A mistake in a spec is the same mistake whichever command reads it, and all mistakes are told at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.running import divulge

COMMANDS = (
    ("compute",),
    ("embed",),
    ("check", "--no-time"),
    ("assess", "-o", "out"),
    ("teach", "-o", "out"),
    ("rules",),
    ("audit",),
    ("mitigate", "-o", "out"),
)

MISTAKES = {
    "outputs: [{kind: crostab, variables: [SEX]}]": "outputs[0].kind",
    "design: {stop_early: no}": "design.stop_early",
    "synthesiser: {polish: no}": "synthesiser.polish",
    "synthesiser: {rounds: 2.5}": "synthesiser.rounds",
    'synthesiser: {mae: "0.1"}': "synthesiser.mae",
    "synthesiser: {mae: -1}": "synthesiser.mae",
    "design: {curve_splits: 2.5}": "design.curve_splits",
    "synthesiser: {seconds: -1}": "synthesiser.seconds",
    "synthesiser: {secnds: 5}": "synthesiser.secnds",
    "design: {splits: 3}": "design.splits",
    "measures: [TCPA]": "measures[0]",
    "policy: {dleta: 0.2}": "policy.dleta",
    "scenario: {keys: 5}": "scenario.keys",
    "scenario: {knows: marginal}": "scenario.knows",
    "design: {kind: repeated-halfs}": "design.kind",
    "synthesiser: {kind: desent}": "synthesiser.kind",
    "measures: [{tcap: {tau: 2}}]": "measures[0].tcap.tau",
    "measures: [{tcpa: {}}]": "measures[0].tcpa",
    "policy: {delta: true}": "policy.delta",
    "policy: {preset: public-use}": "policy.preset",
    "policy: {profile: acros}": "policy.profile",
    "teaching: {weight: {margin: {}, margins: {}}}": "teaching.weight.margin",
    "outputs: [{kind: frequencies, variables: [SEX], decimals: 2.5}]": "outputs[0].decimals",
    "outputs: [{kind: frequencies, variables: [SEX], compute: yes}]": "outputs[0].compute",
    "outputs: [{kind: crosstab, variables: [SEX], method: {kind: noise, distribution: lapace}}]": (
        "outputs[0].method.distribution"
    ),
    "earlier: [{kind: crosstab, varibles: [SEX], variables: [SEX]}]": "earlier[0].varibles",
    "seed: -1": "seed",
    "sed: 1": "sed",
    "teaching: {versions: 0}": "teaching.versions",
}

GOOD = "data: people.csv\noutputs: [{kind: frequencies, variables: [SEX]}]\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "people.csv").write_text("SEX\n" + "F\nM\n" * 30, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def spec_with(folder: Path, *lines: str) -> Path:
    names = [line.split(":")[0] for line in lines]
    kept = [line for line in GOOD.splitlines() if line.split(":")[0] not in names]
    (folder / "spec.yaml").write_text("\n".join([*kept, *lines]), encoding="utf-8")
    return folder / "spec.yaml"


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c[0])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake_has_one_exit_code_whichever_command_reads_it(
    command: tuple[str, ...], mistake: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert divulge(command[0], spec_with(folder, mistake), *command[1:], "--json") == 50
    said = json.loads(capsys.readouterr().out)
    problems = said["problems"] if "problems" in said else said["errors"]
    assert [p["where"] for p in problems] == [MISTAKES[mistake]]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c[0])
def test_all_mistakes_are_told_at_once(
    command: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # One mistake of each section.
    lines = {line.split(":")[0]: line for line in MISTAKES}
    assert divulge(command[0], spec_with(folder, *lines.values()), *command[1:], "--json") == 50
    printed = capsys.readouterr()
    said = json.loads(printed.out)
    wanted = [MISTAKES[line] for line in lines.values()]
    if command[0] == "check":  # whose answer is what is wrong
        assert [p["where"] for p in said["problems"]] == wanted
        return
    assert [e["where"] for e in said["errors"]] == wanted
    assert said["error"] == said["errors"][0]
    assert printed.err.count("Error") == len(lines)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c[0])
@pytest.mark.parametrize(
    ("scenario", "where", "code"),
    [("target: SEXX", "scenario.target", 45), ("target: SEX, keys: [SEX]", "scenario.target", 50)],
    ids=["unknown target", "target among keys"],
)
def test_scenario_is_looked_at_by_commands_that_do_not_attack(
    command: tuple[str, ...], scenario: str, where: str, code: int, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    released = "outputs: [{kind: frequencies, variables: [SEX], released: [30, 30]}]"
    spec = spec_with(folder, released, f"scenario: {{{scenario}}}", "rows: 60", "schema: people.schema.json")
    (folder / "people.schema.json").write_text(
        '{"fields": [{"name": "SEX", "type": "string", "constraints": {"enum": ["F", "M"]}}]}', encoding="utf-8"
    )
    assert divulge(command[0], spec, *command[1:], "--json") == code
    said = json.loads(capsys.readouterr().out)
    problems = said["problems"] if "problems" in said else said["errors"]
    assert [p["where"] for p in problems] == [where]


def test_synthesiser_needs_no_kind(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert divulge("embed", spec_with(folder, "synthesiser: {seconds: 5}"), "--json") == 0
    assert json.loads(capsys.readouterr().out)["status"] == "reproduced"
