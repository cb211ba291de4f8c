"""Every rule with a breach and a near miss, at its exact boundary, on a table that can be checked by eye."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.contributions import Case
from divulge.outputs import OUTPUTS, Output
from divulge.rules import RULES, Finding, Rule
from tests.support.rule_examples import Example
from tests.support.rules_of_figures import FIGURES
from tests.support.rules_of_pairs import PAIRS
from tests.support.rules_of_spreads import SPREADS
from tests.support.rules_of_tables import TABLES

KINDS = {kind.kind: kind for kind in OUTPUTS}
BY_NAME = {rule.name: rule for rule in RULES}
EXAMPLES = (*TABLES, *FIGURES, *SPREADS, *PAIRS)


def cases_of(example: Example) -> list[Case]:
    found = []
    for i, (kind, fields) in enumerate(example.outputs):
        output: Output = KINDS[kind](compute=True, **fields)
        output.check(example.table.schema)
        released = output.publish(output.evaluate(example.table), example.table.schema)
        found.append(Case(i, output, released, example.table, **example.units))
    return found


def findings(example: Example) -> list[Finding]:
    rule: Rule = BY_NAME[example.rule](**example.settings)
    cases = cases_of(example)
    return [*(f for case in cases for f in rule.find(case)), *rule.find_between(cases)]


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: f"{e.rule}: {e.reason}")
def test_rule_names_the_figures_that_break_it_and_no_others(example: Example) -> None:
    # What the rule itself calls milder is a note beside the breach.
    found = [f for f in findings(example) if f.severity.rank >= BY_NAME[example.rule].severity.rank]
    assert tuple(label for f in found for label in f.figures) == example.figures
    for finding in found:
        assert finding.rule == example.rule
        assert finding.sentence.endswith(".")
        assert "{" not in finding.sentence
        assert finding.people.shape == (example.table.n_rows,)


def test_non_response_names_both_outputs_and_counts_people() -> None:
    nine, ten = (e for e in EXAMPLES if e.rule == "non-response")
    (found,) = findings(nine)
    assert found.outputs == (0, 1)
    assert found.n_people == 9
    assert findings(ten) == []


def test_differencing_names_the_people_in_between() -> None:
    (found,) = findings(next(e for e in EXAMPLES if e.rule == "differencing"))
    assert found.outputs == (0, 1)
    assert np.flatnonzero(found.people).tolist() == list(range(9))


@pytest.mark.parametrize("name", [r for r in BY_NAME if r != "non-response"])
def test_every_rule_has_a_breach_and_a_near_miss(name: str) -> None:
    told = [bool(e.figures) for e in EXAMPLES if e.rule == name]
    assert True in told
    assert False in told
