"""The paper's algorithm: a population of datasets, tournaments, crossover of whole rows, mutation from the marginals.

Elliot, Little & Allmendinger, "Evolutionary algorithms for output disclosure risk assessment", section 3 and Table 1;
the settings that the paper leaves open are those of the authors' program. What differs is how a child is evaluated:
totals are updated instead of refitting the model, except for outputs that do not lower.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal, get_args

import numba
import numpy as np
from numpy.typing import NDArray

from divulge.errors import EmbedError
from divulge.kernels.randomness import streams
from divulge.synthesisers.embedding import Embedding, Listener, Log, Outcome, reproduce
from divulge.synthesisers.fitness import Fitness, Units, evaluated
from divulge.synthesisers.moves.crossover import cross
from divulge.synthesisers.moves.mutation import Rates, Schedule, Source, Stepped, mutate, redraw
from divulge.synthesisers.moves.replacement import Replacement, survivors
from divulge.synthesisers.moves.tournament import select
from divulge.synthesisers.objective import Objective
from divulge.synthesisers.starts import start_codes

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
    population: Annotated[int, "How many datasets there are."] = 32
    generations: Annotated[int, "How many generations are made."] = 2000
    crossover: Annotated[float, "How likely two parents are to exchange rows; 0 turns crossover off."] = 0.8
    crossover_record: Annotated[float, "How likely each row is to be exchanged."] = 0.1
    mutation: Annotated[
        Rates,
        "How likely each cell is to be redrawn: {rate, divide, every}, a list of [generation, rate], or one rate.",
    ] = field(default=PAPER, hash=False)
    mutate_from: Annotated[Source, "What cells are redrawn from: their marginal, or all values alike."] = "marginal"
    replacement: Annotated[
        Replacement, "Who lives on: the best of parents and children (elitist), or the children."
    ] = "elitist"
    units: Annotated[Units, "Errors in the figures' own units, as in the paper, or in standard units."] = "figures"
    mae: Annotated[float | None, "Stop already at this mean absolute error of every output; absent: as printed."] = None
    seconds: Annotated[float | None, "The longest that one run may take; absent: until the last generation."] = None
    threads: Annotated[int | None, "How many threads; absent: one for each core. The result is the same."] = None

    def __post_init__(self) -> None:
        Schedule.of(self.mutation)
        for name in ("crossover", "crossover_record"):
            _check(name, getattr(self, name), float, 0, 1)
        for name, least in (("population", 2), ("generations", 0), ("threads", 1)):
            _check(name, getattr(self, name), int, least, np.inf)
        for name in ("mae", "seconds"):
            _check(name, getattr(self, name), float, 0, np.inf)
        choices = {"start": ("uniform", "univariate"), "mutate_from": get_args(Source)}
        choices |= {"replacement": get_args(Replacement), "units": get_args(Units)}
        for name, known in choices.items():
            if getattr(self, name) not in known:
                given = getattr(self, name)
                raise EmbedError(f"{' or '.join(known)} is needed, {given!r} is given.", where=name)

    def embed(
        self,
        objective: Objective,
        n_rows: int,
        seed: int,
        *,
        run: int = 0,
        listener: Listener | None = None,
        snapshots: int = 0,
    ) -> Embedding:
        """Microdata of n rows that reproduces the objective's outputs, as far as the outcome says."""
        return _Run(self, objective, n_rows, (seed, run), Log(listener), snapshots).run()


def _check(name: str, value: object, kind: type, least: float, most: float) -> None:
    """Raise unless a setting is a number of its kind in range; None is fine where the field's default is None."""
    if value is None and name in ("mae", "seconds", "threads"):
        return
    kinds = (int,) if kind is int else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value <= most:
        what = "a whole number" if kind is int else "a number"
        wanted = f"{what} of at least {least}" if most == np.inf else f"{what} between {least} and {most}"
        raise EmbedError(f"{wanted} is needed, {value!r} is given.", where=name)


