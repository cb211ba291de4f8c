"""What all splits of one pass share: outputs, people, scenarios, knowledge. It goes to other processes once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from divulge.assess.recipe import Recipe
from divulge.assess.scenarios import backed_off
from divulge.measures.families.family import Family
from divulge.objective import Target
from divulge.outputs import Output, Released
from divulge.scenario import Knowledge, Lookup, Scenario, granted_by
from divulge.synthesisers import Descent
from divulge.table import Schema, Table


@dataclass(frozen=True, eq=False)
class Task:
    """A set of outputs, the people, the scenarios of attack on them, and what is granted, computed on all rows.

    lookups: the scenarios first, each by all its keys; then by fewer keys. backing: of each scenario the numbers of its
    look-ups, the one by all its keys first.
    granted: earlier outputs as the intruder expects them in a part, by the number of its rows.
    near_suffices: whether a search may stop where estimates are near enough to be put to the test.
    """

    outputs: tuple[Output, ...]
    table: Table
    knowledge: Knowledge
    lookups: tuple[Lookup, ...]
    backing: tuple[tuple[int, ...], ...]
    families: tuple[Family, ...]
    synthesiser: Descent
    seed: int
    granted: Mapping[int, tuple[Target, ...]] = field(default_factory=dict)
    near_suffices: bool = False

    @property
    def schema(self) -> Schema:
        return self.table.schema

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        return tuple(self.lookups[numbers[0]].scenario for numbers in self.backing)

    def recipe(self, released: Mapping[int, Released], n_rows: int) -> Recipe:
        """How microdata of so many rows are made that reproduce these figures. released: by the output's number."""
        targets = tuple(Target(self.outputs[i], printed) for i, printed in released.items())
        # Of nearly all rows the same can be expected as of all.
        granted = self.granted.get(n_rows, self.granted.get(self.table.n_rows, ()))
        return Recipe(self.schema, targets, self.knowledge, n_rows, granted)


def make_task(
    outputs: Sequence[Output],
    scenarios: Sequence[Scenario],
    table: Table,
    families: Sequence[Family],
    synthesiser: Descent,
    seed: int,
    granted: Mapping[int, tuple[Target, ...]] | None = None,
) -> Task:
    """The task, with only those variables of the table that the outputs, the scenarios and what is granted speak of."""
    known = {target.output for targets in (granted or {}).values() for target in targets}
    wanted = {n for o in (*outputs, *known) for n in o.uses(table.schema)} | {n for s in scenarios for n in s.variables}
    people = table.select([n for n in table.names if n in wanted])
    counts = {n: people.frequencies(n).astype(float) for n in people.names}
    knowledge = Knowledge.of(people.schema, granted_by(scenarios), counts)
    looks = [backed_off(s, (*outputs, *known), table.schema) for s in scenarios]
    # Two scenarios may come down to the same few keys: these are looked up once.
    number = {(s.target, s.keys): i for i, s in enumerate(scenarios)}
    every = list(scenarios)
    for look in (one for own in looks for one in own):
        if number.setdefault((look.target, look.keys), len(every)) == len(every):
            every.append(look)
    backing = tuple(
        tuple(dict.fromkeys([i, *(number[s.target, s.keys] for s in own[1:])])) for i, own in enumerate(looks)
    )
    lookups = tuple(Lookup.of(s, people, knowledge.marginals) for s in every)
    return Task(tuple(outputs), people, knowledge, lookups, backing, tuple(families), synthesiser, seed, granted or {})
