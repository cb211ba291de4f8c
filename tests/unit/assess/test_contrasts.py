"""Differences of measures between people in and out: shares by cell are the measures; who is in is freed."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.assess.splits.measures import Figure
from divulge.assess.statistics.contrasts import SHARES, Shares, measure_risks
from divulge.designs import BLOCK, RepeatedHalves
from divulge.measures import measure_targets
from divulge.scenario import Lookup, Scenario
from divulge.table import Schema, Table, Variable

KEYS, TARGET = ("area", "age"), "tenure"


def _people(n: int, seed: int) -> Table:
    rng = np.random.default_rng(seed)
    sizes = {"area": 6, "age": 8, TARGET: 3}
    variables = tuple(Variable(name, "categorical", np.arange(size)) for name, size in sizes.items())
    return Table(Schema(variables), tuple(rng.binomial(size - 1, 0.4, n) for size in sizes.values()))


PEOPLE = _people(300, 1)
LOOKUP = Lookup.of(Scenario(KEYS, TARGET), PEOPLE, {n: PEOPLE.frequencies(n) / 300 for n in PEOPLE.names})


def _masks(n_splits: int) -> list[np.ndarray]:
    return [s.rows()[0] for s in RepeatedHalves(splits_wanted=n_splits).splits(300, 1)]


@pytest.mark.parametrize("name", SHARES)
def test_share_by_cell_is_the_measure(name: str) -> None:
    synthetic, inside = _people(60, 2), _masks(2)[0]
    counts = LOOKUP.counts(synthetic)
    above, below = (part(counts)[LOOKUP.cell_of_row] for part in SHARES[name])
    found = measure_targets(PEOPLE.take(inside), synthetic, KEYS, [TARGET], measures=[name])[0]
    assert above[inside].sum() / below[inside].sum() == pytest.approx(found[name].value)
    assert 0 < found[name].value < 1


def _risks(name: str, synthetic: list[Table]) -> tuple[np.ndarray, np.ndarray, list[Figure]]:
    """The differences, what is owed to who was in, and the figures, with one synthetic table a split."""
    masks, shares, figures = _masks(len(synthetic)), Shares(LOOKUP), []
    for inside, one in zip(masks, synthetic, strict=True):
        counts = LOOKUP.counts(one)
        shares.add(counts)
        above, below = (part(counts)[LOOKUP.cell_of_row] for part in SHARES[name])
        figures.append(
            Figure(above[inside].sum() / below[inside].sum(), above[~inside].sum() / below[~inside].sum(), 0.5)
        )
    differences = np.array([f.original - f.holdout for f in figures])
    return differences, shares.shifts(name, masks), figures


@pytest.mark.parametrize("name", ["DCAP", "DiSCO", "TCAP_zero"])
def test_where_synthetic_data_never_change_all_is_owed_to_who_is_in(name: str) -> None:
    differences, shifts, _ = _risks(name, [_people(60, 2)] * 20)
    assert shifts == pytest.approx(differences)
    assert np.std(differences) > 0.01


@pytest.mark.parametrize("name", ["TCAP", "DCAP_matched"])
def test_ratios_are_freed_to_first_order(name: str) -> None:
    differences, shifts, _ = _risks(name, [_people(60, 2)] * 20)
    assert np.std(differences - shifts) < np.std(differences) / 5


def test_shifts_add_up_to_nothing_in_a_block() -> None:
    _, shifts, _ = _risks("DCAP", [_people(60, seed) for seed in range(20)])
    assert shifts.reshape(-1, BLOCK).sum(axis=1) == pytest.approx([0.0, 0.0], abs=1e-12)


def test_interval_is_narrower_than_the_plain_one_around_the_same_value() -> None:
    synthetic = [_people(60, 2 + seed // 10) for seed in range(20)]
    _, _, figures = _risks("DCAP", synthetic)
    shares = Shares(LOOKUP)
    for one in synthetic:
        shares.add(LOOKUP.counts(one))
    found = [{"DCAP": f, "other": f} for f in figures]
    plain = measure_risks(found)["DCAP"].difference
    blocks = [s // BLOCK for s in range(20)]
    freed = measure_risks(found, shares, _masks(20), blocks)
    assert freed["DCAP"].difference.value == pytest.approx(plain.value)
    assert freed["DCAP"].difference.half_width < plain.half_width
    assert freed["other"].difference.value == pytest.approx(plain.value)
    assert freed["other"].difference.n == 2  # blocks, where a measure is not known by cell


def test_interval_of_what_never_changes_allows_for_a_person_in_splits_not_drawn() -> None:
    synthetic = [_people(60, 2)] * 20
    _, _, figures = _risks("DiSCO", synthetic)
    shares = Shares(LOOKUP)
    for one in synthetic:
        shares.add(LOOKUP.counts(one))
    found = measure_risks([{"DiSCO": f} for f in figures], shares, _masks(20), [s // BLOCK for s in range(20)])
    # All 300 people are asked about, half of them in: one person, in three of twenty splits.
    assert found["DiSCO"].difference.half_width == pytest.approx(3 / 20 / 150)


def test_measures_with_a_tolerance_are_compared_by_blocks() -> None:
    wage = Variable("wage", "numeric", np.arange(100))
    rng = np.random.default_rng(3)
    table = Table(Schema((PEOPLE.schema["area"], wage)), (PEOPLE["area"], rng.integers(0, 100, 300)))
    lookup = Lookup.of(Scenario(("area",), "wage"), table, {"wage": np.full(100, 0.01), "area": np.full(6, 1 / 6)})
    assert lookup.tolerance is not None
    assert not Shares(lookup).above
