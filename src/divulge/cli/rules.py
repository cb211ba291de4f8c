"""`divulge rules`: what a rule book says of a spec's outputs, without any assessment."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from divulge.checking import PROFILES, Checked, check_outputs, make_cases, read_profile
from divulge.errors import SpecError
from divulge.rules import RULES, Finding, Rule
from divulge.spec import read_inputs, read_policy, read_spec
from divulge.terminal.complete import spec_files
from divulge.terminal.options import AllowCodeOption, JsonOption
from divulge.terminal.screen import screen

_N_NAMED = 6
"""How many figures of a finding are named to people; --json has them all."""


def run(
    spec: Annotated[
        Path | None, typer.Argument(help="The assessment file; none: list the rules.", autocompletion=spec_files)
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option("--profile", "-p", metavar="NAME|FILE", help=f"The rule book: {', '.join(PROFILES)}, or a file."),
    ] = None,
    allow_code: AllowCodeOption = False,
    json: JsonOption = False,
) -> None:
    """Check the outputs of a spec against the rules of output checking.

    Nothing is searched for, so it takes a second or two. What was released before (`earlier:`) is asked about beside
    them, for what the new outputs add. Each finding names the rule, its source, and the figures. The
    rule book is the profile that the spec's policy names, or --profile. Without a spec the rules themselves are listed.
    """
    if spec is None:
        _list_rules(profile, json)
        return
    assessment = read_spec(spec, allow_code=allow_code)
    if assessment.data is None:
        raise SpecError(
            "there are no data to count people in.",
            where="data",
            hint="Name a file of data. divulge audit needs none.",
        )
    chosen = read_profile(profile or read_policy(assessment.policy).profile, assessment.folder)
    inputs = read_inputs(assessment, "condensed")
    assert inputs.table is not None, "data were named, and have been read"
    units = assessment.entity, assessment.holding, assessment.waiver
    every = (*assessment.outputs, *assessment.earlier)
    cases = make_cases(every, (*inputs.released, *inputs.earlier), inputs.table, *units)
    n = len(assessment.outputs)
    checked = check_outputs(cases, chosen).against(n)
    if json:
        screen.print_json(_as_json(checked, n))
        return
    screen.show(f"Rule book: {chosen.title} ({len(chosen.rules)} rules; {len(checked.asked)} concern these outputs).")
    for i, case in enumerate(cases[:n]):
        mine = [f for f in checked.findings if f.outputs[0] == i]
        screen.show("")
        screen.show(f"{case.output.name or f'outputs[{i}]'} ({case.output.kind}): {case.output.describe()}")
        for finding in mine:
            screen.show(f"  {finding.severity}: {finding.rule}. {finding.sentence}")
            screen.show(f"      {_named(finding, n)}")
        if not mine:
            screen.show("  No rule is broken.")
    worst = checked.worst
    screen.show("")
    screen.show("No rule is broken." if worst is None else f"By these rules: {worst}.")


def _named(finding: Finding, n_outputs: int) -> str:
    shown = ", ".join(finding.figures[:_N_NAMED])
    more = len(finding.figures) - _N_NAMED
    text = shown + (f" and {more:,} more" if more > 0 else "")
    if len(finding.outputs) > 1:
        other = finding.outputs[1]
        text += f" (with outputs[{other}])" if other < n_outputs else f" (with earlier[{other - n_outputs}])"
    return text or "all figures"


def _as_json(checked: Checked, n_outputs: int) -> dict[str, Any]:
    worst = checked.worst
    return {
        "profile": checked.profile.name,
        "asked": list(checked.asked),
        "worst": None if worst is None else worst.value,
        "findings": [f.as_json() for f in checked.findings],
        "outputs": [
            max((f.severity for f in checked.of(i)), key=lambda s: s.rank, default=None) for i in range(n_outputs)
        ],
    }


def _list_rules(profile: str | None, json: bool) -> None:
    """All rules with what they ask; with a profile those of it, with its settings."""
    chosen: list[tuple[Rule, str]] = [(rule(), rule.severity.value) for rule in RULES]
    if profile is not None:
        book = read_profile(profile, Path())
        chosen = [(rule, book.breach[rule.name].value) for rule in book.rules]
    if json:
        listed = [
            {"rule": r.name, "asks": r.asks, "source": r.source, "breach": breach, "settings": r.settings()}
            for r, breach in chosen
        ]
        screen.print_json({"rules": listed, "profiles": list(PROFILES)})
        return
    for rule, breach in chosen:
        settings = ", ".join(f"{name} {value}" for name, value in rule.settings().items())
        screen.show(f"{rule.name} ({breach}): {rule.asks}")
        screen.show(f"    {rule.source}" + (f"; {settings}" if settings else ""))
    screen.show("")
    screen.show(f"Profiles: {', '.join(PROFILES)}.")
