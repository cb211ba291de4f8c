"""`divulge mitigate`: from a refused output to one that is released, with what is given up for it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from divulge.terminal.conducting import progress_of_splits
from divulge.terminal.ledger_options import EarlierOption, released_before
from divulge.terminal.options import (
    AllowCodeOption,
    JsonOption,
    ResultsOption,
    ResumeOption,
    SpecArgument,
    WorkersOption,
)
from divulge.terminal.screen import screen
from divulge.terminal.stopping import unfinished


def run(
    spec: SpecArgument,
    output: ResultsOption = None,
    most: Annotated[int, typer.Option(min=1, metavar="N", help="How many candidates are assessed in full.")] = 8,
    workers: WorkersOption = 0,
    resume: ResumeOption = False,
    ledger: EarlierOption = None,
    allow_code: AllowCodeOption = False,
    json: JsonOption = False,
) -> None:
    """Propose changes with which refused outputs are released: coarser, fewer digits, withheld, rounded, perturbed.

    Candidates are screened by rules and by the audit, ranked by the information that they lose, and the best of them
    assessed in full, as they would be released, with fresh random numbers. Only what was released is proposed: each
    with a spec, its tables as CSV, Excel and LaTeX, and what is given up for it. In a table of τ-ARGUS (.jj) it
    withholds as many more cells as the unsafe ones need, and writes the table anew.
    """
    if spec.suffix == ".jj":
        _withhold(spec, output if output is not None else Path(f"{spec.stem}-safer"), json)
        return
    from divulge.safer import mitigate
    from divulge.safer.files import write_proposals
    from divulge.spec import read_inputs, read_spec
    from divulge.spec.document import read_document

    assessment = read_spec(spec, allow_code=allow_code)
    inputs, before = (read_inputs(assessment, "needed"), ()) if ledger is None else released_before(assessment, ledger)
    folder = output if output is not None else Path(f"{spec.stem}-safer")
    with unfinished(folder, resume) as kept, progress_of_splits() as listener:
        found = mitigate(
            assessment,
            inputs=inputs,
            released_before=before,
            most=most,
            workers=workers,
            listener=listener,
            tell=screen.detail,
            unfinished=kept,
        )
    plain = write_proposals(found, read_document(spec), folder)
    if json:
        screen.print_json(plain)
    else:
        _show(plain)


def _withhold(file: Path, folder: Path, json: bool) -> None:
    from divulge.audit.jj import JjTable
    from divulge.withholding.jj import withhold

    table = JjTable.read(file)
    made = withhold(table)
    audited = made.audit(by_limits=True)
    folder.mkdir(parents=True, exist_ok=True)
    made.write(folder / file.name)
    added = made.withheld & ~table.withheld
    if json:
        found = {"secondary": [f"cell {i}" for i in added.nonzero()[0].tolist()], "file": str(folder / file.name)}
        screen.print_json({**found, "price": float(table.price[added].sum()), "after": audited.as_json()})
        return
    screen.show(f"{int(table.unsafe.sum()):,} cells are unsafe, {int(added.sum()):,} more are withheld.")
    left = sum(len(f.figures) for f in audited.findings)
    screen.show(
        "Every unsafe cell stays as open as it asks for." if not left else f"{left:,} cells follow all the same."
    )
    screen.show(str(folder / file.name))


def _show(found: dict[str, Any]) -> None:
    before = found["before"]
    screen.show(f"{before['verdict'].upper()} as it is.")
    for reason in before["reasons"]:
        screen.show(f"  - {reason}")
    screen.show("")
    if before["verdict"] == "release":
        screen.show("Nothing need be changed.")
        return
    if not found["proposals"]:
        screen.show(f"No change was found with which it is released ({found['candidates']} passed rules and audit).")
    for number, proposal in enumerate(found["proposals"], start=1):
        after = proposal["after"]
        screen.show(f"{number}. {proposal['sentence']}")
        screen.show(f"   {after['verdict'].upper()}: {after['exposed']:,} exposed, before {before['exposed']:,}.")
        screen.show(f"   {proposal['spec']}")
    screen.show("")
    screen.show(f"Tables and what is given up: {Path(found['page']).resolve()}")
