"""Sixty million people with eight categorical variables and half a million different rows, made here.

Each run is a process of its own, so that its memory is its own. Seconds of the processor do not depend on what else the
machine does; those of the clock do.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

CARDS = {"area": 96, "sex": 2, "age": 18, "tenure": 8, "status": 6, "ill": 4, "work": 5, "born": 3}
TYPES = 500_000
PLANTED = {"tenure": (8, 0, 1), "status": (2, 6, 3), "ill": (1, 2, 4)}
"""Three people, each with a value that nobody else has: alone in their cell of tenure by status by illness."""

N_TABLES = 20
"""Tables of three variables that are assessed together and alone; the planted people stand in the first."""

MODEL = "sex ~ C(tenure) + C(status) + C(ill) + work"
"""Twenty coefficients. Each of the planted people has a level of their own."""

NUMBERS = {
    "medians": {"kind": "position", "variables": ["income"], "by": ["region", "sex"], "decimals": 0},
    "linear": {"kind": "linear", "formula": "income ~ C(region) + sex", "decimals": 2},
}
"""Outputs of an income to the pound. The planted people are alone in their region."""

SEEDS = 20
SIZES = (10_000, 100_000, 600_000, 6_000_000, 60_000_000)
IN_SERVER = 10_000_000
FOLDER = Path(tempfile.gettempdir()) / "divulge-nation"
"""Where the people are kept between two runs: 250 MB."""


def make(n: int, path: Path) -> None:
    """n people as a Parquet file: each is of one of half a million types, three are planted."""
    import duckdb

    drawn = ", ".join(
        f"(hash(t * 8 + {i}) % {size})::UTINYINT AS {name}" for i, (name, size) in enumerate(CARDS.items())
    )
    each = [", ".join(f"{PLANTED.get(name, (0, 0, 0))[k]}::UTINYINT AS {name}" for name in CARDS) for k in range(3)]
    planted = " ".join(f"UNION ALL SELECT {one}" for one in each)
    with tempfile.TemporaryDirectory() as folder:
        connection = duckdb.connect(config={"memory_limit": "2GB", "temp_directory": folder})
        types = f"SELECT (hash(i) % {TYPES})::BIGINT AS t FROM range({n - 3}) AS r(i)"
        connection.execute(f"COPY (SELECT {drawn} FROM ({types}) {planted}) TO '{path}' (FORMAT parquet)")
        connection.close()


def make_incomes(n: int, path: Path) -> None:
    """n people with an income to the pound (some 300,000 different ones of sixty million people), three of them planted
    in a region of their own."""
    import duckdb

    def share(k: int) -> str:
        return f"((hash(i * 7 + {k}) % 1000003) + 0.5) / 1000003"

    normal = f"sqrt(-2 * ln({share(1)})) * cos(2 * pi() * {share(2)})"
    drawn = ", ".join(
        f"(hash(i * 5 + {k}) % {size})::UTINYINT AS {name}"
        for k, (name, size) in enumerate({"region": 10, "sex": 2, "age": 18}.items(), start=1)
    )
    planted = " ".join(f"UNION ALL SELECT {10 + k}, {k % 2}, {3 + k}, {41_234 + 11_111 * k}" for k in range(3))
    with tempfile.TemporaryDirectory() as folder:
        connection = duckdb.connect(config={"memory_limit": "2GB", "temp_directory": folder})
        income = f"round(exp(10.2 + 0.7 * ({normal}) + 0.1 * (hash(i * 5 + 2) % 2)))::INTEGER AS income"
        people = f"SELECT {drawn}, {income} FROM range({n - 3}) AS r(i)"
        connection.execute(f"COPY ({people} {planted}) TO '{path}' (FORMAT parquet)")
        connection.close()


def made(n: int, what: str = "") -> Path:
    """The file of n people; it is kept. what: "incomes" for those with an income."""
    FOLDER.mkdir(mode=0o700, exist_ok=True)
    path = FOLDER / f"{n}{what}.parquet"
    if not path.exists():
        part = path.with_suffix(".part")
        (make_incomes if what else make)(n, part)
        part.rename(path)
    return path


def run() -> list[dict[str, Any]]:
    """All of it, or what the variable NATION names: NATION=model,postgresql make bench ARGS=nation."""
    chosen = [name for name in os.environ.get("NATION", "").split(",") if name] or [*_ROWS]
    lines: list[dict[str, Any]] = []
    if {"condense", "table", "queue"} & set(chosen):
        _process("table", made(SIZES[2]))  # what is loaded once is loaded
    found: dict[str, Any] = {}
    for name in chosen:
        for what, line in _ROWS[name](found):
            lines.append({"what": what, **line})
            print(json.dumps(lines[-1]), file=sys.stderr, flush=True)
    return lines


_Lines = Iterator[tuple[str, dict[str, Any]]]


def _condensing(found: dict[str, Any]) -> _Lines:
    for n in (SIZES[2], SIZES[-1]):
        found["condense"] = _process("condense", made(n))
        yield f"condense {n:,} people, eight variables", found["condense"]


def _one_table(found: dict[str, Any]) -> _Lines:
    tables = {n: _process("table", made(n)) for n in SIZES}
    for n, line in tables.items():
        yield f"one table of three variables, {n:,} people", line
    ratio = tables[SIZES[-1]]["seconds"] / tables[SIZES[2]]["seconds"]
    yield "growth from 600,000 to 60,000,000 after condensing", {"ratio": ratio, "target": 3, "met": ratio <= 3}
    found["table"] = tables[SIZES[-1]]


def _many_tables(found: dict[str, Any]) -> _Lines:
    found["tables"] = _process("tables", made(SIZES[-1]))
    yield f"{N_TABLES} tables together and alone, {SIZES[-1]:,} people", found["tables"]


def _models(found: dict[str, Any]) -> _Lines:
    sizes = {n: _process("model", made(n)) for n in SIZES[2:]}
    for n, line in sizes.items():
        yield f"logistic regression, 20 coefficients at 4 decimals, {n:,} people", line
    found["model"] = sizes[SIZES[-1]]
    yield f"the same with standard errors, {SIZES[-1]:,} people", _process("model-se", made(SIZES[-1]))


def _numbers(found: dict[str, Any]) -> _Lines:
    del found
    for n in (SIZES[2], SIZES[-1]):
        for name in NUMBERS:
            yield f"{name} of an income, {n:,} people", _process(name, made(n, "incomes"))


def _stream(found: dict[str, Any]) -> _Lines:
    del found
    yield f"synthetic rows of {SIZES[-1]:,} people, written as Parquet", _process("stream", made(SIZES[-1]))


def _server(found: dict[str, Any]) -> _Lines:
    del found
    yield f"a table from PostgreSQL, {IN_SERVER:,} people", _process("postgresql", made(IN_SERVER))


def _queue(found: dict[str, Any]) -> _Lines:
    n = SIZES[-1]
    costs = {name: found[name] if name in found else _process(name, made(n)) for name in ("table", "tables", "model")}
    yield "a queue of 200 submissions", queue(costs)
    yield "the same without kept counts", queue(costs, is_kept=False)
    yield "1,000 submissions a week", queue(costs, 1000, target=7 * 24.0)


_ROWS: dict[str, Callable[[dict[str, Any]], _Lines]] = {
    "condense": _condensing,
    "table": _one_table,
    "tables": _many_tables,
    "model": _models,
    "numbers": _numbers,
    "stream": _stream,
    "postgresql": _server,
    "queue": _queue,
}


def _process(what: str, path: Path) -> dict[str, Any]:
    words = [sys.executable, "-m", "benchmarks.nation", what, str(path)]
    found: dict[str, Any] = json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout)
    return found


def _assessment(data: Any, *names: str, seed: int = 1) -> Any:
    from divulge.spec import parse_spec

    output = {"kind": "crosstab", "variables": list(names), "compute": True}
    return parse_spec({"data": data, "outputs": [output], "seed": seed}, Path())


def _condense(path: Path) -> dict[str, Any]:
    """All eight variables: ours beside DuckDB's own statement, in turns, and the better of two of each."""
    from divulge.condensing.connection import opened
    from divulge.sources import read_source

    ours, theirs, rows = [], [], 0
    for _ in range(2):
        start = time.process_time()
        table = read_source(path, Path()).read(None, list, condensed=True)
        ours.append(time.process_time() - start)
        rows = table.n_rows
        start = time.process_time()
        with opened() as connection:
            names = ", ".join(CARDS)
            counted = f"SELECT {names}, count(*) FROM read_parquet('{path}') GROUP BY {names}"
            connection.sql(counted).to_arrow_table()
        theirs.append(time.process_time() - start)
    ratio = min(ours) / min(theirs)
    found = {"processor seconds": min(ours), "GROUP BY": min(theirs), "ratio": ratio, "target": 3, "met": ratio <= 3}
    return {**found, "different rows": rows, "MB": _memory()}


