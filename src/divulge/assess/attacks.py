"""Scenarios of an assessment, and the score of every person under one: who is looked up, by what, for what.

Score of a person (design: "From two folds to a decision"): (s_tq + a·p_t)/(s_q + a) with a = 1, where s_q synthetic
rows have the person's keys, s_tq of them the person's target (or one within the tolerance), and p_t is the granted
share of such targets: CAP where the keys are found (Elliot 2014), the baseline where they are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from divulge.errors import SpecError, unknown_variable
from divulge.kernels.arrays import Floats, Integers, Integers32, Mask
from divulge.kernels.windows import window_counts
from divulge.measures.counting.coding import KeyCoding
from divulge.outputs import Output
from divulge.spec import ScenarioSettings
from divulge.table import Schema, Table
from divulge.table.variable import Variable

PRIOR_ROWS = 1.0
"""a: how many synthetic rows the granted marginal is worth. One, so that a single matching row moves the score half
of the way to certainty, and no matching row leaves it at the baseline."""

EXACT_UP_TO = 25
"""Numeric targets of no more values than this must be hit exactly; finer ones within the tolerance."""

TOLERANCE = 0.05
"""Half of the window of a fine numeric target, as a share of the standard deviation: near enough to give it away."""


@dataclass(frozen=True)
class Attack:
    """What the intruder knows of a person, wants, and knows of the data.

    key_sizes: also all subsets of so many keys, on the last split.
    """

    keys: tuple[str, ...]
    target: str
    knows: str = "marginals"
    key_sizes: tuple[int, int] | None = None

    @property
    def variables(self) -> tuple[str, ...]:
        return (*self.keys, self.target)

    def describe(self) -> str:
        """In words: "SEX from AREAP and AGE"."""
        keys = ", ".join(self.keys[:-1]) + (" and " if len(self.keys) > 1 else "") + (self.keys or ("",))[-1]
        return f"{self.target} from {keys}" if self.keys else f"{self.target} without any key"


def default_attacks(outputs: Sequence[Output], schema: Schema, knows: str = "marginals") -> tuple[Attack, ...]:
    """Every variable of the outputs as target in turn, the others as keys; then those of each output alone."""
    attacks: list[Attack] = []
    groups = [_variables(outputs, schema)]
    if len(outputs) > 1:
        groups += [_variables([output], schema) for output in outputs]
    for names in groups:
        for target in names:
            if schema[target].n_codes > 1:
                attacks.append(Attack(tuple(n for n in names if n != target), target, knows))
    return tuple(dict.fromkeys(attacks))


def _variables(outputs: Sequence[Output], schema: Schema) -> tuple[str, ...]:
    return tuple(dict.fromkeys(n for output in outputs for n in output.uses(schema)))


def attacks_of(scenarios: Sequence[ScenarioSettings], outputs: Sequence[Output], schema: Schema) -> tuple[Attack, ...]:
    """The scenarios of the spec with what they leave open filled in; without any, the default ones."""
    if not scenarios:
        return default_attacks(outputs, schema)
    attacks: list[Attack] = []
    for i, given in enumerate(scenarios):
        place = f"scenario[{i}]" if len(scenarios) > 1 else "scenario"
        for name in (given.target, *(given.keys or ())):
            if name is not None and name not in schema:
                raise unknown_variable(
                    name, schema.names, where=f"{place}.{'target' if name == given.target else 'keys'}"
                )
        if given.target is not None and given.target in (given.keys or ()):
            raise SpecError(f"{given.target!r} is both a key and the target.", where=f"{place}.target")
        names = _variables(outputs, schema)
        targets = [given.target] if given.target is not None else [n for n in names if n not in (given.keys or ())]
        if not targets:
            raise SpecError("no variable of the outputs is left as a target.", where=f"{place}.keys")
        for target in targets:
            keys = given.keys if given.keys is not None else tuple(n for n in names if n != target)
            sizes = given.key_sizes
            if sizes is not None and sizes[1] > len(keys):
                raise SpecError(
                    f"key sizes {sizes[0]}–{sizes[1]} do not fit {len(keys)} keys.", where=f"{place}.key_sizes"
                )
            attacks.append(Attack(tuple(keys), target, given.knows, sizes))
    return tuple(dict.fromkeys(attacks))


def windows(variable: Variable, share: Floats) -> tuple[Integers, Integers, float | None]:
    """For every code of a target the first and the last code that count as a hit, and the tolerance where there is one.

    share: the granted distribution, whose standard deviation is the yardstick.
    """
    codes = np.arange(variable.n_codes)
    if variable.kind != "numeric" or variable.n_values <= EXACT_UP_TO:
        return codes, codes, None
    values = variable.numbers[: variable.n_values]
    weight = share[: variable.n_values] / max(float(share[: variable.n_values].sum()), 1e-300)
    tolerance = TOLERANCE * float(np.sqrt(weight @ (values - weight @ values) ** 2))
    low, high = codes.copy(), codes.copy()
    low[: len(values)] = np.searchsorted(values, values - tolerance, side="left")
    high[: len(values)] = np.searchsorted(values, values + tolerance, side="right") - 1
    return low, high, tolerance


@dataclass(frozen=True, eq=False)
class Counts:
    """What one synthetic table says of every cell of the people: rows near, rows matched, whether they are certain."""

    near: Integers32
    matched: Integers32
    certain: Mask


@dataclass(frozen=True, eq=False)
class Lookup:
    """The people of all splits as cells of one attack: each distinct (keys, target) once, and the cell of every row."""

    attack: Attack
    coding: KeyCoding
    width: int
    cells: Integers
    cell_of_row: Integers32
    low: Integers
    high: Integers
    prior: Floats
    tolerance: float | None

    @classmethod
    def of(cls, attack: Attack, table: Table, marginals: dict[str, Floats]) -> Lookup:
        """The lookup of all rows; marginals: the granted ones."""
        keys = [table[k] for k in attack.keys]
        variable = table.schema[attack.target]
        # Synthetic rows may have combinations that no person has, so every possible one needs a code.
        coding = KeyCoding.fit([keys], [table.schema[k].n_codes for k in attack.keys], variable.n_codes)
        if any(rank is not None for rank in coding.ranks):
            raise SpecError(
                f"the {len(attack.keys)} keys have too many combinations of values to be told apart.",
                where="scenario.keys",
                hint="Name fewer keys.",
            )
        width = variable.n_codes
        codes = _encoded(coding, keys, table.n_rows) * width + table[attack.target]
        cells, row = np.unique(codes, return_inverse=True)
        share = marginals[attack.target]
        low, high, tolerance = windows(variable, share)
        cumulative = np.concatenate([[0.0], np.cumsum(share)])
        prior = (cumulative[high + 1] - cumulative[low])[cells % width]
        return cls(attack, coding, width, cells, row.astype(np.int32), low, high, prior, tolerance)

    def counts(self, synthetic: Table) -> Counts:
        """What a synthetic table says of every cell."""
        keys = [synthetic[k] for k in self.attack.keys]
        codes = _encoded(self.coding, keys, synthetic.n_rows) * self.width + synthetic[self.attack.target]
        codes.sort()
        near, matched = np.empty(len(self.cells), np.int32), np.empty(len(self.cells), np.int32)
        certain = np.empty(len(self.cells), np.bool_)
        window_counts(codes, self.cells, self.width, self.low, self.high, near, matched, certain)
        return Counts(near, matched, certain)

    def scores(self, counts: Counts) -> Floats:
        """The score of every cell."""
        return (counts.near + PRIOR_ROWS * self.prior) / (counts.matched + PRIOR_ROWS)


def _encoded(coding: KeyCoding, keys: Sequence[NDArray[np.integer]], n_rows: int) -> Integers:
    return coding.encode(keys) if keys else np.zeros(n_rows, dtype=np.int64)
