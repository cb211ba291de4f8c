"""What a source is: where data live, and how the columns that are needed are fetched from there.

A source is one file with one frozen dataclass; its fields are what `data:` says in a spec. It is read once, in one
snapshot, and never written to.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from divulge.condensing.group_by import Wanted, quoted
from divulge.errors import SpecError
from divulge.table import Schema, Table


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where data live. kind: the field by which a spec names it."""

    kind: ClassVar[str]

    @property
    def name(self) -> str:
        """What the record calls it: nothing that says how to get there."""
        raise NotImplementedError

    def under(self, folder: Path) -> Source:
        """The same, with names of files that start in a folder."""
        del folder
        return self

    def read(self, schema: Schema | None, wanted: Wanted | None, *, condensed: bool) -> Table:
        """The people. schema: what columns are; those that it does not name are inferred.

        wanted: which of its columns are needed; all where None. condensed: whether people who are alike may be held
        once.
        """
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Database(Source):
    """A source with tables: one of them is named, or a query."""

    table: Annotated[str | None, "The table or view, as in people or census.people."] = None
    query: Annotated[str | None, "A SELECT whose rows are the people, instead of a table."] = None

    def __post_init__(self) -> None:
        if (self.table is None) == (self.query is None):
            raise SpecError("either a table or a query is needed.", where="table", hint="Write table: people.")

    @property
    def place(self) -> str:
        """What the record calls the database."""
        return self.kind

    @property
    def name(self) -> str:
        return self.place if self.table is None else f"{self.place}: {self.table}"

    @property
    def relation(self) -> str:
        """What stands behind FROM."""
        if self.query is not None:
            return f"({self.query}\n) AS people"
        assert self.table is not None, "one of the two is given"
        return ".".join(quoted(part) for part in self.table.split("."))