def _table(path: Path) -> dict[str, Any]:
    """A table of three variables: reading and condensing, then the verdict, for every seed."""
    from divulge.assess import assess, plan
    from divulge.spec import read_inputs

    names = list(PLANTED)
    start = time.process_time(), time.perf_counter()
    inputs = read_inputs(_assessment(str(path), *names), "condensed")
    read = time.process_time() - start[0], time.perf_counter() - start[1]
    assess(plan(_assessment(str(path), *names), inputs), workers=1)  # compiled code is loaded once
    seconds, clock, found_all = [], [], True
    for seed in range(SEEDS):
        start = time.process_time(), time.perf_counter()
        found = assess(plan(_assessment(str(path), *names, seed=seed), inputs), workers=1)
        seconds.append(time.process_time() - start[0])
        clock.append(time.perf_counter() - start[1])
        found_all &= found.record["exposure"]["exposed"] == len(PLANTED)
    return {
        "condensing, clock": read[1],
        "kept counts read, seconds": _reading_kept(inputs.table),
        "seconds": float(np.median(seconds)),
        "clock": float(np.median(clock)),
        "target": 10,
        "met": float(np.median(clock)) <= 10,
        "planted found, all seeds": found_all,
        "MB": _memory(),
    }


def _reading_kept(table: Any) -> float:
    """Seconds that counts take to be read which were kept: at least two hundred thousand people are."""
    from divulge.condensing.kept import Kept

    with tempfile.TemporaryDirectory() as folder:
        kept = Kept(Path(folder), "data")
        kept.table(table.names, table.schema, lambda: table)
        start = time.process_time()
        kept.table(table.names, table.schema, lambda: table)
        return time.process_time() - start


