"""Every mitigation keeps the room's promises: an output in, a safer one out that a spec can hold."""

from __future__ import annotations

import copy
from functools import cache

import numpy as np
import pytest

from divulge.checking import make_cases
from divulge.contributions.blame import figure_sizes, find_blame
from divulge.mitigations import MITIGATIONS
from divulge.mitigations.mitigation import Mitigation, Rung, Trouble
from divulge.outputs import Output
from divulge.safer.loss import find_loss
from divulge.spec import format_output, parse_output
from tests.contract.test_outputs import table_of

TABLE = table_of("census")
DOCUMENTS = {
    "table": {"kind": "crosstab", "variables": ["ETHGROUP", "MSTATUS"], "margins": True},
    "ages": {"kind": "crosstab", "variables": ["AGE", "SEX"]},
    "means": {"kind": "means", "variables": ["AGE"], "by": ["ETHGROUP"], "empty": "allow", "decimals": 2},
    "extremes": {"kind": "extremes", "variables": ["AGE"], "by": ["SEX"]},
    "model": {"kind": "logistic", "formula": "TENURE ~ AGE + C(MSTATUS) + SEX", "decimals": 4},
}
MEMBERS = [pytest.param(kind, id=kind.name) for kind in MITIGATIONS]


@cache
def trouble(name: str) -> Trouble:
    (case,) = make_cases([parse_output(DOCUMENTS[name])], [None], TABLE)
    sizes = figure_sizes(case)
    thin = [label for label, n in zip(case.labels, sizes, strict=True) if 0 < n < 10]
    nobody = np.zeros(TABLE.n_rows, dtype=bool)
    return Trouble(case, find_blame(case, nobody, thin).figures, rarest=0.1)


@cache
def proposed(kind: type[Mitigation]) -> list[tuple[str, Mitigation]]:
    return [(name, found) for name in DOCUMENTS for found in kind.propose(trouble(name))]


@pytest.mark.parametrize("kind", MEMBERS)
def test_mitigation_explains_itself_and_finds_something_to_do(kind: type[Mitigation]) -> None:
    assert kind.__doc__
    assert isinstance(kind.rung, Rung)
    assert kind.costs.endswith(".")
    assert kind.reading.endswith(".")
    assert proposed(kind), "none of the outputs in trouble suits it"


@pytest.mark.parametrize("kind", MEMBERS)
def test_mitigated_output_is_one_that_a_spec_holds_and_data_give(kind: type[Mitigation]) -> None:
    for name, mitigation in proposed(kind):
        output = trouble(name).output
        before = copy.deepcopy(format_output(output))
        made = mitigation.apply(output, TABLE.schema)
        made.check(TABLE.schema)
        assert format_output(output) == before, "the output that came in is as it was"
        assert format_output(made) != before
        assert parse_output(format_output(made)) == made
        assert mitigation.apply(output, TABLE.schema) == made, "the same settings, the same output"
        figures = made.evaluate(TABLE)
        released = made.publish(figures, TABLE.schema)
        usable = np.isfinite(figures.values)
        # Noise is read by intervals that hold 99 % of it.
        assert released.agrees(figures.values)[usable].mean() >= (0.95 if mitigation.name == "add-noise" else 1.0)


@pytest.mark.parametrize("kind", MEMBERS)
def test_mitigation_is_told_in_a_phrase_and_its_loss_is_a_share(kind: type[Mitigation]) -> None:
    for name, mitigation in proposed(kind):
        output, released = trouble(name).output, trouble(name).case.released
        told = mitigation.describe(TABLE.schema)
        assert told[0].isupper()
        assert not told.endswith(".")
        made = mitigation.apply(output, TABLE.schema)
        loss = find_loss(output, released, made, made.publish(made.evaluate(TABLE), TABLE.schema), TABLE)
        assert 0 <= loss.information <= 1
        assert 0 < loss.changed <= loss.figures or mitigation.rung is Rung.COARSEN


def test_merges_leave_no_thin_cell() -> None:
    from divulge.mitigations.merge_levels import MergeLevels

    for name in ("table", "ages"):
        found = [m.apply(trouble(name).output, TABLE.schema) for m in MergeLevels.propose(trouble(name))]
        assert any(_smallest(made) >= 10 for made in found), name


def _smallest(output: Output) -> float:
    counts = output.evaluate(TABLE).values
    return float(counts[counts > 0].min())
