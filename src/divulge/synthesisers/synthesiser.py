"""What every synthesiser can do, and several independent runs of one in parallel processes."""

from __future__ import annotations

from typing import Protocol

from divulge.objective.embedding import Embedding
from divulge.objective.log import Listener
from divulge.objective.objective import Objective
from divulge.objective.reproduction import Enough


class Synthesiser(Protocol):
    """What every synthesiser can do. It is given no table: outputs, schema and marginals are in the objective."""

    def embed(
        self,
        objective: Objective,
        n_rows: int,
        seed: int,
        *,
        run: int = 0,
        listener: Listener | None = None,
        snapshots: int = 0,
        enough: Enough | None = None,
    ) -> Embedding:
        """Microdata of n rows. enough: how near it may end where the last digits are not to be had at once."""
        ...


def embed_runs(
    synthesiser: Synthesiser,
    objective: Objective,
    n_rows: int,
    seed: int,
    *,
    runs: int = 1,
    workers: int = 1,
    listener: Listener | None = None,
    snapshots: int = 0,
) -> list[Embedding]:
    """One embedding for each run, in order. Run r draws from its own streams, keyed by (seed, r)."""
    if workers == 1 or runs == 1:
        return [
            synthesiser.embed(objective, n_rows, seed, run=r, listener=listener, snapshots=snapshots)
            for r in range(runs)
        ]
    from joblib import Parallel, delayed  # imported where it is used: it takes longer than many a search

    # joblib maps arrays above a megabyte into the workers' memory instead of copying them.
    jobs = (delayed(synthesiser.embed)(objective, n_rows, seed, run=r, snapshots=snapshots) for r in range(runs))
    return list(Parallel(n_jobs=workers, mmap_mode="r")(jobs))
