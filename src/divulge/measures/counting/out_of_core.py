"""Counting Parquet files that do not fit in memory, through DuckDB (an optional extra).

DuckDB groups the rows by keys and target; what comes back are cells with their counts, on which the measures that
count work as on any other. The cells come into memory, some 40 bytes each: it is rows that may be many, not key
combinations. Row values pass through temporary files of DuckDB, in a folder that is removed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from divulge.condensing.connection import connect
from divulge.condensing.group_by import quoted
from divulge.errors import MeasureError, MissingColumnsError, NotATableError, suggest, unknown_variable
from divulge.kernels import counting
from divulge.kernels.arrays import Integers32
from divulge.measures.choose import choose
from divulge.measures.counting.cells import Counter, Tally
from divulge.measures.counting.exclusions import NO_EXCLUSIONS
from divulge.measures.counting.grouping import Groups, grouped_variable
from divulge.measures.families import FAMILIES
from divulge.measures.run import CountingOptions, Measured, Prepared
from divulge.scenario import Scenario
from divulge.scenario.coding import ROOM, KeyCoding
from divulge.table import Schema, Table, Variable, align, table_from_frame
from divulge.table.files.readable import check_readable

_MEMORY = "1GB"  # what DuckDB may hold before it uses the disk; the cells that come back take up to as much again


@dataclass(frozen=True, eq=False)
class _Coded:
    """A variable of all files, and for every file its raw values with their codes."""

    variable: Variable
    maps: tuple[pa.Table, ...]


def measure_parquet(
    original: Path,
    synthetic: Sequence[Path],
    keys: Sequence[str],
    targets: Sequence[str],
    *,
    holdout: Path | None = None,
    measures: Sequence[str] | None = None,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    **options: Unpack[CountingOptions],
) -> list[Measured]:
    """What `measure_targets` gives for Parquet files read whole, for the families that count; rows stay on disk."""
    groups, exclusions = options.get("groups") or {}, options.get("exclusions", NO_EXCLUSIONS)
    chosen, wanted = choose(FAMILIES, measures, settings or {})
    rows_needed = [f.name for f in chosen if f.needs_rows]
    if measures is None:
        chosen = [f for f in chosen if not f.needs_rows]
    elif rows_needed:
        raise MeasureError(
            f"{', '.join(rows_needed)} need the rows themselves, which the duckdb engine leaves on disk.",
            where="measures",
            hint=f"It can count {', '.join(f.name for f in FAMILIES if not f.needs_rows)}.",
        )
    scenarios = [Scenario(tuple(keys), target, options.get("key_sizes")).check() for target in targets]
    paths = [original, *synthetic, *([holdout] if holdout is not None else [])]
    names = list(dict.fromkeys([*keys, *targets]))
    n_rows = _checked(paths, names)
    with _connection() as connection:
        pooled = 1 + len(synthetic)
        coded = {n: _code(connection, paths, n, groups.get(n), pooled) for n in names}
        schema = Schema(tuple(c.variable for c in coded.values()))
        exclusions.check(schema, tuple(keys), tuple(targets))
        # The tables hold no rows: they stand for the files, whose cells the counter is given.
        none = tuple(np.zeros(0, dtype=v.dtype) for v in schema)
        tables = [Table(schema, none) for _ in paths]
        counter = Counter(schema, tuple(keys), _coding(schema, keys, targets), keeps_codes=False)
        pool = Table(schema, none) if len(synthetic) > 1 else None
        for target in targets:
            tallies = [_tally(connection, p, i, keys, target, coded, n_rows[i]) for i, p in enumerate(paths)]
            for table, tally in zip(tables, tallies, strict=True):
                counter.give(table, target, tally)
            if pool is not None:
                counter.give(pool, target, _summed(tallies[1:pooled]))
    ready = Prepared(
        tables[0], tuple(tables[1:pooled]), tables[-1] if holdout is not None else None, n_rows=tuple(n_rows)
    )
    found = ready.measure(scenarios, chosen, counter, pool, exclusions)
    return found if wanted is None else [m.only(wanted) for m in found]


def parquet_columns(path: Path) -> list[str]:
    """The names of a Parquet file's columns."""
    check_readable(path)
    try:
        return list(pq.read_schema(path).names)
    except (pa.ArrowException, OSError):
        raise NotATableError(
            "the duckdb engine reads Parquet files, and this is none.",
            where=str(path),
            hint="Convert it, or use the engine that reads into memory.",
        ) from None


