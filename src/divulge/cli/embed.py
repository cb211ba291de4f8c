"""`divulge embed`: synthetic microdata that reproduces a spec's outputs, from the numbers and the schema alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table as Grid

from divulge.assess.expected_people import expect_people
from divulge.assess.recipe import Recipe, recipe_of, without_idle_digits
from divulge.errors import UsageError
from divulge.objective import Embedding, Progress
from divulge.spec import read_inputs, read_spec
from divulge.synthesisers import Descent
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
    recipe, digits = without_idle_digits(recipe_of(assessment, inputs), inputs.table)
    said = [f"{assessment.place(i)}: {sentence}" for i, d in enumerate(digits) for sentence in d.sentences()]
    # The start from the released figures themselves is the quick way to the same place, at the same knowledge.
    is_descent = assessment.synthesiser.kind is Descent
    usual = {"start": "model"} if is_descent else {}
    synthesiser = assessment.synthesiser.make(**usual)
    if output is not None and not output.parent.is_dir():
        raise UsageError(f"there is no folder {str(output.parent)!r}.", where="--output", hint="Make it first.")
    for sentence in [] if json else said:
        screen.show(sentence)
    with screen.progress() as progress:
        task = progress.add_task("starting", total=1.0)

        def listener(now: Progress) -> None:
            progress.update(task, completed=now.share, description=f"{now.stage} (discrepancy {now.discrepancy:.3g})")

        number = assessment.seed if seed is None else seed
        many = [expect_people(recipe, number, i) for i in range(runs)] if is_descent else [None]
        embeddings = [one for one in many if one is not None] or recipe.embed_runs(
            synthesiser, number, runs=runs, workers=workers, listener=listener
        )
    written = [] if output is None else _write(embeddings, output)
    if json:
        screen.print_json({**_document(embeddings, recipe, written), "digits": [d.as_json() for d in digits]})
        return
    for number, embedding in enumerate(embeddings, start=1):
        if runs > 1:
            screen.show(f"Run {number} of {runs}")
        _show(embedding)
    for path in written:
        screen.show(f"Written: {path}")


def _write(embeddings: list[Embedding], output: Path) -> list[Path]:
    names = (
        [output]
        if len(embeddings) == 1
        else [output.with_stem(f"{output.stem}-{number}") for number in range(1, len(embeddings) + 1)]
    )
    for embedding, name in zip(embeddings, names, strict=True):
        write_table(embedding.table, name)
    return names


def _document(embeddings: list[Embedding], recipe: Recipe, written: list[Path]) -> dict[str, Any]:
    every = [e.as_json() for e in embeddings]
    first = every[0]
    return {
        "status": first["status"],
        "seconds": first["seconds"],
        "rows": recipe.n_rows,
        "knowledge": dict(recipe.knowledge.sources),
        "outputs": first["outputs"],
        "earlier": [one.as_json() for one in embeddings[0].earlier],
        "runs": every,
        "files": [str(path) for path in written],
    }


def _show(embedding: Embedding) -> None:
    for one in (*embedding.outputs, *embedding.earlier):
        released, precision = one.target.released, one.target.released.precision
        before = "Released before, " if one in embedding.earlier else ""
        screen.show(f"{before}{one.target.output.name or one.target.output.kind}: {one.target.output.describe()}")
        screen.show(
            f"{one.n_reproduced:,} of {int(one.held.sum()):,} figures reproduced at {precision.describe()}; "
            f"mean absolute error {one.mae:.2g}."
        )
        if not one.held.all():
            screen.show(f"{int((~one.held).sum()):,} figures that follow from these were not searched for.")
        missed = [k for k in range(len(one.agrees)) if not one.agrees[k]]
        if missed:
            grid = Grid(box=None, pad_edge=False)
            grid.add_column("not reproduced")
            grid.add_column("released", justify="right")
            grid.add_column("reached", justify="right")
            given, reached = precision.texts(released.values), precision.texts(one.values)
            for k in missed[:_N_SHOWN]:
                grid.add_row(one.labels[k], given[k] or "suppressed", reached[k] or "undefined")
            screen.show(grid)
            if len(missed) > _N_SHOWN:
                screen.show(f"… and {len(missed) - _N_SHOWN:,} more (--json lists all).")
    screen.show(
        f"{embedding.outcome.sentence} {embedding.seconds:.2f} seconds, {embedding.proposals:,} proposals, "
        f"{embedding.accepted:,} kept."
    )


_N_SHOWN = 10
"""Figures not reproduced that are shown to a person; the JSON has them all."""
