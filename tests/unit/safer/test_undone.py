"""Changes that an intruder can undo are caught by rules and arithmetic, before anything is searched for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from divulge.assess import Candidate, plan
from divulge.assess.arithmetic import work_out
from divulge.spec import Assessment, Inputs, parse_output
from divulge.table import Table
from tests.support.tables import small_table

RNG = np.random.default_rng(5)  # any seed: thin cells come with the shares
TABLE = small_table(
    area=RNG.choice(["north", "south", "island"], 400, p=[0.6, 0.35, 0.05]).tolist(),
    ill=RNG.choice(["yes", "no"], 400, p=[0.2, 0.8]).tolist(),
    score=RNG.integers(0, 2, 400).astype(float).tolist(),
)
CROSSTAB = {"kind": "crosstab", "variables": ["area", "ill"], "compute": True}


def severities(*documents: dict[str, Any], table: Table = TABLE, before: tuple[Candidate, ...] = ()) -> dict[str, str]:
    """What each rule and proof asks for, by name."""
    outputs = tuple(parse_output(d) for d in documents)
    inputs = Inputs(table.schema, table, table.n_rows, (None,) * len(outputs))
    found = work_out(plan(Assessment(outputs=outputs), inputs, before))
    every = [*found.checked.findings, *found.audited.findings]
    return {f.rule: str(f.severity) for f in every}


def random_rounding(seed: int, **more: Any) -> dict[str, Any]:
    return {**CROSSTAB, "method": {"kind": "random-rounding", "base": 10, "seed": seed}, **more}


def test_table_rounded_once_is_not_refused() -> None:
    assert "refuse" not in severities(random_rounding(1)).values()


def test_table_rounded_independently_twice_is_refused() -> None:
    assert severities(random_rounding(1), random_rounding(2, name="again"))["changed twice"] == "refuse"


def test_table_printed_again_with_the_same_seed_tells_nothing_more() -> None:
    found = severities(random_rounding(1), random_rounding(1, variables=["ill", "area"]))
    assert "changed twice" not in found


def test_withheld_cell_beside_its_margin_is_refused() -> None:
    found = severities({**CROSSTAB, "margins": True, "suppressed": ["area=island & ill=yes"]})
    assert found["exact figure"] == "refuse"


@pytest.mark.slow
def test_means_beside_perturbed_counts_are_refused() -> None:
    means = {"kind": "means", "variables": ["score"], "by": ["area", "ill"], "compute": True, "decimals": 4}
    perturbed = {**CROSSTAB, "method": {"kind": "cell-key"}}
    assert severities(perturbed, means)["exact beside changed"] == "refuse"


def test_noise_of_several_releases_is_refused() -> None:
    noisy = [{**CROSSTAB, "name": f"n{s}", "method": {"kind": "noise", "seed": s}} for s in range(4)]
    assert severities(*noisy)["changed twice"] == "refuse"


@pytest.mark.parametrize("kind", ["noise", "random-rounding"])
def test_changed_table_of_an_earlier_release_is_not_changed_anew(kind: str) -> None:
    before = (Candidate("first release", {**CROSSTAB, "method": {"kind": kind, "seed": 1}}),)
    assert severities({**CROSSTAB, "method": {"kind": kind, "seed": 2}}, before=before)["changed twice"] == "refuse"
    assert "changed twice" not in severities({**CROSSTAB, "method": {"kind": kind, "seed": 1}}, before=before)


def test_cell_that_an_earlier_release_withheld_may_not_follow_from_a_new_one() -> None:
    labels = ["area=island & ill=yes", "area=island & ill=no", "area=south & ill=yes", "area=south & ill=no"]
    first = {**CROSSTAB, "margins": True, "suppressed": labels}
    before = (Candidate("first release", first),)
    harmless = {"kind": "crosstab", "variables": ["ill"], "compute": True}
    assert "refuse" not in severities(harmless, before=before).values()
    # The new one leaves the south out of a table of illness: what is left of the first one is the island.
    telling = {**harmless, "where": "area = north or area = south"}
    assert "refuse" in severities(telling, before=before).values()


@pytest.mark.parametrize("kind", ["random-rounding", "cell-key", "noise"])
def test_same_cell_is_printed_alike_in_another_table(kind: str) -> None:
    method = {"kind": kind, "seed": 9}
    wide = parse_output({**CROSSTAB, "method": method})
    turned = parse_output({**CROSSTAB, "variables": ["ill", "area"], "method": method})
    one, other = (o.publish(o.evaluate(TABLE), TABLE.schema) for o in (wide, turned))
    found = {tuple(sorted(n.split(" & "))): v for n, v in zip(other.labels, other.values.tolist(), strict=True)}
    for label, value in zip(one.labels, one.values.tolist(), strict=True):
        assert found[tuple(sorted(label.split(" & ")))] == value
