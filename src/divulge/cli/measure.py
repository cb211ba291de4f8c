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


def run(
    original: Annotated[Path, typer.Option(help="The original microdata.", show_default=False)],
    synthetic: Annotated[
        list[Path], typer.Option(help="Synthetic microdata; once for every file.", show_default=False)
    ],
    keys: Annotated[
        list[str], typer.Option(metavar="A,B,…", help="What the intruder knows of a person.", show_default=False)
    ],
    target: Annotated[
        list[str] | None, typer.Option(metavar="T", help="What the intruder wants to know; once for every target.")
    ] = None,
    holdout: Annotated[Path | None, typer.Option(help="People of the same kind who were not in the original.")] = None,
    schema: Annotated[
        Path | None, typer.Option(help="What the columns of all files are: labels, missing codes (Table Schema JSON).")
    ] = None,
    all_targets: Annotated[
        bool, typer.Option("--all-targets", help="Every other variable as a target, in one table.")
    ] = False,
    measures: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B,…", help="Measures or families to compute, or all. By default the fast families."),
    ] = None,
    key_sizes: Annotated[
        str | None, typer.Option(metavar="3-6", help="Also sweep over all subsets of so many keys.")
    ] = None,
    exclude_target_level: Annotated[
        list[str] | None, typer.Option(metavar="T=LEVEL", help="A target level that everybody would guess.")
    ] = None,
    exclude_missing: Annotated[
        list[str] | None, typer.Option(metavar="VAR", help="A variable whose missing values disclose nothing.")
    ] = None,
    exclude_pair: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=LEVEL,T=LEVEL", help="A pair of levels that everybody would guess."),
    ] = None,
    denominator_limit: Annotated[
        int, typer.Option(metavar="N", min=0, help="Leave out cells with more rows than this; 0 leaves all in.")
    ] = 0,
    groups: Annotated[
        list[str] | None,
        typer.Option(metavar="VAR=N", help="A numeric variable to cut into N groups at its quantiles."),
    ] = None,
    special: Annotated[
        list[str] | None,
        typer.Option(metavar="VAR=CODE", help="A code of a grouped variable that stays a level of its own."),
    ] = None,
    tau: Annotated[
        float | None, typer.Option(metavar="SHARE", help="How certain the intruder of TCAP wants to be; 1 by default.")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="FAMILY.FIELD=VALUE", help="A setting of a family, as suda.sampling_fraction=0.1."
        ),
    ] = None,
    engine: Annotated[
        Literal["memory", "duckdb"],
        typer.Option(help="Read files into memory, or count Parquet files on disk with DuckDB."),
    ] = "memory",
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="Draw Dorig and DiSCO of every target as arrows.")
    ] = None,
    seed: Annotated[int, typer.Option(help="For the measures that draw at random.")] = 1,
    json: JsonOption = False,
) -> None:
    """Measure how much synthetic data give away about the people of the original.

    The intruder knows the keys of a person, looks them up in the synthetic data and infers the target. Values are
    compared by what they are; missing is a level of its own; exclusions never change the number of people.
    With a holdout every figure is given for it too, and the difference with its interval: what is learnt about people
    who were not in the data is no disclosure.
    """
    # The measures bring compiled code with them, which other commands should not wait for.
    from divulge.measures import FAMILIES, measure_targets
    from divulge.measures.arrows import arrow_plot, target_table
    from divulge.measures.counting.out_of_core import measure_parquet, parquet_columns
    from divulge.table import read_schema, read_table
    from divulge.terminal.measure_options import (
        read_exclusions,
        read_groups,
        read_names,
        read_settings,
        read_sizes,
    )
    from divulge.terminal.measure_view import show

    if plot is not None and plot.suffix.lower() != ".svg":
        raise UsageError(f"the plot is an SVG file, this one ends in {plot.suffix!r}.", where="--plot")
    names = read_names(keys)
    paths = [original, *synthetic, *([holdout] if holdout is not None else [])]
    known = read_schema(schema) if schema is not None else None
    if known is not None and engine == "duckdb":
        raise UsageError("the duckdb engine takes files as they are, without a schema.", where="--schema")
    tables = [read_table(path, known) for path in paths] if engine == "memory" else []
    columns = [list(t.names) for t in tables] or [parquet_columns(path) for path in paths]
    targets = _targets(list(target or ()), all_targets, names, columns)
    cut = read_groups(groups or (), special or ())
    options: dict[str, Any] = {
        "measures": read_names(measures) if measures else None,
        "settings": read_settings(set_ or (), tau),
        "key_sizes": None if key_sizes is None else read_sizes(key_sizes),
        "exclusions": read_exclusions(
            exclude_target_level or (), exclude_missing or (), exclude_pair or (), denominator_limit, targets, cut
        ),
        "groups": cut,
    }
    if engine == "memory":
        held = tables[-1] if holdout is not None else None
        files = tables[1 : 1 + len(synthetic)]
        found = measure_targets(tables[0], files, names, targets, holdout=held, seed=seed, **options)
    else:
        found = measure_parquet(original, synthetic, names, targets, families=FAMILIES, holdout=holdout, **options)
    table = target_table(found) if all_targets or plot is not None or len(found) > 1 else None
    if plot is not None and table is not None:
        write_text(plot, arrow_plot(table))
        screen.note(f"The arrow plot is in {plot}")
    if json:
        screen.print_json(_document(found, table))
    else:
        show(found, table)


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
