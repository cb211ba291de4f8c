"""The paper's algorithm: a population of datasets, tournaments, crossover of whole rows, mutation from the marginals.

Elliot, Little & Allmendinger, "Evolutionary algorithms for output disclosure risk assessment", section 3 and Table 1;
the settings that the paper leaves open are those of the authors' program. What differs is how a child is evaluated:
totals are updated instead of refitting the model, except for outputs that do not lower.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

import numba
import numpy as np

from divulge.kernels.randomness import streams
from divulge.objective.embedding import Embedding, Outcome
from divulge.objective.log import Listener, Log
from divulge.objective.objective import Objective
from divulge.objective.reproduction import Enough, reproduce
from divulge.settings import Range, check_settings
from divulge.synthesisers.evolutionary.fitness import Units
from divulge.synthesisers.evolutionary.mutation import Rates, Schedule, Source, Stepped
from divulge.synthesisers.evolutionary.population import Operators, Population, n_children
from divulge.synthesisers.evolutionary.replacement import Replacement, survivors
from divulge.synthesisers.evolutionary.tournament import select

PAPER = Stepped(rate=0.005, divide=3, every=250)
"""The paper's mutation rates (Table 1)."""

REFRESH = 10
"""Generations between two linearisations: half a per cent of the paper's 2,000, and some per cent of the time."""


@dataclass(frozen=True, kw_only=True)
class Evolutionary:
    """A population of datasets, of which the fitter ones have children: the algorithm of Elliot et al."""

    kind: ClassVar[str] = "evolutionary"

    start: Annotated[
        Literal["uniform", "univariate"], "Where to start: uniform, or univariate (the granted marginals)."
    ] = "uniform"
    population: Annotated[int, "How many datasets there are.", Range(least=2)] = 32
    generations: Annotated[int, "How many generations are made.", Range(least=0)] = 2000
    crossover: Annotated[
        float, "How likely two parents are to exchange rows; 0 turns crossover off.", Range(least=0, most=1)
    ] = 0.8
    crossover_record: Annotated[float, "How likely each row is to be exchanged.", Range(least=0, most=1)] = 0.1
    mutation: Annotated[
        Rates,
        "How likely each cell is to be redrawn: {rate, divide, every}, a list of [generation, rate], or one rate.",
    ] = field(default=PAPER, hash=False)
    mutate_from: Annotated[Source, "What cells are redrawn from: their marginal, or all values alike."] = "marginal"
    replacement: Annotated[
        Replacement, "Who lives on: the best of parents and children (elitist), or the children."
    ] = "elitist"
    units: Annotated[Units, "Errors in the figures' own units, as in the paper, or in standard units."] = "figures"
    mae: Annotated[
        float | None, "Stop already at this mean absolute error of every output; absent: as printed.", Range(least=0)
    ] = None
    seconds: Annotated[
        float | None, "The longest that one run may take; absent: until the last generation.", Range(above=0)
    ] = None
    threads: Annotated[
        int | None, "How many threads; absent: one for each core. The result is the same.", Range(least=1)
    ] = None

    def __post_init__(self) -> None:
        check_settings(self)
        Schedule.of(self.mutation)

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
        """Microdata of n rows that reproduces the objective's outputs, as far as the outcome says."""
        del enough  # it goes on to the last generation, or to what `mae` says
        # The paper's algorithm keeps to known marginals by drawing from them alone.
        return _Run(self, objective.of_outputs(), n_rows, (seed, run), Log(listener), snapshots).run()


@dataclass
class _Run:
    """One run: generation after generation until the last, or until every figure is as printed."""

    settings: Evolutionary
    objective: Objective
    n_rows: int
    key: tuple[int, int]
    log: Log
    snapshots: int

    def run(self) -> Embedding:
        settings = self.settings
        self.people = Population.of(
            self.objective, self.n_rows, settings.population, settings.start, settings.units, (*self.key, 0)
        )
        self.operators = Operators.of(
            self.objective, settings.crossover, settings.crossover_record, settings.mutate_from
        )
        try:
            outcome = self._evolve() if len(self.operators.cells.columns) else Outcome.NOTHING_TO_MOVE
        except KeyboardInterrupt:
            # Children are made in slots of their own, so the best so far is whole.
            outcome = Outcome.INTERRUPTED
        people = self.people
        return self.log.finish(self.objective, people.table(), outcome, float(people.scores[people.best]))

    def _evolve(self) -> Outcome:
        settings = self.settings
        is_linear = all(o.is_linear for o in self.objective.lowered)
        schedule = Schedule.of(settings.mutation)
        threads = settings.threads or numba.config.NUMBA_NUM_THREADS
        with ThreadPoolExecutor(max_workers=threads) as pool:
            for generation in range(settings.generations):
                if generation % REFRESH == 0:
                    if generation and not is_linear:
                        self.people.refresh()
                    if self._is_done():
                        # Which becomes `reproduced` where every figure is.
                        return Outcome.NEAR_ENOUGH
                self._note(generation)
                if settings.seconds is not None and self.log.seconds > settings.seconds:
                    return Outcome.OUT_OF_TIME
                self._generation(generation, schedule.rate(generation), pool)
        self.people.refresh()
        self._note(settings.generations)
        return Outcome.FINISHED

    def _generation(self, generation: int, rate: float, pool: ThreadPoolExecutor) -> None:
        """Parents, children, and who lives on."""
        people, size = self.people, self.settings.population
        n_pairs = n_children(size) // 2
        # One stream for the tournaments and three for each pair (crossover, two children): whichever thread makes a
        # child, it is the same child.
        drawn = streams(1 + 3 * n_pairs, *self.key, 1, generation)
        parents = people.living[select(people.scores[people.living], n_pairs, drawn[0])]
        children = people.free[: 2 * n_pairs]
        pairs = zip(parents, children.reshape(n_pairs, 2), drawn[1:].reshape(n_pairs, 3, 1), strict=True)
        jobs = [pool.submit(people.breed, self.operators, two, slots, rate, own) for two, slots, own in pairs]
        for job in jobs:
            job.result()
        people.compute(children)
        places = survivors(self.settings.replacement, people.scores[people.living], people.scores[children], size)
        self.log.proposals += len(children)
        self.log.accepted += int((places >= size).sum())
        people.living = np.concatenate([people.living, children])[places]

    def _is_done(self) -> bool:
        """Whether every figure of the best, recomputed exactly, is as printed (or near enough, where `mae` says so)."""
        people, mae = self.people, self.settings.mae
        if mae is None and not people.fitness.is_inside(people.totals[people.best]):
            return False
        found = reproduce(self.objective, people.table())
        return all(r.is_complete or (mae is not None and r.mae <= mae) for r in found)

    def _note(self, generation: int) -> None:
        people, total = self.people, max(self.settings.generations, 1)
        stage = "evolving" if people.is_lowered else "evolving (slow: an output is computed anew for every child)"
        # Snapshots are spread evenly over the generations, the first and the last included.
        if self.snapshots and generation >= len(self.log.snapshots) * total / max(self.snapshots - 1, 1):
            self.log.snapshots_wanted = min(len(self.log.snapshots) + 1, self.snapshots)
        self.log.note(stage, generation / total, float(people.scores[people.best]), people.table, self.objective)