def _checked(paths: Sequence[Path], names: Sequence[str]) -> list[int]:
    """How many rows each file has; an error where one lacks a column."""
    counts = []
    for i, path in enumerate(paths):
        there = parquet_columns(path)
        absent = [n for n in names if n not in there]
        if absent and i == 0:
            raise unknown_variable(absent[0], there, where=str(path))
        if absent:
            raise MissingColumnsError(
                f"there is no column {', '.join(map(repr, absent))}.",
                where=str(path),
                hint=suggest(absent[0], there) or f"Its columns are: {', '.join(there)}.",
            )
        counts.append(pq.read_metadata(path).num_rows)
    return counts


@contextmanager
def _connection() -> Iterator[Any]:
    try:
        import duckdb
    except ImportError:
        raise MeasureError(
            "the duckdb engine needs DuckDB, which is not installed.", hint="Install it: pip install 'divulge[duckdb]'."
        ) from None
    with tempfile.TemporaryDirectory(prefix="divulge-") as folder:
        connection = connect(folder, memory=_MEMORY)
        try:
            yield connection
        except duckdb.Error as error:
            # Its messages may quote values; its type does not.
            raise MeasureError(
                f"DuckDB could not count the files ({type(error).__name__}).",
                hint="Is there room on the disk for temporary files, and are the files whole?",
            ) from None
        finally:
            connection.close()


def _code(connection: Any, paths: Sequence[Path], name: str, how: Groups | None, pooled: int) -> _Coded:
    """The variable that a column is in all files together, and the code of every raw value."""
    found, weights = [], []
    for path in paths:
        sql = f"SELECT {quoted(name)} AS v, count(*) AS n FROM read_parquet(?) GROUP BY 1"
        values = connection.sql(sql, params=[str(path)]).to_arrow_table()
        found.append(values.column("v"))
        weights.append(values.column("n").to_numpy())
    tables = align(*(table_from_frame(pa.table({name: v})) for v in found))
    variable, codes = tables[0].schema[name], [t[name].astype(np.int64) for t in tables]
    if how is not None:
        counts = sum(
            np.bincount(c, weights=w, minlength=variable.n_codes)
            for c, w in list(zip(codes, weights, strict=True))[:pooled]
        )
        variable, moved = grouped_variable(variable, np.asarray(counts).astype(np.int64), how)
        codes = [moved[c] for c in codes]
    return _Coded(variable, tuple(pa.table({"v": v, "c": c}) for v, c in zip(found, codes, strict=True)))


def _coding(schema: Schema, keys: Sequence[str], targets: Sequence[str]) -> KeyCoding:
    cards = [schema[k].n_codes for k in keys]
    radix = int(np.prod(np.array(cards, dtype=object)))
    if radix * max(schema[t].n_codes for t in targets) >= ROOM:
        raise MeasureError(
            f"{len(keys)} keys have more possible combinations than fit 64 bits.",
            where="keys",
            hint="Use fewer keys, or group the one with the most values.",
        )
    return KeyCoding(tuple(cards), (None,) * len(cards), radix)


def _tally(
    connection: Any, path: Path, file: int, keys: Sequence[str], target: str, coded: Mapping[str, _Coded], n_rows: int
) -> Tally:
    """A file's cells with their counts. Values become codes once rows are cells, of which there are far fewer."""
    names = [*keys, target]
    columns = ", ".join(f"{quoted(n)} AS v{j}" for j, n in enumerate(names))
    joins, code = [], "0"
    for j, name in enumerate(names):
        connection.register(f"map{j}", coded[name].maps[file])
        joins.append(f"JOIN map{j} ON cell.v{j} IS NOT DISTINCT FROM map{j}.v")
        code = f"({code}) * {coded[name].variable.n_codes} + map{j}.c"
    sql = f"""
        WITH cell AS (SELECT {columns}, count(*) AS n FROM read_parquet(?) GROUP BY ALL)
        SELECT CAST({code} AS BIGINT) AS code, CAST(sum(n) AS INTEGER) AS n
        FROM cell {" ".join(joins)} GROUP BY 1 ORDER BY 1
    """
    cells = connection.sql(sql, params=[str(path)]).fetchnumpy()
    codes, counts = np.asarray(cells["code"]), np.asarray(cells["n"])
    if int(counts.sum(dtype=np.int64)) != n_rows:
        raise MeasureError(f"{n_rows:,} rows were to be counted, {int(counts.sum(dtype=np.int64)):,} were.")
    return Tally(codes, counts, n_rows)


def _summed(tallies: Sequence[Tally]) -> Tally:
    """Several files counted as one."""
    codes, counts = tallies[0].codes, tallies[0].counts
    for other in tallies[1:]:
        codes, a, b = counting.merge(codes, counts, other.codes, other.counts)
        counts = a + b
    total: Integers32 = counts
    return Tally(codes, total, sum(t.n_rows for t in tallies))