@dataclass
class _Run:
    """One run. Individuals live in slots: `living` has those of the population, fittest first; children get others."""

    settings: Evolutionary
    objective: Objective
    n_rows: int
    key: tuple[int, int]
    log: Log
    snapshots: int

    def __post_init__(self) -> None:
        size = self.settings.population
        self.n_pairs = -(-size // 2)
        n_slots = size + 2 * self.n_pairs
        objective = self.objective
        first = start_codes(objective, self.n_rows, self.settings.start, False, (*self.key, 0, 0))
        self.codes = np.empty((n_slots, *first.shape), dtype=first.dtype)
        self.codes[0] = first
        self.totals = np.zeros((n_slots, objective.program.n_totals))
        self.computed = np.zeros(n_slots)
        self.scores = np.zeros(n_slots)
        self.living: NDArray[np.int64] = np.arange(size)
        self.cells = redraw(objective, self.settings.mutate_from)
        self.rules = objective.rules()
        self.schedule = Schedule.of(self.settings.mutation)
        self.is_linear = all(o.is_linear for o in objective.lowered)
        self.is_lowered = objective.n_lowered_targets == len(objective.targets)

    @property
    def best(self) -> int:
        return int(self.living[0])

    def run(self) -> Embedding:
        try:
            self._start()
            outcome = self._evolve() if len(self.cells.columns) else Outcome.NOTHING_TO_MOVE
        except KeyboardInterrupt:
            # Children are made in slots of their own, so the best so far is whole.
            outcome = Outcome.INTERRUPTED
        table = self.objective.table(self.codes[self.best])
        return self.log.finish(self.objective, table, outcome, float(self.scores[self.best]))

    def _start(self) -> None:
        for i in self.living[1:]:
            key = (*self.key, 0, int(i))
            self.codes[i] = start_codes(self.objective, self.n_rows, self.settings.start, False, key)
        for i in self.living:
            self.totals[i] = self.objective.totals(self.codes[i])
            self._compute(int(i))
        # The reference should be the best, which is not known before there is one: any first, then the best by it.
        self._refresh()
        self._refresh()

    def _compute(self, slot: int) -> None:
        """The part of the fitness that no totals give, where there is one."""
        if not self.is_lowered:
            self.computed[slot] = evaluated(self.objective, self.codes[slot])

    def _refresh(self) -> None:
        """Linearise at the best individual, and score everybody by that."""
        table = self.objective.table(self.codes[self.best])
        self.fitness = Fitness.at(self.objective, self.totals[self.best], table, self.settings.units)
        for i in self.living:
            self.scores[i] = self.fitness.of(self.totals[i]) + self.computed[i]
        self.living = self.living[np.argsort(self.scores[self.living], kind="stable")]

    def _evolve(self) -> Outcome:
        settings = self.settings
        threads = settings.threads or numba.config.NUMBA_NUM_THREADS
        with ThreadPoolExecutor(max_workers=min(threads, self.n_pairs)) as pool:
            for generation in range(settings.generations):
                if generation % REFRESH == 0:
                    if generation and not self.is_linear:
                        self._refresh()
                    if self._is_done():
                        return Outcome.REPRODUCED
                self._note(generation)
                if settings.seconds is not None and self.log.seconds > settings.seconds:
                    return Outcome.OUT_OF_TIME
                self._generation(generation, pool)
        self._refresh()
        self._note(settings.generations)
        return Outcome.FINISHED

    def _generation(self, generation: int, pool: ThreadPoolExecutor) -> None:
        """Parents, children, and who lives on."""
        # One stream for the tournaments and three for each pair (crossover, two children): whichever thread makes a
        # child, it is the same child.
        drawn = streams(1 + 3 * self.n_pairs, *self.key, 1, generation)
        parents = self.living[select(self.scores[self.living], self.n_pairs, drawn[0])]
        free = np.setdiff1d(np.arange(len(self.codes)), self.living)[: 2 * self.n_pairs]
        children = free.reshape(self.n_pairs, 2)
        rate = self.schedule.rate(generation)
        of_pairs = drawn[1:].reshape(self.n_pairs, 3, 1)
        jobs = [pool.submit(self._breed, p, c, rate, s) for p, c, s in zip(parents, children, of_pairs, strict=True)]
        for job in jobs:
            job.result()
        if not self.is_lowered:
            # In this thread and one after another: a user's function may not bear to run twice at once.
            for slot in children.ravel():
                self._compute(int(slot))
                self.scores[slot] += self.computed[slot]
        everybody = np.concatenate([self.living, children.ravel()])
        size = self.settings.population
        places = survivors(self.settings.replacement, self.scores[self.living], self.scores[children.ravel()], size)
        self.log.proposals += children.size
        self.log.accepted += int((places >= size).sum())
        self.living = everybody[places]

    def _breed(
        self, parents: NDArray[np.int64], children: NDArray[np.int64], rate: float, drawn: NDArray[np.uint64]
    ) -> None:
        """Two children of two parents, in their slots."""
        program = self.objective.program
        (a, b), (c, d) = parents, children
        cross(
            program,
            (self.codes[a], self.codes[b]),
            (self.totals[a], self.totals[b]),
            (self.codes[c], self.codes[d]),
            (self.totals[c], self.totals[d]),
            self.settings.crossover,
            self.settings.crossover_record,
            drawn[0],
        )
        for slot, stream in ((c, drawn[1]), (d, drawn[2])):
            mutate(program, self.cells, self.rules, self.codes[slot], self.totals[slot], rate, stream)
            self.scores[slot] = self.fitness.of(self.totals[slot])

    def _is_done(self) -> bool:
        """Whether every figure of the best, recomputed exactly, is as printed (or near enough, where `mae` says so)."""
        mae = self.settings.mae
        if mae is None and not self.fitness.is_inside(self.totals[self.best]):
            return False
        found = reproduce(self.objective, self.objective.table(self.codes[self.best]))
        return all(r.is_complete or (mae is not None and r.mae <= mae) for r in found)

    def _note(self, generation: int) -> None:
        stage = "evolving" if self.is_lowered else "evolving (slow: some outputs are computed anew for every child)"
        total = max(self.settings.generations, 1)
        # Snapshots are spread evenly over the generations, the first and the last included.
        if self.snapshots and generation >= len(self.log.snapshots) * total / max(self.snapshots - 1, 1):
            self.log.snapshots_wanted = min(len(self.log.snapshots) + 1, self.snapshots)
        self.log.note(
            stage,
            generation / total,
            float(self.scores[self.best]),
            lambda: self.objective.table(self.codes[self.best]),
            self.objective,
        )
