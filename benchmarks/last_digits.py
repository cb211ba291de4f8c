"""The last digits by arithmetic beside the search without it: the same outputs, the same seeds, in the same run.

Part of `make bench ARGS=search`. Without arithmetic a search has single moves and what follows them (pairs, annealing,
disturbances), as it had before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from typing import Any
from unittest.mock import patch

import numpy as np

from divulge.objective import Embedding, Objective, Target
from divulge.objective.knowledge import granted
from divulge.outputs.kinds.linear import Linear
from divulge.outputs.kinds.means import Means
from divulge.outputs.kinds.shape import Shape
from divulge.outputs.output import Output
from divulge.synthesisers import Descent
from divulge.synthesisers.descent.last_digits import LastDigits
from divulge.table import Schema, Table, Variable

REPEATS = 3
SECONDS = 20.0
"""For the old search, which mostly uses all of it; the new one has as many."""

SIZES = (240, 2_000, 50_000)
SIGNIFICANT = (4, 6, 8)


def rows() -> Iterator[dict[str, Any]]:
    """Ten coefficients at so many digits on so many rows; means at 6 decimals; means with deviations in 16 groups."""
    for n in SIZES:
        people = _people(n)
        for digits in SIGNIFICANT:
            model = Linear(formula="y ~ a + b + c + d + e + C(g)", significant=digits)
            yield _line(f"10 coefficients at {digits} significant digits, {n:,} rows", people, [model])
    people = _people(2_000)
    yield _line("two means at 6 decimals, 2,000 rows", people, [Means(variables=("y",), by=("h",), decimals=6)])
    both: list[Output] = [
        Means(variables=("y",), by=("k",), decimals=4),
        Shape(variables=("y",), by=("k",), show=("sd",), decimals=4),
    ]
    yield _line("means and deviations in 16 groups at 4 decimals, 2,000 rows", people, both)


def _people(n: int) -> Table:
    """A response in whole numbers, five predictors of several kinds, and groups of 5, 2 and 16."""
    rng = np.random.default_rng(n)
    names = ("a", "b", "c", "d", "e", "g", "h", "k")
    sizes = (60, 12, 200, 2, 40, 5, 2, 16)
    codes = [rng.integers(0, size, n) for size in sizes]
    lean = sum(code / size for code, size in zip(codes, sizes, strict=True))
    y = np.clip(np.round(rng.normal(40 + 8 * lean, 12)), 0, 120).astype(np.int64)
    variables = [Variable(name, "numeric", np.arange(size)) for name, size in zip(names, sizes, strict=True)]
    schema = Schema((Variable("y", "numeric", np.arange(121)), *variables))
    columns = [np.asarray(code, dtype=v.dtype) for code, v in zip([y, *codes], schema, strict=True)]
    return Table(schema, tuple(columns))


def _objective(table: Table, outputs: Sequence[Output]) -> Objective:
    targets = tuple(Target(o, o.publish(o.evaluate(table), table.schema)) for o in outputs)
    used = [name for name in table.names if any(name in o.uses(table.schema) for o in outputs)]
    people = table.select(used)
    counts = {name: people.frequencies(name).astype(float) for name in used}
    knowledge = granted(people.schema, targets, "marginals", counts)
    return Objective(people.schema, targets, knowledge.marginals, knowledge.known, table.n_rows)


def _line(what: str, table: Table, outputs: Sequence[Output]) -> dict[str, Any]:
    objective, settings = _objective(table, outputs), Descent(start="model", seconds=SECONDS)
    settings.embed(objective, table.n_rows, 0)  # compiles what is not compiled yet
    found = [settings.embed(objective, table.n_rows, seed) for seed in range(1, REPEATS + 1)]
    with _without_arithmetic():
        old = settings.embed(objective, table.n_rows, 1)
    return {
        "what": what,
        "seconds": median(e.seconds for e in found),
        "least": min(e.seconds for e in found),
        "as printed": _printed(found),
        "seconds without arithmetic": old.seconds,
        "as printed without it": _printed([old]),
        "target": "as printed",
        "passed": all(e.is_complete for e in found),
    }


def _printed(found: Sequence[Embedding]) -> str:
    fewest = min(int(sum(o.agrees.sum() for o in e.outputs)) for e in found)
    return f"{fewest} of {sum(len(o.agrees) for o in found[0].outputs)}"


@contextmanager
def _without_arithmetic() -> Iterator[None]:
    """Searches that never ask for the changes by arithmetic."""
    with patch.object(LastDigits, "land", lambda self: False):
        yield