def _of_numbers(path: Path, name: str) -> dict[str, Any]:
    """One output of incomes, from the file to the verdict."""
    from divulge.assess import assess, plan
    from divulge.spec import parse_spec

    start = time.process_time(), time.perf_counter()
    spec = parse_spec({"data": str(path), "outputs": [{**NUMBERS[name], "compute": True}], "seed": 1}, Path())
    ready = plan(spec)
    planned = time.process_time() - start[0]
    found = assess(ready)
    regions = [ready.table.schema["region"].texts[code] for code in ready.table["region"][found.exposed]]
    return {
        "reading, seconds": planned,
        "seconds": time.process_time() - start[0],
        "clock": time.perf_counter() - start[1],
        "sampled": found.record.get("sampled"),
        "verdict": found.record["verdict"],
        "planted found": {"10", "11", "12"} <= set(regions),
        "MB": _memory(),
    }


def _streamed(path: Path) -> dict[str, Any]:
    """As many synthetic people as there are, with the counts of one table: made, and written row by row."""
    import pyarrow.parquet as pq

    from divulge.assess.expected_people import expect_people
    from divulge.assess.recipe import recipe_of
    from divulge.spec import read_inputs
    from divulge.table import write_table

    spec = _assessment(str(path), *PLANTED)
    inputs = read_inputs(spec, "condensed")
    start = time.process_time()
    made_people = expect_people(recipe_of(spec, inputs), 1)
    assert made_people is not None, "counts of a table"
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        write_table(made_people.table, Path(folder) / "people.parquet")
        rows = pq.read_metadata(Path(folder) / "people.parquet").num_rows
    is_whole = rows == made_people.table.n_people and made_people.is_complete
    return {"seconds": time.process_time() - start, "rows": rows, "every figure as printed": is_whole, "MB": _memory()}


