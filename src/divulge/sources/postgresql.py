"""A table, or what a query gives, of a PostgreSQL server: counted there, in one read-only snapshot.

How to get there stands in the environment (PGHOST, PGUSER, PGPASSFILE …) or in a service file, as for every other
client of PostgreSQL. None of it is ever in a spec, a record, a log or a message of ours.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import pyarrow as pa
import pyarrow.csv as pacsv

from divulge.condensing.group_by import Wanted, as_table, check_few, every_row, grouped, quoted
from divulge.errors import DivulgeError, DuplicateColumnsError, SourceError, SpecError
from divulge.sources.source import Database
from divulge.table import Schema, Table

_SECONDS = 10
"""To wait for the server: it is there or it is not."""

_SETTINGS = "; ".join(
    f"SET LOCAL {name} = {value}"
    for name, value in {
        "work_mem": "'256MB'",
        "max_parallel_workers_per_gather": "4",
        "parallel_setup_cost": "0",
        "jit": "off",
    }.items()
)
"""How the server is asked to count. Any role may set these for itself."""

_SERVICE = re.compile(r"[A-Za-z0-9_.-]*")
_SECRET = re.compile(r"passw(?:or)?d\s*=|://", re.IGNORECASE)

_TYPES: dict[int, Any] = {
    16: pa.bool_(),
    20: pa.int64(),
    21: pa.int16(),
    23: pa.int32(),
    26: pa.int64(),
    700: pa.float32(),
    701: pa.float64(),
    1082: pa.date32(),
    1114: pa.timestamp("us"),
    1184: pa.timestamp("us", "UTC"),
    1700: pa.float64(),
}
"""PostgreSQL's numbers of types that are not read as text."""

_TOLD = {
    "42P01": "the server has no such table, or the query names one that it does not have.",
    "42703": "the query names a column that there is not.",
    "42601": "the query cannot be read by PostgreSQL.",
    "42501": "the role may not read this table.",
    "25006": "the query would change something, and data are only read.",
    "57014": "the server cancelled the query, perhaps because it took longer than it allows.",
    "28P01": "the server does not accept the password.",
    "28000": "the server does not let this role in.",
    "3D000": "the server has no such database.",
}
"""What the server says, by its codes; its own words may quote values, names of people and hosts."""


@dataclass(frozen=True, kw_only=True)
class Postgresql(Database):
    """A PostgreSQL server. The role that reads should be one that may read these tables and do nothing else."""

    kind: ClassVar[str] = "postgresql"

    postgresql: Annotated[str, "A service of the service file; left empty: what the environment says."] = ""

    def __post_init__(self) -> None:
        if not _SERVICE.fullmatch(self.postgresql) or _SECRET.search(self.query or ""):
            raise SpecError(
                "the name of a service is needed, and no address or password: a spec is kept in the record.",
                where="postgresql",
                hint="Put host, user and password into ~/.pg_service.conf and ~/.pgpass, and name the service here.",
            )
        super().__post_init__()

    def read(self, schema: Schema | None, wanted: Wanted | None, *, condensed: bool) -> Table:
        try:
            with _cursor(self.postgresql) as cursor:
                there = _columns(cursor, self.relation)
                names = list(there if wanted is None else wanted(list(there)))
                statement = (grouped if condensed else every_row)(names, self.relation)
                found = _copied(cursor, statement, [there[name] for name in names], names, has_count=condensed)

                def n_distinct(name: str) -> int:
                    cursor.execute(f"SELECT count(DISTINCT {quoted(name)}) FROM {self.relation}")
                    return int(cursor.fetchone()[0])

                if condensed:
                    check_few(found, names, n_distinct)
            known = None if schema is None else schema.select([n for n in schema.names if n in names or wanted is None])
            return as_table(found, names, known)
        except DivulgeError as error:
            raise error.at(self.name) from None


@contextmanager
def _cursor(service: str) -> Iterator[Any]:
    """A cursor in one read-only transaction that sees one state of the database from beginning to end."""
    try:
        import psycopg
    except ImportError:
        raise SourceError(
            "PostgreSQL is read through psycopg, which is not installed.",
            hint="Install it: pip install 'divulge[postgres]'.",
        ) from None
    given: dict[str, Any] = {"service": service} if service else {}
    connection: Any = None
    try:
        connection = psycopg.connect(connect_timeout=_SECONDS, application_name="divulge", **given)
        connection.read_only = True
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        with connection.cursor() as cursor:
            # For this transaction alone: groups stay in memory, and every processor of the server counts.
            cursor.execute(_SETTINGS)
            yield cursor
    except psycopg.Error as error:
        raise SourceError(*_told(error.sqlstate, is_connected=connection is not None)) from None
    finally:
        if connection is not None:
            connection.close()


def _told(state: str | None, *, is_connected: bool) -> tuple[str]:
    """What an error of the server means."""
    if state in _TOLD:
        return (_TOLD[state],)
    if state is None and not is_connected:
        return ("no PostgreSQL server answers: see the service file, or PGHOST, PGPORT, PGUSER and PGDATABASE.",)
    if state is None or state.startswith(("08", "57P")):
        return ("the connection was lost while the data were read; nothing was kept. Run it again.",)
    return (f"PostgreSQL could not give the data (code {state}).",)


def _columns(cursor: Any, relation: str) -> dict[str, int]:
    """The columns that there are, with PostgreSQL's numbers of their types.

    Asked as one prepared statement, so that nothing can be appended to it.
    """
    cursor.execute(f"SELECT * FROM {relation} LIMIT 0", prepare=True)
    names = [column.name for column in cursor.description]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DuplicateColumnsError(f"column names must differ, but there is more than one {twice[0]!r}.")
    return {column.name: column.type_code for column in cursor.description}


def _copied(cursor: Any, statement: str, types: Sequence[int], names: Sequence[str], *, has_count: bool) -> pa.Table:
    """What a statement gives, as one stream of text that is read by the types of its columns."""
    text = io.BytesIO()
    with cursor.copy(f"COPY ({statement}) TO STDOUT (FORMAT csv)") as copy:
        for piece in copy:
            text.write(piece)
    called = [*(f"v{i}" for i in range(len(types))), *(["n"] if has_count else [])]
    kinds = {f"v{i}": _TYPES.get(number, pa.string()) for i, number in enumerate(types)} | {"n": pa.int64()}
    if not text.tell():
        return pa.table({name: pa.array([], kinds[name]) for name in called})
    text.seek(0)
    try:
        return pacsv.read_csv(
            text,
            read_options=pacsv.ReadOptions(column_names=called),
            parse_options=pacsv.ParseOptions(newlines_in_values=True),
            convert_options=pacsv.ConvertOptions(
                column_types=kinds,
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
                true_values=["t"],
                false_values=["f"],
            ),
        )
    except pa.ArrowInvalid:
        dates = [name for name, number in zip(names, types, strict=True) if number in (1082, 1114, 1184)]
        raise SourceError(
            f"a column of dates ({', '.join(dates)}) holds what is no date here: infinity, or a year before 1."
            if dates
            else "a column holds what its type does not allow.",
            hint="Leave these rows out in a query, or put NULL in their place.",
        ) from None
