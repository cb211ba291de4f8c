"""`divulge compute`: the numbers of a spec's outputs from its data, and whether released ones agree with them."""

from __future__ import annotations

from rich.table import Table as Grid

from divulge.errors import SpecError
from divulge.outputs.fields import in_field
from divulge.outputs.figures import Status
from divulge.outputs.released.computed import Computed, compute
from divulge.spec import read_inputs, read_spec
from divulge.terminal.options import AllowCodeOption, JsonOption, SpecArgument
from divulge.terminal.screen import screen

_N_NAMED = 10  # how many figures that do not agree are named in the note below the tables


def run(
    spec: SpecArgument,
    allow_code: AllowCodeOption = False,
    json: JsonOption = False,
) -> None:
    """Compute the outputs that a spec describes from its data.

    Where the spec gives released numbers, say which of them agree with the data at the precision they were printed to.
    """
    assessment = read_spec(spec, allow_code=allow_code)
    if assessment.data is None:
        raise SpecError("there are no data to compute the outputs from.", where="data", hint="Name a file of data.")
    inputs = read_inputs(assessment, "needed")
    assert inputs.table is not None, "data were named, and have been read"
    computed = []
    for i, (output, released) in enumerate(zip(assessment.outputs, inputs.released, strict=True)):
        with in_field(f"outputs[{i}]"):
            computed.append(compute(output, inputs.table, released))
    if json:
        screen.print_json({"rows": inputs.n_rows, "outputs": [c.as_json() for c in computed]})
        return
    for i, one in enumerate(computed):
        screen.show(f"{one.output.name or f'outputs[{i}]'} ({one.output.kind}): {one.output.describe()}")
        screen.show(_grid(one))
        if one.figures.status is not Status.OK:
            screen.show(f"Status: {one.figures.status}. {one.figures.status.sentence}")
        if one.agrees is not None:
            screen.show(_agreement(one))
        screen.show("")


def _grid(one: Computed) -> Grid:
    grid = Grid(box=None, pad_edge=False)
    figures, released = one.figures, one.released
    grid.add_column("figure")
    grid.add_column("value", justify="right")
    if figures.se is not None:
        grid.add_column("se", justify="right")
    if one.agrees is not None:
        grid.add_column("released", justify="right")
    given_se = [] if one.agrees is None or released.se is None else released.precision_of_se.texts(released.se)
    if given_se:
        grid.add_column("released se", justify="right")
    if one.agrees is not None:
        grid.add_column("agrees")
    shown = released.precision.texts(figures.values)
    given = released.precision.texts(released.values)
    se = [] if figures.se is None else released.precision_of_se.texts(figures.se)
    for i, label in enumerate(figures.labels):
        text = None if figures.texts is None else figures.texts[i]
        withheld = one.agrees is None and given[i] is None and shown[i] is not None
        value = "suppressed" if withheld else shown[i] or "undefined"
        row = [label, f"{value} ({text})" if text else value]
        if figures.se is not None:
            row.append(se[i] or "undefined")
        if one.agrees is not None:
            row.append(given[i] or "suppressed")
            row += [given_se[i] or ""] if given_se else []
            row.append("yes" if one.agrees[i] else "NO")
        grid.add_row(*row)
    return grid


def _agreement(one: Computed) -> str:
    assert one.agrees is not None, "asked only where numbers were released"
    n, wrong = len(one.agrees), [label for label, ok in zip(one.figures.labels, one.agrees, strict=True) if not ok]
    if not wrong:
        return f"All {n:,} released figures agree with the data at {one.released.precision.describe()}."
    named = ", ".join(wrong[:_N_NAMED]) + (f" and {len(wrong) - _N_NAMED:,} more" if len(wrong) > _N_NAMED else "")
    return f"{n - len(wrong):,} of {n:,} released figures agree with the data. These do not: {named}."
