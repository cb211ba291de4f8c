"""How totals become residuals where groups are small."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations_with_replacement

import numpy as np
import pytest

from divulge.outputs.kinds.anova import Anova
from divulge.outputs.kinds.chi_squared import ChiSquared
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.kinds.f_test import FTest
from divulge.outputs.kinds.means import Means
from divulge.outputs.kinds.position import Position
from divulge.outputs.kinds.shape import Shape
from divulge.outputs.kinds.t_test import TTest
from divulge.outputs.lowering import sizes
from divulge.outputs.lowering.lowered import pack, row_codes
from divulge.outputs.lowering.residuals import RatioResiduals, SizedResiduals
from divulge.outputs.lowering.sizes import Moments, agreed_sizes, possible_sizes, sizes_of_values, sizes_with, spacing
from divulge.outputs.output import Output
from divulge.outputs.released.reading import read_released
from divulge.table import Table
from tests.spec.outputs.people import drawn


def test_two_thirds_need_a_multiple_of_three() -> None:
    group = np.zeros(2, dtype=np.int64)
    low, high = np.array([0.6665, 0.3325]), np.array([0.6675, 0.3335])
    (sizes,) = possible_sizes(group, low, high, np.ones(2, dtype=bool))
    assert sizes[:5].tolist() == [3, 6, 9, 12, 15]
    assert sizes[-1] >= 1000


def test_shares_that_do_not_add_to_one_have_no_size() -> None:
    low, high = np.array([0.49, 0.29]), np.array([0.51, 0.31])
    (sizes,) = possible_sizes(np.zeros(2, dtype=np.int64), low, high, np.ones(2, dtype=bool))
    assert sizes.tolist() == []


def test_group_of_four_is_asked_to_lose_a_row() -> None:
    group = np.zeros(2, dtype=np.int64)
    ratio = RatioResiduals(group, np.array([66.7, 33.3]), 100.0, np.array([0]))
    women = (None, frozenset({("SEX", 1)}), frozenset())
    sized = SizedResiduals(ratio, np.zeros(2), (np.array([3, 6, 9]),), (women,))
    table = drawn("X" + "\n1" * 10)
    residuals, slopes = sized.linearise(np.array([3.0, 1.0, 4.0]), table)
    assert residuals == pytest.approx([100 - 66.7, 100 / 3 - 33.3, -0.5])
    assert slopes[2].tolist() == [0, 0, -1]
    residuals, _ = sized.linearise(np.array([2.0, 1.0, 3.0]), table)
    assert residuals == pytest.approx([200 / 3 - 66.7, 100 / 3 - 33.3, 3])


def test_mean_of_thirds_asks_for_three_rows_and_for_their_sum() -> None:
    people = drawn("X SEX\n1 1\n2 1\n3 1\n4 2\n5 2")
    output = Means(variables=("X",), where="SEX == 1", decimals=2)
    three = people.take([0, 2, 2, 4])  # 7 / 3 = 2.33
    lowered = output.lower(people.schema, output.publish(output.evaluate(three), people.schema))
    two = people.take([0, 2, 3, 4])
    residuals, slopes = lowered.residuals.linearise(lowered.totals(two), two)
    assert residuals == pytest.approx([4 / 3 - 2.33, -0.5])
    # A third row of 3 would be right: its total moves by 3 − 2.33 and the size by 1.
    assert residuals + slopes @ np.array([3 - 2.33, 1.0]) == pytest.approx([7 / 3 - 2.33, 0.5])


@pytest.mark.parametrize(
    ("values", "step"),
    [
        ([1, 2, 5], 1),
        ([10, 30, 50], 20),
        ([0.25, 1.0], 0.75),
        ([0.1, 0.2, 0.3], 0.1),
        ([1.0, np.pi], None),
        ([4.0], None),
    ],
)
def test_spacing_of_values(values: list[float], step: float | None) -> None:
    found = spacing(np.array(values, dtype=float))
    assert found == (None if step is None else pytest.approx(step))


def test_outputs_on_the_same_people_agree_on_how_many_these_are() -> None:
    people = drawn("X SEX Y\n" + "\n".join(f"{i % 2} {i % 3 % 2} {i % 4}" for i in range(24)))
    schema = people.schema
    shares = Crosstab(variables=("X", "SEX"), statistic="column percentages", decimals=1)
    means = Means(variables=("Y",), by=("SEX",), decimals=2)
    # 33.3 % needs 3, 6, 9 ... people, a mean of 1.25 needs 4, 8, 12 ...
    printed = [
        read_released(replace(output, released=figures), schema)
        for output, figures in ((shares, [66.7, 50.0, 33.3, 50.0]), (means, [1.25, 1.5]))
    ]
    assert printed[0] is not None
    assert printed[1] is not None
    first, second = shares.lower(schema, printed[0]), means.lower(schema, printed[1])
    assert first.sized is not None
    assert second.sized is not None
    agreed = agreed_sizes([first.sized.possible(), second.sized.possible()])
    women = (None, frozenset(), frozenset({("SEX", 0)}))
    assert agreed[women][:3].tolist() == [12, 24, 36]
    assert first.sized.agreed(agreed).sizes[0][:3].tolist() == [12, 24, 36]


def test_small_groups_have_sizes_of_which_some_values_have_the_mean() -> None:
    squares, low, high = np.arange(15) ** 2, np.array([9.9]), np.array([10.1])
    (sizes,) = sizes_of_values((np.arange(1, 20),), low, high, squares)
    assert sizes[0] == 2  # 4 and 16
    low, high = np.array([9.6]), np.array([9.7])  # 29 / 3: 4 + 9 + 16
    (sizes,) = sizes_of_values((np.arange(1, 20),), low, high, squares)
    assert sizes[:2].tolist() == [3, 5]
    (sizes,) = sizes_of_values((np.arange(1, 20),), low, high, np.arange(15))
    assert sizes[0] == 1  # without gaps nothing is looked at


def test_sizes_are_soon_told_where_a_mean_leaves_room_for_a_million_totals(monkeypatch: pytest.MonkeyPatch) -> None:
    looks, real = [], np.flatnonzero
    monkeypatch.setattr(sizes.np, "flatnonzero", lambda mask: looks.append(1) or real(mask))
    # Humidity in millionths, to two decimals: any two people can have such a mean and such a deviation.
    found = sizes_with(Moments(mean=(555_000, 1_565_000), variance=(1e10, 2e10), less=1))
    assert found.tolist() == [2]
    assert len(looks) < 10


@pytest.mark.parametrize("less", [0, 1])
def test_sizes_with_a_mean_and_a_variance_are_those_that_some_numbers_have(less: int) -> None:
    rng = np.random.default_rng(less)
    for _ in range(30):
        n = int(rng.integers(2 + less, 7))
        numbers = rng.integers(0, 6, n)
        mean, variance = numbers.mean(), numbers.var(ddof=less)
        moments = Moments((mean - 0.005, mean + 0.005), (variance - 0.005, variance + 0.005), less)
        found = sizes_with(moments)
        assert n in found
        for size in range(1 + less, 6):
            sets = np.array(list(combinations_with_replacement(range(6), size)))
            fits = np.abs(sets.mean(axis=1) - mean) <= 0.005 + 1e-9  # rounding
            fits &= np.abs(sets.var(axis=1, ddof=less) - variance) <= 0.005 + 1e-9
            # Not the other way round: no numbers of so few need have these sums.
            assert not fits.any() or size in found


def test_sizes_carry_the_mean_of_one_output_and_the_deviation_of_another() -> None:
    people = drawn("X G\n1 a\n2 a\n5 a\n3 b\n4 b")
    means, shape = Means(variables=("X",), by=("G",), decimals=3), Shape(variables=("X",), by=("G",), decimals=3)
    lowered = [o.lower(people.schema, o.publish(o.evaluate(people), people.schema)) for o in (means, shape)]
    alone = agreed_sizes([lowered[0].sized.possible()])
    both = agreed_sizes([lowered[0].sized.possible()], [o.moments for o in lowered])
    of_a, of_b = (key for key in both)
    assert {3, 6, 9} <= set(alone[of_a].tolist())
    assert {2, 4, 6} <= set(alone[of_b].tolist())
    # 3.500 ± 0.707 as two people have it: squares of ½ around the mean; four have at least 1, which is 0.577.
    assert both[of_b].tolist()[0] == 2
    assert 4 not in both[of_b]
    assert 3 in both[of_a]


def test_what_each_row_adds_is_what_it_adds_alone() -> None:
    table = drawn("X\n" + "\n".join("1234" * 5))
    output = Means(variables=("X",), decimals=1)
    program = pack([output.lower(table.schema, output.publish(output.evaluate(table), table.schema))], table.schema)
    codes = row_codes(table)
    found = program.of_rows(codes)
    np.testing.assert_array_equal(found, [program.totals(row[None]) for row in codes])
    assert found.any()


def test_a_median_between_two_values_asks_for_groups_of_even_size() -> None:
    even = drawn("X G\n" + "\n".join(f"{x} {g}" for g in "ab" for x in (0, 0, 10, 10)))
    # Five and three people: each median is a value now, and both groups are one away from four.
    odd = even.take([0, 1, 2, 3, 4, 5, 6, 0]).take([0, 1, 2, 3, 7, 4, 5, 6])
    output = Position(variables=("X",), quantiles=(0.5,), by=("G",), decimals=1)
    lowered = output.lower(even.schema, output.publish(output.evaluate(even), even.schema))
    assert output.evaluate(even).values.tolist() == [5.0, 5.0]
    assert lowered.residuals_at(even)[-2:].tolist() == [0.0, 0.0]
    residuals, slopes = lowered.residuals.linearise(lowered.totals(odd), odd)
    assert residuals[-2:].tolist() == [1.0, 1.0]
    # One has to lose a row, whichever, and the other to gain it.
    assert sorted(set(slopes[-2:].ravel().tolist())) == [-1.0, 0.0, 1.0]


@pytest.mark.parametrize(
    "output",
    [
        ChiSquared(variables=("G", "H"), significant=3),
        TTest(variable="Y", by="G", significant=3),
        FTest(formula="Y ~ G", significant=3),
        Anova(formula="Y ~ G", significant=3),
    ],
    ids=lambda output: output.kind,
)
def test_p_value_too_small_for_a_double_still_says_which_way_to_go(output: Output) -> None:
    rng = np.random.default_rng(4)  # any
    g = np.arange(4000) % 2
    near = 10 + rng.integers(0, 5, 4000) + (rng.random(4000) < 0.05) * g
    schema = drawn("G H Y\n" + "\n".join(f"{'ab'[i % 2]} {'cd'[i // 2 % 2]} {i % 40}" for i in range(80))).schema
    mostly = np.where(rng.random(4000) < 0.53, g, 1 - g)
    like = Table(schema, (g.astype(np.uint8), mostly.astype(np.uint8), near.astype(np.uint8)))
    apart = Table(schema, (like["G"], like["G"], (like["Y"] + 20 * g).astype(np.uint8)))
    released = output.publish(output.evaluate(like), schema)
    place = next(i for i, label in enumerate(released.labels) if label.startswith("p"))
    assert output.evaluate(apart).values[place] < 1e-280
    lowered = output.lower(schema, released)
    there, slopes = lowered.residuals.linearise(lowered.totals(apart), apart)
    # It is to rise, and rows can do it.
    assert there[place] < lowered.low[place]
    assert np.abs(slopes[place]).max() > 0
    here, _ = lowered.residuals.linearise(lowered.totals(like), like)
    assert lowered.low[place] <= here[place] <= lowered.high[place]


def test_p_value_printed_as_0_agrees_however_small_it_is() -> None:
    people = drawn("G Y\n" + "\n".join(f"{'ab'[i % 2]} {i % 7 + 5 * (i % 2)}" for i in range(60)))
    output = Anova(formula="Y ~ G", decimals=3)
    lowered = output.lower(people.schema, output.publish(output.evaluate(people), people.schema))
    place = output.labels(people.schema).index("p | G")
    residuals, _ = lowered.residuals.linearise(lowered.totals(people), people)
    assert lowered.low[place] <= residuals[place] <= lowered.high[place]
