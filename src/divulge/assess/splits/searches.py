"""Finished searches on all rows, kept beside finished splits: whoever resumes does not wait for them again."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from divulge.assess.recipe import Recipe
from divulge.assess.splits.checkpoint import UNREADABLE, Checkpoint
from divulge.assess.splits.split import check_whole
from divulge.objective import Embedding, Outcome
from divulge.objective.embedding import TracePoint
from divulge.objective.reproduction import reproduce
from divulge.synthesisers import Synthesiser
from divulge.table import Table


@dataclass(frozen=True)
class KeptSearches:
    """The searches of one pass. What is kept: synthetic rows as codes, and how the search went; no row of the data."""

    checkpoint: Checkpoint
    name: str

    def embed(self, recipe: Recipe, synthesiser: Synthesiser, seed: int, *, run: int, snapshots: int = 0) -> Embedding:
        """Microdata that reproduces the outputs: found before, or searched for now and kept."""
        name = f"{self.name}-all-rows-{run}"
        kept = self.checkpoint.load_arrays(name)
        if kept is not None:
            try:
                return _unpacked(kept, recipe)
            except UNREADABLE:
                pass  # written by halves: it is searched for again
        found = recipe.embed(synthesiser, seed, run=run, snapshots=snapshots)
        check_whole(found)
        self.checkpoint.save_arrays(name, _packed(found))
        return found


def _packed(found: Embedding) -> dict[str, Any]:
    about = {
        "outcome": str(found.outcome),
        "seconds": found.seconds,
        "proposals": found.proposals,
        "accepted": found.accepted,
        "discrepancy": found.discrepancy,
        "trace": [asdict(point) for point in found.trace],
        "snapshots": len(found.snapshots),
    }
    arrays: dict[str, Any] = {"about": np.array(json.dumps(about))}
    for i, table in enumerate((found.table, *found.snapshots)):
        arrays |= {f"{i}-{j}": column for j, column in enumerate(table.columns)}
    return arrays


def _unpacked(held: dict[str, Any], recipe: Recipe) -> Embedding:
    """The search as it ended; its outputs are computed anew from its rows."""
    schema = recipe.schema
    about = json.loads(str(held["about"]))
    tables = [Table(schema, tuple(held[f"{i}-{j}"] for j in range(len(schema)))) for i in range(about["snapshots"] + 1)]
    trace = tuple(
        TracePoint(**{**point, "errors": None if point["errors"] is None else tuple(point["errors"])})
        for point in about["trace"]
    )
    found = Embedding(
        table=tables[0],
        outcome=Outcome(about["outcome"]),
        outputs=reproduce(recipe.objective, tables[0]),
        seconds=about["seconds"],
        proposals=about["proposals"],
        accepted=about["accepted"],
        discrepancy=about["discrepancy"],
        trace=trace,
        snapshots=tuple(tables[1:]),
    )
    return recipe.judged_by_outputs(found)
