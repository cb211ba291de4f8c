"""The scenarios of an assessment: what the spec leaves open, filled in from the variables of the outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from math import prod

from divulge.errors import SpecError, raise_all
from divulge.outputs import Output
from divulge.scenario import EVERY, Scenario, place_of
from divulge.scenario.coding import ROOM
from divulge.table import Schema


def scenarios_for(given: Sequence[Scenario], outputs: Sequence[Output], schema: Schema) -> tuple[Scenario, ...]:
    """The scenarios of the spec, complete.

    Without any: every variable of the outputs as target in turn, the others as keys; then those of each output alone.
    """
    if not given:
        groups = [outputs, *([output] for output in outputs)] if len(outputs) > 1 else [outputs]
        return tuple(dict.fromkeys(s for group in groups for s in _each_in_turn(_variables_of(group, schema), schema)))
    raise_all([error for i, one in enumerate(given) for error in one.unknown(schema.names, place_of(i, given))])
    names = _variables_of(outputs, schema)
    found: list[Scenario] = []
    for i, scenario in enumerate(given):
        place = place_of(i, given)
        scenario.check(SpecError, place, fewest_keys=0)
        targets = [scenario.target] if scenario.target != EVERY else [n for n in names if n not in scenario.keys]
        if not targets:
            raise SpecError("no variable of the outputs is left as a target.", where=f"{place}.keys")
        for target in targets:
            keys = tuple(n for n in names if n != target) if EVERY in scenario.keys else scenario.keys
            found.append(replace(scenario, keys=keys, target=target).check(SpecError, place, fewest_keys=0))
    return tuple(dict.fromkeys(found))


def scenarios_with_earlier(
    given: Sequence[Scenario], outputs: Sequence[Output], earlier: Sequence[Output], schema: Schema
) -> tuple[Scenario, ...]:
    """The scenarios of new and earlier outputs together.

    Where the spec names none: all variables of the new and of the earlier outputs, or, where these are too many to be
    told apart, the new ones' with those of each earlier output in turn.
    """
    everything = [*outputs, *earlier]
    if given or prod(schema[n].n_codes for n in _variables_of(everything, schema)) < ROOM:
        return scenarios_for(given, everything, schema)
    found = [scenarios_for((), [*outputs, output], schema) for output in earlier]
    return tuple(dict.fromkeys(scenario for scenarios in found for scenario in scenarios))


MOST_KEY_SETS = 9
"""Sets of keys by which one target is looked up: those of all keys and of eight terms. Each costs as much as the first,
and each must be paid for in the tests."""


def backed_off(scenario: Scenario, outputs: Sequence[Output], schema: Schema) -> tuple[Scenario, ...]:
    """The scenario, then the same with fewer keys: those that the figures tie to its target.

    An intruder may ignore what does not help. Whoever knows village, sex and age looks a table of village by diagnosis
    up by the village alone: to ask for sex and age as well would only find other people.
    """
    sets = [names for output in outputs for names in output.tied(schema) if scenario.target in names]
    keys = dict.fromkeys(tuple(k for k in scenario.keys if k in names) for names in sets)
    fewer = (replace(scenario, keys=some, key_sizes=None) for some in keys if some and some != scenario.keys)
    return (scenario, *islice(fewer, MOST_KEY_SETS - 1))


def _variables_of(outputs: Sequence[Output], schema: Schema) -> tuple[str, ...]:
    """The variables that the outputs speak of, each once."""
    return tuple(dict.fromkeys(n for output in outputs for n in output.uses(schema)))


def _each_in_turn(names: Sequence[str], schema: Schema) -> list[Scenario]:
    targets = [n for n in names if schema[n].n_codes > 1]
    return [Scenario(tuple(n for n in names if n != target), target) for target in targets]
