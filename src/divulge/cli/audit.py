"""`divulge audit`: what follows from a spec's figures by arithmetic alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from divulge.audit.everybody_else import KnownOthers, ask_everybody_else
from divulge.audit.inside import Inside, ask_inside
from divulge.audit.jj import SUFFIX, JjTable
from divulge.audit.marginals import marginals_of
from divulge.audit.report import Audited, Status
from divulge.audit.run import AuditSettings, Submission, audit
from divulge.errors import SpecError
from divulge.outputs import Released
from divulge.outputs.output import Output
from divulge.spec import Inputs, read_inputs, read_spec
from divulge.terminal.complete import spec_files
from divulge.terminal.options import AllowCodeOption, JsonOption
from divulge.terminal.screen import screen

_N_SHOWN = 20
"""How many cells people are shown; --json has them all."""


_LONGEST = 300
"""How much of a proof people are shown: some eight figures."""


def run(
    spec: Annotated[
        Path,
        typer.Argument(
            help="The assessment file (YAML or JSON), or a table of τ-ARGUS (.jj).",
            show_default=False,
            autocompletion=spec_files,
        ),
    ],
    seconds: Annotated[float, typer.Option("--seconds", help="How long it may take.")] = 60.0,
    fewest: Annotated[int, typer.Option("--fewest", help="Groups of fewer people that follow are told.")] = 10,
    marginals: Annotated[
        bool, typer.Option("--marginals", help="Take how often each value of each variable occurs as known.")
    ] = False,
    coalition: Annotated[
        int, typer.Option("--coalition", min=0, max=3, help="What people of so many withheld cells learn together.")
    ] = 0,
    limits: Annotated[
        bool, typer.Option("--limits", help="Of a .jj file: take the limits of each cell as known to everybody.")
    ] = False,
    allow_code: AllowCodeOption = False,
    json: JsonOption = False,
) -> None:
    """Work out what follows from the figures of a spec by arithmetic alone, with the proof.

    All figures become linear constraints on how many people there are of each kind: withheld and rounded ones as
    intervals, outputs that were released before as well. It tells what they determine together, exactly or nearly, and
    which figures are out of reach because they are not linear. It searches for nothing.
    """
    if spec.suffix == SUFFIX:
        _audit_jj(JjTable.read(spec).audit(by_limits=limits, seconds=seconds), json)
        return
    assessment = read_spec(spec, allow_code=allow_code)
    inputs = read_inputs(assessment, "condensed")
    earlier = zip(assessment.earlier, inputs.earlier, strict=True)
    given = Submission(
        inputs.schema,
        assessment.outputs,
        tuple(_printed(o, r, inputs) for o, r in zip(assessment.outputs, inputs.released, strict=True)),
        inputs.n_rows,
        inputs.table,
        (
            *((o.name or f"earlier[{i}]", o, _printed(o, r, inputs)) for i, (o, r) in enumerate(earlier)),
            *(_marginals(assessment.outputs, inputs) if marginals else ()),
        ),
        assessment.entity,
    )
    settings = AuditSettings(seconds=seconds, fewest=fewest, to_the_end=True)
    found = audit(given, settings)
    inside, is_complete = ask_inside(given, coalition, settings) if coalition else ((), True)
    others = _known_others(given, tuple(s.target for s in assessment.scenarios if s.target is not None))
    if json:
        insiders = {"insiders": [one.as_json() for one in inside]} if coalition else {}
        screen.print_json({**found.as_json(), **insiders, "known_others": [one.as_json() for one in others]})
        return
    _show(found)
    _show_unreached(found, given)
    if coalition:
        _show_inside(inside, is_complete)
    _show_others(others)


def _marginals(outputs: tuple[Output, ...], inputs: Inputs) -> tuple[tuple[str, Output, Released], ...]:
    if inputs.table is None:
        raise SpecError("the marginals are not known without data.", where="data", hint="Name a file of data.")
    return marginals_of(outputs, inputs.table)


def _printed(output: Output, released: Released | None, inputs: Inputs) -> Released:
    if released is not None:
        return released
    assert inputs.table is not None, "numbers that are not given are computed from data"
    return output.publish(output.evaluate(inputs.table), inputs.schema)


def _known_others(given: Submission, targets: tuple[str, ...]) -> list[KnownOthers]:
    """What whoever knows everybody else learns about the targets, or about every variable of the outputs."""
    if given.table is None or given.table.people is not None:
        # Among so many people nobody knows everybody else.
        return []
    names = targets or tuple(dict.fromkeys(name for o in given.outputs for name in o.own_variables()))
    found = [ask_everybody_else(given.outputs, given.released, given.table, name) for name in names]
    return [one for one in found if one is not None]


def _show_unreached(found: Audited, given: Submission) -> None:
    for output, why in found.unreached:
        screen.show(f"Out of reach: outputs[{output}] ({given.outputs[output].kind}): {why}.")
    for note in found.notes:
        screen.show(note)


def _show_inside(inside: tuple[Inside, ...], is_complete: bool) -> None:
    screen.show("")
    for one in inside[:_N_SHOWN]:
        value = f"{one.low:g}" if one.high - one.low < 1e-6 * (1 + abs(one.low)) else f"{one.low:g} to {one.high:g}"
        screen.show(f"Insiders of {' and '.join(one.who)} learn that {one.figure} is {value}.")
    if len(inside) > _N_SHOWN:
        screen.show(f"  and {len(inside) - _N_SHOWN:,} more (see --json)")
    if not inside:
        screen.show("No insider of a withheld figure learns another too closely.")
    if not is_complete:
        screen.show("Not all coalitions were gone through.")


def _show_others(others: list[KnownOthers]) -> None:
    if not others:
        return
    screen.show("")
    screen.show("Whoever knows everybody else's rows would learn about (as printed; one and two digits fewer):")
    for one in others:
        now, *fewer = (f"{n:,}" for n in one.determined)
        screen.show(f"  {one.variable}: {now} of {one.n_people:,} people ({', '.join(fewer)})")


def _audit_jj(found: Audited, json: bool) -> None:
    if json:
        screen.print_json(found.as_json())
        return
    _show(found, "cells")
    for note in found.notes:
        screen.show(note)


def _show(found: Audited, of: str = "kinds of people") -> None:
    screen.show(f"{found.n_figures:,} constraints on {found.n_cells:,} {of}.")
    for finding in found.findings:
        screen.show("")
        screen.show(f"{finding.severity}: {finding.rule}. {finding.sentence}")
    told = [c for c in found.cells if c.status is not Status.PROTECTED]
    for cell in told[:_N_SHOWN]:
        where = "" if cell.output is None else f"outputs[{cell.output}]: "
        value = f"{cell.low:g}" if cell.status is Status.EXACT else f"{cell.low:g} to {cell.high:g}"
        chain = cell.chain if len(cell.chain) <= _LONGEST else cell.chain[:_LONGEST] + " … (see --json)"
        screen.show(f"  {where}{cell.label} is {value}" + (f": {chain}" if chain else ""))
    if len(told) > _N_SHOWN:
        screen.show(f"  and {len(told) - _N_SHOWN:,} more (see --json)")
    protected = sum(c.status is Status.PROTECTED for c in found.cells)
    screen.show("")
    if protected:
        screen.show(f"{protected:,} withheld or rounded figures are protected.")
    if not found.findings:
        screen.show("Nothing follows that is not stated.")
