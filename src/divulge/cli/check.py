"""`divulge check`: what an assessment would do, what is wrong with its spec, and how long it would take."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from divulge.errors import DivulgeError
from divulge.terminal.options import AllowCodeOption, JsonOption, SpecArgument
from divulge.terminal.screen import screen

if TYPE_CHECKING:
    from divulge.assess.forecast import Forecast
    from divulge.assess.preview import Preview

_N_SCENARIOS = 12
"""Scenarios that are listed one by one; --json has them all."""


def run(
    spec: SpecArgument,
    time: Annotated[
        bool, typer.Option("--time/--no-time", help="Whether to time a split or two, to say how long it will take.")
    ] = True,
    allow_code: AllowCodeOption = False,
    json: JsonOption = False,
) -> None:
    """Explain what an assessment would do, what is wrong with its spec, and how long it would take.

    Nothing is assessed and nothing is written. Exit status 0 says that the assessment can be run; otherwise it is that
    of the first problem.
    """
    from divulge.assess.preview import preview
    from divulge.spec import read_spec

    problems: list[DivulgeError] = []
    found = preview(read_spec(spec, allow_code=allow_code, problems=problems), with_time=time, problems=problems)
    if json:
        screen.print_json(found.as_json())
    else:
        _show(found, spec)
    if found.problems:
        raise typer.Exit(found.problems[0].exit_code)


def _show(found: Preview, spec: Path) -> None:
    a = found.assessment
    if found.problems:
        n = len(found.problems)
        screen.show(f"{spec} cannot be assessed: {n} {'problem' if n == 1 else 'problems'}.")
        for error in found.problems:
            screen.show(f"  - {_sentence(error)}")
            if error.hint:
                screen.show(f"    {error.hint}")
        screen.show("")
    _warnings(found)
    source = a.data if isinstance(a.data, Path) else a.schema if a.source is None else a.source.name
    if found.n_rows is not None and found.schema is not None:
        about = "" if found.table is not None else " (no data: the schema and rows stand in)"
        screen.show(f"Data: {source}, {found.n_rows:,} rows, {len(found.schema)} variables{about}")
    if a.holdout is not None:
        screen.show(f"Holdout: {a.holdout}, people who were not in the data")
    _outputs(found)
    if a.earlier:
        screen.show(f"Released before, and assessed together with these: {len(a.earlier)}")
    _scenarios(found)
    if found.design is not None and found.splits and found.table is not None:
        early = ", fewer where nobody may be exposed" if getattr(found.design, "stop_early", False) else ""
        parts = " and smaller parts of the data" if getattr(found.design, "curve", False) else ""
        screen.show(f"Splits: {len(found.splits)} ({found.design.kind}){parts}{early}")
    if found.measures:
        screen.show(f"Measures: {', '.join(found.measures)}")
    _policy(found)
    if found.forecast is not None:
        screen.show(f"Time: {_time_text(found.forecast)}")
    elif found.longest is not None:
        screen.show(f"Time: not timed for so many people; all searches together end after {_seconds(found.longest)}")
    if not found.problems and found.table is not None:
        screen.show(f"Run it: divulge assess {spec}")


def _sentence(error: DivulgeError) -> str:
    return f"{error.where}: {error.message}" if error.where else error.message


def _warnings(found: Preview) -> None:
    if found.warnings:
        screen.show("Mind:")
        for warning in found.warnings:
            screen.show(f"  - {warning}")
        screen.show("")


def _outputs(found: Preview) -> None:
    from divulge.assess.preview import figures

    screen.show("Outputs:")
    for i, output in enumerate(found.assessment.outputs):
        n = figures(found, i)
        known = found.released[i] is not None if i < len(found.released) else output.released is not None
        how = "as released" if known else "computed from the data"
        counted = "" if n is None else f" {n:,} {'figure' if n == 1 else 'figures'}, {how}."
        named = f"{output.name}: " if output.name else ""
        number = (found.assessment.places or range(i + 1))[i] + 1
        screen.show(f"  {number}. {named}{output.describe()}{counted}")


def _scenarios(found: Preview) -> None:
    if not found.scenarios:
        return
    given = "" if found.assessment.scenarios else " (every variable of the outputs as target, since the spec has none)"
    screen.show(f"Scenarios: {len(found.scenarios)}{given}")
    for scenario in found.scenarios[:_N_SCENARIOS]:
        screen.show(f"  - {scenario.describe()}; the intruder knows {scenario.knows}")
    if len(found.scenarios) > _N_SCENARIOS:
        screen.show(f"  … and {len(found.scenarios) - _N_SCENARIOS} more (--json lists all).")


def _policy(found: Preview) -> None:
    p = found.policy
    if p is None:
        return
    own = "the spec's" if found.assessment.policy is not None else "the default"
    screen.show(
        f"Policy ({own}): refused from {p.refuse_exposed} exposed by more than {p.delta:g}, or a marginal risk above "
        f"{p.refuse_risk:g}; released where it is surely at most {p.release_risk:g} and {p.embedded:.0%} of the "
        "figures are reproduced; review otherwise"
    )


def _time_text(forecast: Forecast) -> str:
    """`about 40 s (between 15 s and 2 min): 30 splits of 0.9 s …`."""
    processes = f"{forecast.workers} processes" if forecast.workers > 1 else "one process"
    start = f"about {_seconds(forecast.seconds)}, most likely between {_seconds(forecast.low)} and "
    start += _seconds(forecast.high)
    if forecast.at_least:
        start = f"at least {_seconds(forecast.seconds)}, since a split that was tried was cut off"
    passes = f"{forecast.passes} {'pass' if forecast.passes == 1 else 'passes'} over the outputs"
    return (
        f"{start}. Timed here: {forecast.split:.2g} s a split (mean of {forecast.tried}); up to {forecast.splits} "
        f"splits, {passes}, {processes}. {_kept(forecast)}"
    )


def _kept(forecast: Forecast) -> str:
    """What the time is bounded by."""
    if forecast.budget is None:
        return "A search that stalls takes longer"
    return f"Budget: all searches together end after {_seconds(forecast.budget)} or so"


def _seconds(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
