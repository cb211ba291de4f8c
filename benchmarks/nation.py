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

from benchmarks.nation_people import CARDS, FOLDER, PLANTED, made
from benchmarks.nation_queue import queue
from benchmarks.nation_sampled import CASES, compare

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


def _sampled(found: dict[str, Any]) -> _Lines:
    del found
    for n, name, seed, planted in CASES:
        who = "three of them alone" if planted else "nobody alone"
        yield (
            f"{name}, {n:,} people, {who}, seed {seed}: sample and all rows",
            compare(made(n, "incomes"), name, seed, planted),
        )


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
    "sampled": _sampled,
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
    from divulge.condensing.kept_counts import Kept

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
    found = assess(ready, workers=1)
    (reproduced,) = found.record["outputs"]
    regions = [ready.table.schema["region"].texts[code] for code in ready.table["region"][found.exposed]]
    return {
        "reading, seconds": planned,
        "seconds": time.process_time() - start[0],
        "clock": time.perf_counter() - start[1],
        "sampled": found.record.get("sampled", {}).get("drawn"),
        "figures": f"{reproduced['reproduced']} of {reproduced['figures']}",
        "splits": found.record["splits"]["used"],
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
