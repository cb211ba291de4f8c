"""`divulge measure`: the risk measures of synthetic data against the original, and a holdout where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from divulge.errors import MissingColumnsError, UsageError
from divulge.record import write_text
from divulge.terminal.options import JsonOption
from divulge.terminal.screen import screen

if TYPE_CHECKING:
    from divulge.measures import Measured
    from divulge.table import Table


_Original = Annotated[Path, typer.Option(help="The original microdata.", show_default=False)]
_Synthetic = Annotated[list[Path], typer.Option(help="Synthetic microdata; once for every file.", show_default=False)]
_Keys = Annotated[
    list[str], typer.Option(metavar="A,B,…", help="What the intruder knows of a person.", show_default=False)
]
_Target = Annotated[
    list[str] | None, typer.Option(metavar="T", help="What the intruder wants to know; once for every target.")
]
_Schema = Annotated[
    Path | None, typer.Option(help="What the columns of all files are: labels, missing codes (Table Schema JSON).")
]
_AllTargets = Annotated[bool, typer.Option("--all-targets", help="Every other variable as a target, in one table.")]
_Measures = Annotated[
    list[str] | None,
    typer.Option(metavar="A,B,…", help="Measures or families to compute, or all. By default the fast families."),
]
_KeySizes = Annotated[str | None, typer.Option(metavar="3-6", help="Also sweep over all subsets of so many keys.")]
_ExcludeTargetLevel = Annotated[
    list[str] | None, typer.Option(metavar="T=LEVEL", help="A target level that everybody would guess.")
]
_ExcludeMissing = Annotated[
    list[str] | None, typer.Option(metavar="VAR", help="A variable whose missing values disclose nothing.")
]
_ExcludePair = Annotated[
    list[str] | None,
    typer.Option(metavar="KEY=LEVEL,T=LEVEL", help="A pair of levels that everybody would guess."),
]
_DenominatorLimit = Annotated[
    int, typer.Option(metavar="N", min=0, help="Leave out cells with more rows than this; 0 leaves all in.")
]
_Groups = Annotated[
    list[str] | None,
    typer.Option(metavar="VAR=N", help="A numeric variable to cut into N groups at its quantiles."),
]
_Special = Annotated[
    list[str] | None,
    typer.Option(metavar="VAR=CODE", help="A code of a grouped variable that stays a level of its own."),
]
_Tau = Annotated[
    float | None, typer.Option(metavar="SHARE", help="How certain the intruder of TCAP wants to be; 1 by default.")
]
_Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="FAMILY.FIELD=VALUE", help="A setting of a family, as suda.sampling_fraction=0.1."),
]
_Engine = Annotated[
    Literal["memory", "duckdb"],
    typer.Option(help="Read files into memory, or count Parquet files on disk with DuckDB."),
]
_All = Annotated[bool, typer.Option("--all", help="Every family of measures, risk and utility, in one pass.")]
_Page = Annotated[
    Path | None,
    typer.Option(metavar="FILE.html", help="Write every figure, and a map of risk and utility, as one page."),
]
_Plot = Annotated[Path | None, typer.Option(metavar="FILE.svg", help="Draw Dorig and DiSCO of every target as arrows.")]


def run(
    original: _Original,
    synthetic: _Synthetic,
    keys: _Keys,
    target: _Target = None,
    holdout: Annotated[Path | None, typer.Option(help="People of the same kind who were not in the original.")] = None,
    schema: _Schema = None,
    all_targets: _AllTargets = False,
    measures: _Measures = None,
    all_: _All = False,
    key_sizes: _KeySizes = None,
    exclude_target_level: _ExcludeTargetLevel = None,
    exclude_missing: _ExcludeMissing = None,
    exclude_pair: _ExcludePair = None,
    denominator_limit: _DenominatorLimit = 0,
    groups: _Groups = None,
    special: _Special = None,
    tau: _Tau = None,
    set_: _Set = None,
    engine: _Engine = "memory",
    plot: _Plot = None,
    page: _Page = None,
    seed: Annotated[int, typer.Option(help="For the measures that draw at random.")] = 1,
    json: JsonOption = False,
) -> None:
    """Measure how much synthetic data give away about the people of the original.

    The intruder knows the keys of a person, looks them up in the synthetic data and infers the target. Values are
    compared by what they are; missing is a level of its own; exclusions never change the number of people.
    With a holdout every figure is given for it too, and the difference with its interval: what is learnt about people
    who were not in the data is no disclosure.
    """
    from divulge import settings
    from divulge.scenario import Scenario
    from divulge.terminal import measure_options as read
    from divulge.terminal.measure_view import show

    _check(plot, all_ and bool(measures), schema is not None and engine == "duckdb")
    paths = [original, *synthetic, *([holdout] if holdout is not None else [])]
    names = read.read_names(keys)
    tables = _read_tables(paths, schema) if engine == "memory" else None
    targets = _targets(list(target or ()), all_targets, names, _columns(paths, tables))
    cut = read.read_groups(groups or (), special or ())
    options: dict[str, Any] = {
        "measures": ["all"] if all_ else read.read_names(measures) if measures else None,
        "settings": read.read_settings(set_ or (), tau),
        "key_sizes": settings.read_settings(Scenario, {"key_sizes": key_sizes}).key_sizes,
        "exclusions": read.read_exclusions(
            exclude_target_level or (), exclude_missing or (), exclude_pair or (), denominator_limit, targets, cut
        ),
        "groups": cut,
    }
    found = _measured(paths, tables, holdout is not None, names, targets, options, seed)
    table = _table(found, plot) if all_targets or plot is not None or len(found) > 1 else None
    if page is not None:
        _write_page(page, _short_names(synthetic), found[0])
    if json:
        screen.print_json(_document(found, table))
    else:
        show(found, table)


def _check(plot: Path | None, all_and_some: bool, counted_with_schema: bool) -> None:
    if plot is not None and plot.suffix.lower() != ".svg":
        raise UsageError(f"the plot is an SVG file, this one ends in {plot.suffix!r}.", where="--plot")
    if all_and_some:
        raise UsageError("all measures and some measures cannot both be asked for.", where="--all")
    if counted_with_schema:
        raise UsageError("the duckdb engine takes files as they are, without a schema.", where="--schema")


def _read_tables(paths: Sequence[Path], schema: Path | None) -> list[Table]:
    from divulge.table import read_schema, read_table

    known = read_schema(schema) if schema is not None else None
    return [read_table(path, known) for path in paths]


def _columns(paths: Sequence[Path], tables: Sequence[Table] | None) -> list[Sequence[str]]:
    from divulge.measures.counting.out_of_core import parquet_columns

    return [parquet_columns(path) for path in paths] if tables is None else [t.names for t in tables]


def _measured(
    paths: Sequence[Path],
    tables: Sequence[Table] | None,
    with_holdout: bool,
    keys: Sequence[str],
    targets: Sequence[str],
    options: dict[str, Any],
    seed: int,
) -> list[Measured]:
    """The figures of original, synthetic and holdout files, in this order; tables: None where they stay on disk."""
    from divulge.measures import measure_targets
    from divulge.measures.counting.out_of_core import measure_parquet

    end = len(paths) - 1 if with_holdout else len(paths)
    if tables is None:
        held = paths[-1] if with_holdout else None
        return measure_parquet(paths[0], paths[1:end], keys, targets, holdout=held, **options)
    rest = tables[-1] if with_holdout else None
    return measure_targets(tables[0], list(tables[1:end]), keys, targets, holdout=rest, seed=seed, **options)


def _table(found: Sequence[Measured], plot: Path | None) -> list[dict[str, Any]]:
    """One row a target, drawn as arrows where a plot is asked for."""
    from divulge.measures.several_targets import target_table
    from divulge.reports.arrows import arrow_plot

    table = target_table(found)
    if plot is not None:
        write_text(plot, arrow_plot(table))
        screen.note(f"The arrow plot is in {plot}")
    return table


def _short_names(paths: Sequence[Path]) -> list[str]:
    """Names of files without their folders, where that tells them apart: folders are nobody's business."""
    names = [path.name for path in paths]
    return names if len(set(names)) == len(names) else [str(path) for path in paths]