def _tables(path: Path) -> dict[str, Any]:
    """Twenty tables of three of the eight variables, together and alone, after condensing."""
    from divulge.assess import assess, plan
    from divulge.spec import parse_spec, read_inputs

    first = tuple(PLANTED)
    others = [names for names in combinations(CARDS, 3) if names != first]
    chosen = [others[i] for i in np.random.default_rng(1).permutation(len(others))[: N_TABLES - 1]]
    outputs = [{"kind": "crosstab", "variables": list(names), "compute": True} for names in (first, *chosen)]
    assessment = parse_spec({"data": str(path), "outputs": outputs, "seed": 1}, Path())
    inputs = read_inputs(assessment, "condensed")
    start = time.process_time(), time.perf_counter()
    found = assess(plan(assessment, inputs))
    seconds, clock = time.process_time() - start[0], time.perf_counter() - start[1]
    return {
        "seconds": seconds,
        "clock": clock,
        "target": 300,
        "met": seconds <= 300,
        "risk": found.record["condensed"]["risk"],
        "planted found": found.record["exposure"]["exposed"] == len(PLANTED),
        "MB": _memory(),
    }


def _model(path: Path, statistics: tuple[str, ...] = ()) -> dict[str, Any]:
    """A logistic regression: thirty halves, and everybody who may be exposed left out of the whole; three seeds."""
    from divulge.assess import assess, plan
    from divulge.spec import parse_spec, read_inputs

    output = {"kind": "logistic", "formula": MODEL, "decimals": 4, "compute": True, "statistics": list(statistics)}
    design = {"kind": "repeated-halves", "splits": 30, "stop_early": False}
    seconds, clock, found_all, record, inputs = [], [], True, {}, None
    for seed in range(1 if statistics else 3):
        spec = parse_spec({"data": str(path), "outputs": [output], "design": design, "seed": seed}, Path())
        inputs = read_inputs(spec, "condensed") if inputs is None else inputs
        start = time.process_time(), time.perf_counter()
        found = assess(plan(spec, inputs))
        seconds.append(time.process_time() - start[0])
        clock.append(time.perf_counter() - start[1])
        record = found.record
        assert inputs.table is not None
        found_all &= inputs.table.count(found.exposed) == len(PLANTED)
    (reproduced,) = record["outputs"]
    return {
        "seconds": float(np.median(seconds)),
        "clock": float(np.median(clock)),
        "target": 600,
        "met": float(np.median(clock)) <= 600,
        "figures": f"{reproduced['reproduced']} of {reproduced['figures']}",
        "splits": record["splits"]["used"],
        "verdict": record["verdict"],
        "planted found": found_all,
        "MB": _memory(),
    }


