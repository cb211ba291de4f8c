"""The individuals of the evolutionary search: datasets in slots, with their totals and scores, and how two breed.

What a generation is, and when to end, is in `evolutionary.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from divulge.kernels.arrays import Codes, Floats, Integers
from divulge.kernels.evolution import Redraw
from divulge.kernels.rules import Rules
from divulge.objective.objective import Objective
from divulge.objective.rules import rules_of
from divulge.synthesisers.descent.start import start_codes
from divulge.synthesisers.evolutionary.crossover import cross
from divulge.synthesisers.evolutionary.fitness import Fitness, Units, evaluated
from divulge.synthesisers.evolutionary.mutation import Source, mutate, redraw
from divulge.table import Table


@dataclass(frozen=True, eq=False)
class Operators:
    """How children are made: shares of crossover, what mutation draws from, and the edit rules that it keeps."""

    crossover: float
    crossover_record: float
    cells: Redraw
    rules: Rules

    @classmethod
    def of(cls, objective: Objective, crossover: float, crossover_record: float, mutate_from: Source) -> Operators:
        return cls(crossover, crossover_record, redraw(objective, mutate_from), rules_of(objective))


@dataclass(eq=False)
class Population:
    """Individuals live in slots: `living` has those of the population, the fittest first; children get the others.

    codes: (slots, rows, variables). totals: (slots, totals). scores: (slots,), lower is fitter; computed: the part of
    them that outputs have which do not lower.
    """

    objective: Objective
    units: Units
    codes: Codes
    totals: Floats
    scores: Floats
    computed: Floats
    living: Integers
    fitness: Fitness = field(init=False)

    @classmethod
    def of(
        cls,
        objective: Objective,
        n_rows: int,
        size: int,
        start: Literal["uniform", "univariate"],
        units: Units,
        key: tuple[int, ...],
    ) -> Population:
        """Individuals drawn independently; individual i of a key is the same whatever the size of the population."""
        n_slots = size + n_children(size)
        codes = None
        for i in range(size):
            drawn = start_codes(objective, n_rows, start, False, (*key, i))
            if codes is None:
                codes = np.empty((n_slots, *drawn.shape), dtype=drawn.dtype)
            codes[i] = drawn
        assert codes is not None, "a population has two individuals at least"
        totals = np.zeros((n_slots, objective.program.n_totals))
        found = cls(objective, units, codes, totals, np.zeros(n_slots), np.zeros(n_slots), np.arange(size))
        for slot in found.living:
            totals[slot] = objective.totals(codes[slot])
        found.compute(found.living)
        # The reference should be the best, which is not known before there is one: any first, then the best by it.
        found.refresh()
        found.refresh()
        return found

    @property
    def best(self) -> int:
        return int(self.living[0])

    @property
    def free(self) -> Integers:
        """Slots of nobody alive."""
        return np.setdiff1d(np.arange(len(self.codes)), self.living)

    @property
    def is_lowered(self) -> bool:
        """Whether totals tell everything."""
        return len(self.objective.lowered) == len(self.objective.targets)

    def table(self) -> Table:
        """The best individual."""
        return self.objective.table(self.codes[self.best])

    def compute(self, slots: Integers) -> None:
        """The part of the fitness that no totals give. One by one: a user's function may not bear two at once."""
        if not self.is_lowered:
            for slot in slots:
                self.scores[slot] -= self.computed[slot]
                self.computed[slot] = evaluated(self.objective, self.codes[slot])
                self.scores[slot] += self.computed[slot]

    def refresh(self) -> None:
        """Linearise at the best individual, and score everybody by that."""
        self.fitness = Fitness.at(self.objective, self.totals[self.best], self.table(), self.units)
        for slot in self.living:
            self.scores[slot] = self.fitness.of(self.totals[slot]) + self.computed[slot]
        self.living = self.living[np.argsort(self.scores[self.living], kind="stable")]

    def breed(
        self, operators: Operators, parents: Integers, children: Integers, rate: float, drawn: NDArray[np.uint64]
    ) -> None:
        """Two children of two parents, in their slots. drawn: streams (3, 1) for crossover and each child's mutation.

        Threads may breed at once, each into slots of its own.
        """
        program = self.objective.program
        (a, b), (c, d) = parents, children
        cross(
            program,
            (self.codes[a], self.codes[b]),
            (self.totals[a], self.totals[b]),
            (self.codes[c], self.codes[d]),
            (self.totals[c], self.totals[d]),
            operators.crossover,
            operators.crossover_record,
            drawn[0],
        )
        for slot, stream in ((c, drawn[1]), (d, drawn[2])):
            codes, totals = self.codes[slot], self.totals[slot]
            mutate(program, operators.cells, operators.rules, codes, totals, rate, stream)
            self.computed[slot] = 0.0
            self.scores[slot] = self.fitness.of(totals)


def n_children(size: int) -> int:
    """How many children a generation has: pairs have two, so an odd population has one more child than places."""
    return size + size % 2
