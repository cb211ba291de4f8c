"""`divulge embed`: synthetic microdata that reproduces a spec's outputs, from the numbers and the schema alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table as Grid

from divulge.errors import SpecError, UsageError
from divulge.objective import Embedding, Objective, Progress, Target
from divulge.objective.knowledge import Knowledge, granted
from divulge.outputs.output import in_field
from divulge.outputs.released.computed import compute
from divulge.spec import Assessment, Inputs, read_inputs, read_spec
from divulge.synthesisers import embed_runs, synthesiser_of
from divulge.table import write_table
from divulge.terminal.options import AllowCodeOption, JsonOption, SpecArgument
from divulge.terminal.screen import screen


def run(
    spec: SpecArgument,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write the synthetic microdata (CSV, Parquet, SPSS, Stata)."),
    ] = None,
    runs: Annotated[int, typer.Option("--runs", min=1, help="How many independent datasets to make.")] = 1,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Instead of the spec's seed.")] = None,
    workers: Annotated[int, typer.Option("--workers", min=1, help="Processes to share the runs out over.")] = 1,
    allow_code: AllowCodeOption = False,
    json: JsonOption = False,
) -> None:
    """Make synthetic microdata that reproduces the outputs of a spec.

    Needs the released numbers, a schema and the number of rows; no original data. Every figure is recomputed from the
    result, and what is not reproduced at its published precision is said.
    """
    assessment = read_spec(spec, allow_code=allow_code)
    inputs = read_inputs(assessment)
    objective, knowledge, n_rows = objective_of(assessment, inputs)
    settings = assessment.synthesiser
    synthesiser = synthesiser_of(settings.kind, settings.values) if settings else synthesiser_of()
    if output is not None and not output.parent.is_dir():
        raise UsageError(f"there is no folder {str(output.parent)!r}.", where="--output", hint="Make it first.")
    with screen.progress() as progress:
        task = progress.add_task("starting", total=1.0)

        def listener(now: Progress) -> None:
            progress.update(task, completed=now.share, description=f"{now.stage} (discrepancy {now.discrepancy:.3g})")

        embeddings = embed_runs(
            synthesiser,
            objective,
            n_rows,
            assessment.seed if seed is None else seed,
            runs=runs,
            workers=workers,
            listener=listener,
        )
    written = [] if output is None else _write(embeddings, output)
    if json:
        screen.print_json(_document(embeddings, knowledge, n_rows, written))
        return
    for number, embedding in enumerate(embeddings, start=1):
        if runs > 1:
            screen.show(f"Run {number} of {runs}")
        _show(embedding)
    for path in written:
        screen.show(f"Written: {path}")


def objective_of(assessment: Assessment, inputs: Inputs) -> tuple[Objective, Knowledge, int]:
    """What a synthesiser may see: outputs with their released numbers, the schema, granted marginals, how many rows.

    Data at hand are used here alone: to compute numbers that the spec does not give, and to count what is granted.
    """
    targets = []
    for i, (one, released) in enumerate(zip(assessment.outputs, inputs.released, strict=True)):
        with in_field(f"outputs[{i}]"):
            if released is None:
                assert inputs.table is not None, "numbers that are not given are computed from the data"
                released = compute(one, inputs.table).released
            targets.append(Target(one, released))
    if inputs.n_rows is None:
        raise SpecError(
            "how many rows the outputs were computed on is needed.", where="rows", hint="Write for example rows: 50357."
        )
    if inputs.n_rows < 1:
        raise SpecError(f"at least one row is needed, rows says {inputs.n_rows}.", where="rows")
    knows = assessment.scenarios[0].knows if assessment.scenarios else "marginals"
    table = inputs.table
    counts = None if table is None else {name: table.frequencies(name).astype(float) for name in table.names}
    knowledge = granted(inputs.schema, targets, knows, counts)
    objective = Objective(inputs.schema, tuple(targets), knowledge.marginals, knowledge.known, inputs.n_rows)
    return objective, knowledge, inputs.n_rows


def _write(embeddings: list[Embedding], output: Path) -> list[Path]:
    names = (
        [output]
        if len(embeddings) == 1
        else [output.with_stem(f"{output.stem}-{number}") for number in range(1, len(embeddings) + 1)]
    )
    for embedding, name in zip(embeddings, names, strict=True):
        write_table(embedding.table, name)
    return names


def _document(embeddings: list[Embedding], knowledge: Knowledge, n_rows: int, written: list[Path]) -> dict[str, Any]:
    every = [e.as_json() for e in embeddings]
    first = every[0]
    return {
        "status": first["status"],
        "seconds": first["seconds"],
        "rows": n_rows,
        "knowledge": dict(knowledge.sources),
        "outputs": first["outputs"],
        "runs": every,
        "files": [str(path) for path in written],
    }


def _show(embedding: Embedding) -> None:
    for one in embedding.outputs:
        released, precision = one.target.released, one.target.released.precision
        screen.show(f"{one.target.output.name or one.target.output.kind}: {one.target.output.describe()}")
        screen.show(
            f"{int(one.agrees.sum()):,} of {len(one.agrees):,} figures reproduced at {precision.describe()}; "
            f"mean absolute error {one.mae:.2g}."
        )
        missed = [k for k in range(len(one.agrees)) if not one.agrees[k]]
        if missed:
            grid = Grid(box=None, pad_edge=False)
            grid.add_column("not reproduced")
            grid.add_column("released", justify="right")
            grid.add_column("reached", justify="right")
            given, reached = precision.texts(released.values), precision.texts(one.values)
            for k in missed[:N_SHOWN]:
                grid.add_row(one.labels[k], given[k] or "suppressed", reached[k] or "undefined")
            screen.show(grid)
            if len(missed) > N_SHOWN:
                screen.show(f"… and {len(missed) - N_SHOWN:,} more (--json lists all).")
    screen.show(
        f"{embedding.outcome.sentence} {embedding.seconds:.2f} seconds, {embedding.proposals:,} proposals, "
        f"{embedding.accepted:,} kept."
    )


N_SHOWN = 10
"""Figures not reproduced that are shown to a person; the JSON has them all."""