def _write_page(page: Path, names: Sequence[str], found: Measured) -> None:
    """The figures of the first target as a page."""
    from divulge.measures import FAMILIES
    from divulge.record import to_plain
    from divulge.reports.measured import measured_document, measured_page

    meanings = {m.name: {"summary": m.summary, "source": m.source} for f in FAMILIES for m in f.measures}
    figures = to_plain({part: getattr(found, part) for part in ("measures", "holdout", "difference")})
    write_text(page, measured_page(measured_document(names, figures, meanings)))
    screen.note(f"The page is in {page}")


def _targets(given: list[str], every: bool, keys: Sequence[str], columns: Sequence[Sequence[str]]) -> list[str]:
    if not every and not given:
        raise UsageError("a target is needed.", where="--target", hint="Name one, or give --all-targets.")
    if every:
        common = set(columns[0]).intersection(*columns[1:])
        given += [n for n in columns[0] if n in common and n not in keys and n not in given]
        if not given:
            raise MissingColumnsError(
                "no column but the keys is common to all files.", where="--all-targets", hint="Name fewer keys."
            )
    return list(dict.fromkeys(given))


def _document(found: Sequence[Measured], table: list[dict[str, Any]] | None) -> dict[str, Any]:
    first = found[0]
    document: dict[str, Any] = {
        "keys": first.keys,
        "target": first.target,
        "rows": {"original": first.n_original, "synthetic": first.n_synthetic, "holdout": first.n_holdout},
        **_figures(first),
    }
    if len(found) > 1:
        # The figures above are those of the first target, so that a script for one target reads either document.
        document["targets"] = {m.target: _figures(m) for m in found}
    if table is not None:
        document["table"] = table
    return document


def _figures(found: Measured) -> dict[str, Any]:
    single = len(found.n_synthetic) == 1
    shown: dict[str, Any] = {
        part: {name: each[0] if single else each for name, each in getattr(found, part).items()}
        for part in ("measures", "holdout", "difference")
    }
    if not single:
        shown["pooled"] = found.pooled
    if found.n_holdout is None:
        del shown["holdout"], shown["difference"]
    return shown
