"""A table, or what a query gives, of a DuckDB file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, ClassVar

from divulge.condensing.connection import opened
from divulge.condensing.group_by import Wanted, as_table, check_few, every_row, fetched, grouped, quoted
from divulge.errors import DivulgeError, SpecError
from divulge.sources.source import Database
from divulge.table import Schema, Table
from divulge.table.files.readable import check_readable


@dataclass(frozen=True, kw_only=True)
class Duckdb(Database):
    """A DuckDB file, opened to be read alone: nothing outside it is read, and nothing in it is changed."""

    kind: ClassVar[str] = "duckdb"

    duckdb: Annotated[Path, "The file."]

    @property
    def place(self) -> str:
        return self.duckdb.name

    def under(self, folder: Path) -> Duckdb:
        return replace(self, duckdb=folder / self.duckdb)

    def read(self, schema: Schema | None, wanted: Wanted | None, *, condensed: bool) -> Table:
        check_readable(self.duckdb)
        try:
            with opened(self.duckdb) as connection:
                if len(connection.extract_statements(f"SELECT * FROM {self.relation}")) != 1:
                    raise SpecError("one SELECT is needed, and nothing after it.", where="data.query")
                # One transaction is one snapshot.
                connection.execute("BEGIN TRANSACTION")
                described = connection.execute(f"DESCRIBE SELECT * FROM {self.relation}").fetchall()
                there = [row[0] for row in described]
                names = list(there if wanted is None else wanted(there))
                found = fetched(connection, (grouped if condensed else every_row)(names, self.relation))

                def n_distinct(name: str) -> int:
                    asked = f"SELECT approx_count_distinct({quoted(name)}) FROM {self.relation}"
                    return int(connection.execute(asked).fetchone()[0])

                if condensed:
                    check_few(found, names, n_distinct)
            known = None if schema is None else schema.select([n for n in schema.names if n in names or wanted is None])
            return as_table(found, names, known)
        except DivulgeError as error:
            raise error.at(str(self.duckdb)) from None
