"""A file of microdata, or a folder of Parquet files that are one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from divulge.condensing.connection import opened
from divulge.condensing.group_by import MANY, Wanted, as_table, check_few, every_row, fetched, grouped, quoted
from divulge.errors import DivulgeError, NotATableError, SourceError
from divulge.sources.source import Source
from divulge.table import Schema, Table, read_table
from divulge.table.files.parquet import carried_schema, read_parquet
from divulge.table.files.readable import check_readable

_READ = "read_parquet(?, hive_partitioning = true)"


@dataclass(frozen=True, kw_only=True)
class File(Source):
    """A file by its name. Of Parquet files only the columns that are needed are read."""

    kind: ClassVar[str] = "file"

    file: Annotated[Path, "The file, or a folder of Parquet files."]

    @property
    def name(self) -> str:
        return self.file.name

    def under(self, folder: Path) -> File:
        return replace(self, file=folder / self.file)

    def read(self, schema: Schema | None, wanted: Wanted | None, *, condensed: bool) -> Table:
        if self.file.is_dir():
            return self._counted(_parts(self.file), schema, wanted, condensed=condensed)
        if self.file.suffix.lower() != ".parquet":
            table = read_table(self.file, schema)
            if condensed and wanted is not None and table.n_rows >= MANY:
                return table.select(wanted(table.names)).condensed()
            return table
        check_readable(self.file)
        if condensed and n_rows_of(self.file) >= MANY:
            return self._counted([self.file], schema, wanted, condensed=True)
        try:
            return read_parquet(self.file, schema, wanted)
        except DivulgeError as error:
            raise error.at(str(self.file)) from None

    def _counted(
        self, parts: Sequence[Path], schema: Schema | None, wanted: Wanted | None, *, condensed: bool
    ) -> Table:
        """The files through DuckDB; an error where one of them changes meanwhile."""
        before = _stamps(parts)
        files = [str(part) for part in parts]
        try:
            with opened() as connection:
                there = [row[0] for row in connection.execute(f"DESCRIBE SELECT * FROM {_READ}", [files]).fetchall()]
                names = list(there if wanted is None else wanted(there))
                statement = (grouped if condensed else every_row)(names, _READ)
                found = fetched(connection, statement, [files])

                def n_distinct(name: str) -> int:
                    asked = f"SELECT approx_count_distinct({quoted(name)}) FROM {_READ}"
                    return int(connection.execute(asked, [files]).fetchone()[0])

                check_few(found, names, n_distinct)
            found = _as_written(found, names, parts[0])
            known = None if schema is None else schema.select([n for n in schema.names if n in names or wanted is None])
            carried = carried_schema(parts[0])
            kept = None if carried is None else carried.select([n for n in carried.names if n in names])
            table = as_table(found, names, known, kept)
        except DivulgeError as error:
            raise error.at(str(self.file)) from None
        if _stamps(parts) != before:
            raise SourceError(
                "the files were changed while they were read.", where=str(self.file), hint="Run it again."
            )
        return table


def _parts(folder: Path) -> list[Path]:
    """The Parquet files of a folder and the folders in it, by name. What starts with . or _ is no data."""
    found = [
        path
        for path in sorted(folder.rglob("*.parquet"))
        if path.is_file() and not any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
    ]
    if not found:
        raise NotATableError(
            "a folder of Parquet files is needed, and there is none in it.",
            where=str(folder),
            hint="Name a file, or a folder with files that end in .parquet.",
        )
    return found


def _stamps(parts: Sequence[Path]) -> list[tuple[int, int]]:
    try:
        return [(stat.st_size, stat.st_mtime_ns) for stat in (part.stat() for part in parts)]
    except OSError:
        return []


def n_rows_of(path: Path) -> int:
    """How many rows a Parquet file says that it has."""
    try:
        return int(pq.read_metadata(path).num_rows)
    except (pa.ArrowException, OSError):
        raise NotATableError(
            "this is not a Parquet file, or it is damaged.", where=str(path), hint="Was it copied whole?"
        ) from None


def _as_written(found: Any, names: Sequence[str], first: Path) -> Any:
    """What DuckDB gives as plain text where the file has levels in an order: with these."""
    file = pq.ParquetFile(first)
    with file:
        for i, name in enumerate(names):
            at = file.schema_arrow.get_field_index(name)
            kind = None if at < 0 else file.schema_arrow.field(at).type
            if kind is None or not pa.types.is_dictionary(kind) or not pa.types.is_string(kind.value_type):
                continue
            column = file.read_row_group(0, columns=[name]).column(0).unify_dictionaries()
            levels = column.chunk(0).dictionary.to_pylist() if column.num_chunks else []
            held = _with_levels(found.column(f"v{i}"), [t for t in levels if t is not None], kind.ordered)
            found = found.set_column(i, f"v{i}", held)
    return found


def _with_levels(column: pa.ChunkedArray, levels: Sequence[str], ordered: bool) -> pa.ChunkedArray:
    """A column of texts as the dictionary that the file has for it: with levels that nobody has, in their order."""
    texts = column.cast(pa.string())
    seen = [t for t in pc.unique(texts).to_pylist() if t is not None]
    every = list(dict.fromkeys([*levels, *sorted(seen)]))
    indices = pc.index_in(texts, value_set=pa.array(every, pa.string())).combine_chunks()
    coded = pa.DictionaryArray.from_arrays(indices, pa.array(every, pa.string()), ordered=ordered)
    return pa.chunked_array([coded])
