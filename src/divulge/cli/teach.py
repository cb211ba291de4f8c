"""`divulge teach`: a dataset for a class from published figures and a schema, with notes and a notebook."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from divulge.errors import UsageError
from divulge.record import make_folder
from divulge.terminal.options import JsonOption, SpecArgument
from divulge.terminal.screen import screen

if TYPE_CHECKING:
    from divulge.objective import Progress
    from divulge.spec import Assessment
    from divulge.teaching import Dataset
    from divulge.teaching.risk import Risk

_NOT_REPRODUCED = 3  # the exit status where files were written, but some published figure does not come out as printed
_N_SHOWN = 10  # figures not reproduced that are shown of each output; the note has them all


_Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="DIR", help="Where the files go.", show_default=False),
]
_Versions = Annotated[
    int | None, typer.Option("--versions", min=1, max=1000, help="Datasets with the same answers, one a student.")
]
_Seconds = Annotated[float, typer.Option("--seconds", min=1, help="No new search for a version is begun after this.")]
_Assess = Annotated[
    bool, typer.Option("--assess", help="Also measure what the data give away about the people of the original.")
]
_Original = Annotated[
    Path | None, typer.Option(metavar="FILE", help="With --assess: the original; by default the spec's data.")
]
_Holdout = Annotated[
    Path | None, typer.Option(metavar="FILE", help="With --assess: people like those of the original, not in it.")
]


def run(
    spec: SpecArgument,
    output: _Output = None,
    versions: _Versions = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Instead of the spec's seed.")] = None,
    seconds: _Seconds = 120.0,
    assess: _Assess = False,
    original: _Original = None,
    holdout: _Holdout = None,
    json: JsonOption = False,
) -> None:
    """Make a dataset for a class that reproduces published figures, without the data behind them.

    Needs the released numbers, a schema and the number of rows. Writes the rows as CSV, SPSS and Stata, a data
    dictionary, a note that says figure by figure what is reproduced, and a notebook that reruns the analyses. Exit
    status 3 says that some figure does not come out as printed: the note says which.
    """
    # These bring compiled code with them, which other commands should not wait for.
    from divulge.spec import read_spec
    from divulge.teaching import write_dataset

    if (original is not None or holdout is not None) and not assess:
        raise UsageError("--original and --holdout are for --assess.", hint="Add --assess.")
    assessment = read_spec(spec)
    behind = original if original is not None else assessment.data if isinstance(assessment.data, Path) else None
    if assess and behind is None:
        raise UsageError(
            "--assess needs the original data, and the spec names none.",
            where="--assess",
            hint="Give --original FILE; without the original the risk cannot be measured.",
        )
    folder = output if output is not None else Path(f"{spec.stem}-simulated")
    make_folder(folder)
    data = _made(assessment, versions, seed, seconds)
    files, skipped = write_dataset(data, folder, spec.stem)
    risk = None
    if assess:
        assert behind is not None, "the original was asked for above"
        risk = _measured(data, behind, holdout)
        files += risk.write(folder, spec.stem)
    if json:
        document = {**data.as_json(), "files": [str(f) for f in files], "not written": skipped}
        screen.print_json(document if risk is None else {**document, "assessment": risk.as_json()})
    else:
        _show(data)
        if risk is not None:
            _show_risk(risk)
        for suffix, reason in skipped.items():
            screen.note(f"No {suffix} file: {reason}")
        for path in files:
            screen.show(str(path))
    if not data.is_complete:
        raise typer.Exit(_NOT_REPRODUCED)


def _made(assessment: Assessment, versions: int | None, seed: int | None, seconds: float) -> Dataset:
    """The dataset, with a bar for the search of each version."""
    from divulge.teaching import make_dataset

    with screen.progress() as bar:
        tasks: dict[int, object] = {}

        def listen(version: int, attempt: int, now: Progress) -> None:
            if version not in tasks:
                tasks[version] = bar.add_task("starting", total=1.0)
            said = f"version {version + 1}, search {attempt + 1}: {now.stage}"
            bar.update(tasks[version], completed=now.share, description=said)  # type: ignore[arg-type]

        return make_dataset(assessment, versions=versions, seed=seed, seconds=seconds, listener=listen)


def _measured(data: Dataset, original: Path, holdout: Path | None) -> Risk:
    from divulge.assess import Step
    from divulge.table import read_table
    from divulge.teaching.risk import assess_dataset

    known = data.schema.select([n for n in data.schema.names if n not in data.extra])
    people = read_table(original, known)
    others = None if holdout is None else read_table(holdout, known)
    with screen.progress() as bar:
        tasks: dict[str, object] = {}

        def listen(step: Step) -> None:
            if step.stage not in tasks:
                tasks[step.stage] = bar.add_task(step.stage, total=step.total)
            bar.update(tasks[step.stage], completed=step.done, total=step.total)  # type: ignore[arg-type]

        return assess_dataset(data, people, others, listener=listen)


def _show(data: Dataset) -> None:
    from rich.table import Table as Grid

    from divulge.teaching.note import figures_missed

    n_versions = len(data.versions)
    screen.show(
        f"{data.versions[0].table.n_rows:,} simulated rows"
        + (f" in each of {n_versions} versions" if n_versions > 1 else "")
        + f", {sum(v.seconds for v in data.versions):.1f} seconds."
    )
    for i, target in enumerate(data.targets):
        missed = figures_missed(target, data, i)
        n = len(target.released.labels)
        named = target.output.name or target.output.kind
        screen.show(f"{named}: {n - len(missed):,} of {n:,} figures as printed.")
        if missed:
            grid = Grid("  not reproduced", "published", "reached", box=None, pad_edge=False)
            for label, given, reached in missed[:_N_SHOWN]:
                grid.add_row(f"  {label}", given, reached)
            screen.show(grid)
            if len(missed) > _N_SHOWN:
                screen.show(f"  … and {len(missed) - _N_SHOWN:,} more, in the note.")
    if data.extra:
        screen.show(f"In no published figure, and so made up altogether: {', '.join(data.extra)}.")
    if data.is_complete:
        screen.show("Every published figure comes out as printed. Everything else in the data is made up.")
    else:
        screen.show("Not every published figure comes out as printed. Everything else in the data is made up.")


def _show_risk(risk: Risk) -> None:
    from rich.table import Table as Grid

    from divulge.teaching.risk import shown

    grid = Grid("TCAP", box=None, pad_edge=False)
    for name in (*risk.targets, "mean"):
        grid.add_column(name, justify="right")
    for line in risk.raw:
        grid.add_row(line.name, *(shown(v) for v in (*line.values, line.mean)))
    screen.show("")
    screen.show(grid)
    screen.show(f"Marginal risk of the figures: {str(risk.record['verdict']).upper()}")
    for reason in risk.record["reasons"]:
        screen.show(f"  - {reason}")