def _postgresql(path: Path) -> dict[str, Any]:
    """The same submission from a server on this machine and from the file, in turns: clock, best of three of each.

    Once the whole command, as whoever submits it has it, and once without starting Python and loading compiled code.
    """
    import duckdb
    import psycopg

    from divulge.assess import assess, plan
    from tests.support.postgres import Cluster

    server = Cluster()
    try:
        given: dict[str, Any] = {"host": str(server.folder), "user": server.user, "dbname": "postgres"}
        rows = server.folder / "people.csv"
        duckdb.sql(f"COPY (SELECT * FROM '{path}') TO '{rows}' (FORMAT csv, HEADER false)")
        with psycopg.connect(**given) as link, link.cursor() as cursor, rows.open("rb") as text:
            cursor.execute(f"CREATE TABLE people ({', '.join(f'{name} smallint' for name in CARDS)})")
            with cursor.copy("COPY people FROM STDIN (FORMAT csv)") as copy:
                while piece := text.read(1 << 20):
                    copy.write(piece)
        server.run("VACUUM ANALYZE people")
        os.environ |= {"PGHOST": str(server.folder), "PGUSER": server.user, "PGDATABASE": "postgres"}
        sources: dict[str, Any] = {"server": {"postgresql": "", "table": "people"}, "file": str(path)}
        inside: dict[str, list[float]] = {where: [] for where in sources}
        command: dict[str, list[float]] = {where: [] for where in sources}
        records: dict[str, Any] = {}
        for _ in range(3):
            for where, data in sources.items():
                start = time.perf_counter()
                assess(plan(_assessment(data, *PLANTED)), workers=1)
                inside[where].append(time.perf_counter() - start)
                seconds, records[where] = _submitted(data, server.folder / where)
                command[where].append(seconds)
    finally:
        server.stop()
    for record in records.values():
        record["data"]["name"] = record["audit"]["seconds"] = None
        record["timings"] = record["spec"] = record["files"] = None
    ratio = min(command["server"]) / min(command["file"])
    return {
        "server": min(command["server"]),
        "file": min(command["file"]),
        "ratio": ratio,
        "target": 2,
        "met": ratio <= 2,
        "ratio without starting": min(inside["server"]) / min(inside["file"]),
        "same record": records["server"] == records["file"],
    }


def _submitted(data: Any, folder: Path) -> tuple[float, Any]:
    """`divulge assess` of one table: seconds by the clock, and its record."""
    folder.mkdir(exist_ok=True)
    spec = folder / "spec.json"
    output = {"kind": "crosstab", "variables": list(PLANTED), "compute": True}
    spec.write_text(json.dumps({"data": data, "outputs": [output], "seed": 1}), encoding="utf-8")
    words = [sys.executable, "-m", "divulge", "assess", str(spec), "-o", str(folder / "out"), "--json"]
    start = time.perf_counter()
    found = subprocess.run(words, check=True, capture_output=True, text=True)
    return time.perf_counter() - start, json.loads(found.stdout)


STARTING = 6.0
"""Seconds of a processor that starting the command takes, with compiled code loaded."""

SHARES = {"table": 0.8, "model": 0.1, "tables": 0.1}
"""What the queue is made of."""


def queue(
    costs: dict[str, Any], n: int = 200, cores: int = 2, target: float = 12.0, is_kept: bool = True
) -> dict[str, Any]:
    """A queue simulated: most are one table of three variables drawn at random, some are models and sets of twenty.

    Whoever is free takes the next. What one takes is the time of the processor that was measured. People are condensed
    once for each set of variables, and read again by whoever asks for the same.
    """
    rng = np.random.default_rng(1)
    drawn = rng.choice(list(SHARES), n, p=list(SHARES.values()))
    sets = [tuple(names) for names in combinations(CARDS, 3)]
    free, seen = np.zeros(cores), set()
    for name in drawn.tolist():
        asked = sets[int(rng.integers(len(sets)))] if name == "table" else name
        table = costs["table"]
        read = table["kept counts read, seconds"] if is_kept and asked in seen else table["condensing, clock"]
        seen.add(asked)
        free[int(free.argmin())] += STARTING + read + costs[name]["seconds"]
    hours = float(free.max()) / 3600
    return {"submissions": n, "cores": cores, "hours": hours, "target": target, "met": hours <= target}


def _memory() -> float:
    """MB of this process at its largest."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1000


_PROCESSES: dict[str, Callable[[Path], dict[str, Any]]] = {
    "condense": _condense,
    "table": _table,
    "tables": _tables,
    "model": _model,
    "model-se": lambda path: _model(path, ("se",)),
    "medians": lambda path: _of_numbers(path, "medians"),
    "linear": lambda path: _of_numbers(path, "linear"),
    "stream": _streamed,
    "postgresql": _postgresql,
}

if __name__ == "__main__":
    print(json.dumps(_PROCESSES[sys.argv[1]](Path(sys.argv[2]))))
