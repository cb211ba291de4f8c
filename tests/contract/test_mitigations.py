"""Every mitigation keeps the room's promises: an output in, a safer one out that a spec can hold."""

from __future__ import annotations

import copy
from functools import cache

import numpy as np
import pytest

from divulge.checking import make_cases
from divulge.contributions.blame import find_blame
from divulge.contributions.case import Case
from divulge.kernels.arrays import Floats
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
    "few": {"kind": "means", "variables": ["AGE"], "by": ["SEX"], "where": "AGE > 85 and LTILL = 1", "decimals": 2},
    "curves": {"kind": "survival", "time": "AGE", "event": "LTILL", "observed": "Yes", "by": ["SEX"], "decimals": 3},
    "extremes": {"kind": "extremes", "variables": ["AGE"], "by": ["SEX"]},
    "model": {"kind": "logistic", "formula": "TENURE ~ AGE + C(MSTATUS) + SEX", "decimals": 4},
}
MEMBERS = [pytest.param(kind, id=kind.name) for kind in MITIGATIONS]


def _figure_sizes(case: Case) -> Floats:
    """How many people stand behind each figure; those with no group of their own are behind everybody's."""
    found = np.full(len(case.labels), float(case.table.n_people))
    for behind in case.behind:
        own = behind.figures >= 0
        found[behind.figures[own]] = case.rows(behind)[own]
    return found


@cache
def trouble(name: str) -> Trouble:
    (case,) = make_cases([parse_output(DOCUMENTS[name])], [None], TABLE)
    sizes = _figure_sizes(case)
    thin = [label for label, n in zip(case.labels, sizes, strict=True) if 0 < n < 10]
    nobody = np.zeros(TABLE.n_rows, dtype=bool)
    return Trouble(case, find_blame(case, nobody, thin).figures, rarest=0.1)


@cache
def proposed(kind: type[Mitigation]) -> list[tuple[str, Mitigation]]:
    return [(name, found) for name in DOCUMENTS for found in kind.propose(trouble(name))]


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_merges_leave_no_thin_cell() -> None:
    from divulge.mitigations.merge_levels import MergeLevels

    for name in ("table", "ages"):
        found = [m.apply(trouble(name).output, TABLE.schema) for m in MergeLevels.propose(trouble(name))]
        assert any(_smallest(made) >= 10 for made in found), name


def test_wider_subpopulation_has_enough_people_and_everybody_of_the_narrow_one() -> None:
    from divulge.mitigations.more_people import MorePeople
    from divulge.table import Condition

    given = parse_output({**DOCUMENTS["few"], "where": "AGE > 93"})
    (case,) = make_cases([given], [None], TABLE)
    found = list(MorePeople.propose(Trouble(case, np.ones(len(case.labels)))))
    assert found[-1].where is None
    narrow = Condition.parse("AGE > 93", TABLE.schema).selects(TABLE)
    sizes = []
    for one in found[:-1]:
        assert one.where is not None
        wide = Condition.parse(one.where, TABLE.schema).selects(TABLE)
        assert wide[narrow].all()
        sizes.append(int(wide.sum()))
    assert sizes, "an age below 93 takes in more"
    assert sizes[0] >= 10
    assert sizes == sorted(sizes)


@pytest.mark.parametrize(
    ("where", "parts"),
    [
        ("SEX = 1 and LTILL = 1", {"LTILL = 1", "SEX = 1"}),
        ("SEX = 1 or LTILL = 1", set()),
        ("not (SEX = 1 and LTILL = 1)", set()),
    ],
)
def test_condition_loses_a_part_only_where_that_widens_it(where: str, parts: set[str]) -> None:
    from divulge.mitigations.more_people import MorePeople

    (case,) = make_cases([parse_output({**DOCUMENTS["few"], "where": where})], [None], TABLE)
    found = {one.where for one in MorePeople.propose(Trouble(case, np.ones(len(case.labels))))}
    assert found == {None, *parts}


@pytest.mark.slow
def test_numbers_that_a_model_takes_as_categories_are_merged() -> None:
    from divulge.mitigations.merge_levels import MergeLevels

    for formula, merged in (("TENURE ~ C(AGE) + SEX", True), ("TENURE ~ AGE + SEX", False)):
        given = parse_output({"kind": "linear", "formula": formula, "decimals": 3})
        (case,) = make_cases([given], [None], TABLE)
        found = list(MergeLevels.propose(Trouble(case, np.ones(len(case.labels)))))
        assert any("AGE" in one.bands for one in found) is merged, formula


def test_quantiles_in_the_place_of_extremes_are_a_loss() -> None:
    from divulge.mitigations.safe_quantiles import SafeQuantiles

    given, released = trouble("extremes").output, trouble("extremes").case.released
    losses = []
    for share in (0.01, 0.25):
        made = SafeQuantiles(share=share).apply(given, TABLE.schema)
        printed = made.publish(made.evaluate(TABLE), TABLE.schema)
        losses.append(find_loss(given, released, made, printed, TABLE).information)
    assert 0.1 < losses[0] < losses[1]


def _smallest(output: Output) -> float:
    counts = output.evaluate(TABLE).values
    return float(counts[counts > 0].min())


@pytest.mark.slow
def test_coarser_groups_and_fewer_digits_go_together() -> None:
    from divulge.mitigations.merge_levels import MergeLevels
    from divulge.safer.both import Both

    given = trouble("means")
    merges = list(MergeLevels.propose(given))
    found = list(Both.fewer_digits(merges, given))
    assert found
    for both in found:
        made = both.apply(given.output, TABLE.schema)
        assert made.coarser == merges[found.index(both) // 2].apply(given.output, TABLE.schema).coarser
        assert made.precision().decimals == 2 - both.second.less
        assert parse_output(format_output(made)) == made
        assert both.describe(TABLE.schema).endswith("less")
    assert not list(Both.fewer_digits(list(MergeLevels.propose(trouble("table"))), trouble("table"))), (
        "counts have no digits"
    )
