"""Changes that an intruder can undo are caught by rules and arithmetic, before anything is searched for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from divulge.assess import Candidate, plan
from divulge.assess.arithmetic import work_out
from divulge.errors import OutputError
from divulge.rules import Severity
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


def test_cell_that_is_changed_again_under_another_condition_is_refused() -> None:
    everybody = "area = north or area = south or area = island"
    assert (
        severities(random_rounding(1), random_rounding(2, name="again", where=everybody))["changed twice"] == "refuse"
    )
    # The same seed too: a cell of another name is drawn for anew.
    parts = [random_rounding(1, variables=["ill"], where=f"area = {a}", name=a) for a in ("north", "south", "island")]
    assert severities(random_rounding(1), *parts)["changed twice"] == "refuse"


@pytest.mark.parametrize("kind", ["random-rounding", "controlled-rounding"])
def test_table_rounded_to_two_bases_is_refused(kind: str) -> None:
    rounded = [{**CROSSTAB, "name": f"to {b}", "method": {"kind": kind, "base": b}} for b in (3, 5)]
    assert severities(*rounded)["changed twice"] == "refuse"


def test_controlled_rounding_beside_exact_margins_is_refused() -> None:
    rounded = {**CROSSTAB, "margins": True, "method": {"kind": "controlled-rounding", "base": 5}}
    margins = [{"kind": "crosstab", "variables": [v], "compute": True, "name": v} for v in ("area", "ill")]
    assert severities(rounded, *margins)["exact figure"] == "refuse"


def test_percentages_beside_rounded_counts_are_refused() -> None:
    shares = {**CROSSTAB, "name": "shares", "statistic": "row percentages", "decimals": 1}
    assert severities(random_rounding(1), shares)["exact beside changed"] == "refuse"


AGES = np.append(RNG.choice(np.delete(np.arange(91), 16), 398), [16, 16])
INCOMES = np.round(RNG.lognormal(10.0, 0.6, 400))
PEOPLE = small_table(age=AGES.astype(float).tolist(), income=INCOMES.tolist())


def test_bands_that_differ_by_a_year_of_few_people_are_refused() -> None:
    banded = [
        {"kind": "crosstab", "variables": ["age"], "compute": True, "name": f"{end}", "coarser": {"age": {"bands": b}}}
        for end in (16, 17)
        for b in [[0, end, 65]]
    ]
    assert severities(*banded, table=PEOPLE)["exact group"] == "refuse"
    assert "refuse" not in severities(banded[0], table=PEOPLE).values()


@pytest.mark.parametrize(("beyond", "is_refused"), [(1, True), (3, True), (4, False)])  # few is three
def test_mean_with_a_top_code_beside_the_mean_is_refused_where_few_are_beyond(beyond: int, is_refused: bool) -> None:
    top = float(np.sort(INCOMES)[-1 - beyond])
    mean = {"kind": "means", "variables": ["income"], "compute": True, "decimals": 2}
    coded = {**mean, "name": "coded", "coarser": {"income": {"top": top}}}
    for pair in ((mean, coded), (coded, mean)):
        assert (severities(*pair, table=PEOPLE).get("differenced values") == "refuse") == is_refused


def test_maximum_beside_a_mean_with_a_top_code_is_refused() -> None:
    top = float(np.sort(INCOMES)[-20])
    coded = {"kind": "means", "variables": ["income"], "compute": True, "coarser": {"income": {"top": top}}}
    median = {"kind": "position", "variables": ["income"], "compute": True, "name": "median"}
    most = {"kind": "extremes", "variables": ["income"], "show": ["maximum"], "compute": True, "name": "maximum"}
    assert severities(coded, median, most, table=PEOPLE)["extreme held by few"] == "refuse"


@pytest.mark.parametrize(("between", "is_refused"), [(0, False), (1, True), (3, True), (4, False)])  # few is three
def test_means_with_two_top_codes_are_refused_where_few_lie_between_the_codes(between: int, is_refused: bool) -> None:
    """Beyond both codes the mean changes by what the codes do, which are printed."""
    ranked = np.sort(INCOMES)
    codes = [float(ranked[-20]) - 1.0, float(ranked[-20 - between]) - 1.0 if between else float(ranked[-20]) - 2.0]
    mean = {"kind": "means", "variables": ["income"], "compute": True, "decimals": 2}
    coded = [{**mean, "name": f"{c}", "coarser": {"income": {"top": c}}} for c in codes]
    assert (severities(*coded, table=PEOPLE).get("differenced values") == "refuse") == is_refused


@pytest.mark.parametrize(
    "statistic",
    [
        {"kind": "shape", "variables": ["income"], "decimals": 2},
        {"kind": "gini", "variables": ["income"], "decimals": 6},
        {"kind": "linear", "formula": "income ~ age", "decimals": 3},
    ],
    ids=lambda s: s["kind"],
)
@pytest.mark.parametrize(("beyond", "is_held"), [(1, True), (4, False)])  # few is three
def test_statistic_with_a_top_code_beside_itself_is_reviewed_where_few_are_beyond(
    statistic: dict[str, Any], beyond: int, is_held: bool
) -> None:
    top = float(np.sort(INCOMES)[-1 - beyond])
    plain = {**statistic, "compute": True}
    found = severities(plain, {**plain, "name": "coded", "coarser": {"income": {"top": top}}}, table=PEOPLE)
    assert (found.get("differenced statistics") == "review") == is_held


COINS = small_table(
    area=["north"] * 388 + ["island"] * 12,
    ill=(["yes", "no"] * 194) + ["yes"] * 4 + ["no"] * 8,
    **{f"coin{i}": [str(c) for c in RNG.choice(["heads", "tails"], 400)] for i in range(4)},
)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["noise", "random-rounding", "cell-key", "midpoint"])
def test_small_group_that_many_finer_tables_add_up_to_is_reviewed(kind: str) -> None:
    """Each of them is changed on its own, so that the mean of their sums is nearer than any; a midpoint is always the
    same."""
    changed = {"kind": "crosstab", "compute": True, "method": {"kind": kind}}
    finer = [{**changed, "variables": ["area", "ill", f"coin{i}"], "name": f"by {i}"} for i in range(4)]
    assert ("changed twice" in severities(*finer, table=COINS)) == (kind != "midpoint")
    # One draw and two halves of one are two draws; one and a half are not.
    whole = {**changed, "variables": ["area", "ill"]}
    assert ("changed twice" in severities(whole, *finer[:2], table=COINS)) == (kind != "midpoint")
    assert "changed twice" not in severities(whole, finer[0], table=COINS)


@pytest.mark.slow
def test_sums_of_finer_tables_of_earlier_releases_count_as_well() -> None:
    noisy = {"kind": "crosstab", "compute": True, "method": {"kind": "noise", "seed": 1}}
    finer = [{**noisy, "variables": ["area", "ill", f"coin{i}"]} for i in range(4)]
    before = tuple(Candidate(f"release {i}", document) for i, document in enumerate(finer[:3]))
    assert severities(finer[3], before=before, table=COINS)["changed twice"] == "review"
    assert "changed twice" not in severities(finer[3], before=before[:1], table=COINS)


RARE = small_table(
    area=["north"] * 230 + ["south"] * 150 + ["island"] * 20,
    ill=(["yes", "no", "no"] * 127)[:380] + ["yes"] * 4 + ["no"] * 16,
    sick=([1.0, 0.0, 0.0] * 127)[:380] + [1.0] * 4 + [0.0] * 16,
    work=["driver"] * 4 + RNG.choice(["clerk", "cook", "nurse"], 396, p=[0.5, 0.3, 0.2]).tolist(),
    income=INCOMES.tolist(),
    monthly=np.round(INCOMES / 12).tolist(),
)
TABLE_OF_RARE = {"kind": "crosstab", "variables": ["area", "ill"], "compute": True}
WITHHELD = {
    **TABLE_OF_RARE,
    "margins": True,
    "suppressed": [f"area={a} & ill={i}" for a in ("island", "south") for i in ("yes", "no")],
}
MEAN = {"kind": "means", "variables": ["income"], "compute": True, "decimals": 2}
BY_WORK = {**MEAN, "by": ["work"], "suppressed": ["income | work=driver"]}


def changed(kind: str, name: str, **settings: Any) -> dict[str, Any]:
    return {**TABLE_OF_RARE, "name": name, "method": {"kind": kind, **settings}}


@pytest.mark.parametrize(
    "given",
    [
        (WITHHELD, {"kind": "logistic", "formula": "ill ~ C(area)", "decimals": 6}),
        (WITHHELD, {"kind": "linear", "formula": "sick ~ C(area)", "decimals": 6}),
        (WITHHELD, {"kind": "means", "variables": ["sick"], "by": ["area"], "decimals": 5}),
        (changed("noise", "noisy"), {"kind": "logistic", "formula": "ill ~ C(area)", "decimals": 6}),
        (changed("random-rounding", "rounded"), {"kind": "logistic", "formula": "ill ~ 1", "where": "area = island"}),
        (BY_WORK, {**MEAN, "name": "all"}),
        (BY_WORK, {"kind": "linear", "formula": "income ~ C(work)", "decimals": 2}),
        (BY_WORK, {**MEAN, "variables": ["monthly"], "by": ["work"]}),
        ({**BY_WORK, "kind": "totals"}, {**MEAN, "kind": "totals", "variables": ["monthly"], "by": ["work"]}),
        (WITHHELD, {**MEAN, "kind": "totals", "variables": ["sick"], "by": ["area"]}),
        (changed("noise", "noisy"), {"kind": "totals", "variables": ["sick"], "by": ["area"], "decimals": 0}),
    ],
    ids=[
        "logistic",
        "linear",
        "means",
        "noise",
        "share of an island",
        "mean of all",
        "linear of means",
        "other units",
        "totals in other units",
        "totals of another variable",
        "noise and totals",
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_withheld_and_changed_figures_that_means_or_models_give_are_reviewed(
    given: tuple[dict[str, Any], ...], turned: bool
) -> None:
    documents = [{"compute": True, **d} for d in (given[::-1] if turned else given)]
    assert severities(*documents, table=RARE)["follows from sums"] == "review"


@pytest.mark.parametrize(
    "given",
    [
        (BY_WORK, {**MEAN, "name": "all", "where": "area = north"}),
        (WITHHELD, {"kind": "logistic", "formula": "ill ~ 1", "decimals": 6}),
        (WITHHELD, {"kind": "logistic", "formula": "ill ~ income", "decimals": 6}),
    ],
    ids=["mean of others", "share of all", "model of an amount"],
)
def test_withheld_figures_that_nothing_gives_stay_withheld(given: tuple[dict[str, Any], ...]) -> None:
    assert "follows from sums" not in severities(*({"compute": True, **d} for d in given), table=RARE)


MARGINS = {"kind": "crosstab", "compute": True}


@pytest.mark.parametrize("kind", ["noise", "random-rounding", "cell-key"])
def test_changed_table_beside_exact_margins_is_reviewed(kind: str) -> None:
    """Every margin is an equation: of six changed counts two are left that nobody knows."""
    noisy = changed(kind, "changed")
    exact = [{**MARGINS, "variables": [name], "name": name} for name in ("area", "ill")]
    assert severities(noisy, *exact, table=RARE)["changed twice"] == "review"
    # One draw, and what two others leave of an exact sum: one and a half.
    assert "changed twice" not in severities(noisy, exact[1], table=RARE)


def test_changed_tables_whose_differences_tell_a_small_group_are_reviewed() -> None:
    noisy = {**MARGINS, "variables": ["area", "ill"], "method": {"kind": "noise"}}
    merged = [{**noisy, "name": a, "coarser": {"area": {"merge": [["island", a]]}}} for a in ("north", "south")]
    assert severities(noisy, *merged, table=RARE)["changed twice"] == "review"
    assert "changed twice" not in severities(noisy, merged[0], table=RARE)


def test_margins_of_one_table_average_its_noise_out_where_they_are_many() -> None:
    noisy = {**MARGINS, "margins": True, "method": {"kind": "noise"}}
    coins = ["coin0", "coin1"]
    assert severities({**noisy, "variables": ["area", "ill", *coins]}, table=COINS)["changed twice"] == "review"
    assert "changed twice" not in severities({**noisy, "variables": ["area", "ill"]}, table=COINS)


def test_table_that_is_changed_again_in_other_words_is_refused() -> None:
    """With the same seed too: cells of other names are drawn for anew."""
    again = {**changed("noise", "again"), "variables": ["area", "sick"]}
    assert severities(changed("noise", "noisy"), again, table=RARE)["changed twice"] == "refuse"


@pytest.mark.parametrize("turned", [False, True])
def test_means_of_parts_with_a_top_code_are_refused_beside_the_mean_of_all_without(turned: bool) -> None:
    top = float(np.sort(INCOMES)[-2])
    pair = [{**MEAN, "by": ["area"], "coarser": {"income": {"top": top}}}, {**MEAN, "name": "all"}]
    assert severities(*(pair[::-1] if turned else pair), table=RARE)["differenced values"] == "refuse"


def _worst(*documents: dict[str, Any]) -> int:
    return max((Severity(s).rank for s in severities(*documents, table=RARE).values()), default=0)


MERGED = {"kind": "crosstab", "variables": ["work"], "compute": True}


@pytest.mark.parametrize(
    "given",
    [
        [{**MERGED, "name": other, "coarser": {"work": {"merge": [["driver", other]]}}} for other in ("clerk", "cook")],
        [
            {**MEAN, "by": ["work"], "name": other, "coarser": {"work": {"merge": [["driver", other]]}}}
            for other in ("clerk", "cook")
        ],
        [changed("midpoint", "six", base=6), changed("midpoint", "four", base=4)],
        [changed("cell-key", "one", seed=1), changed("cell-key", "two", seed=2)],
        [changed("cell-key", "keys"), changed("noise", "noise")],
        [changed("random-rounding", "rounded", base=5), changed("noise", "noise")],
        [changed("noise", "little", seed=1), changed("noise", "less", seed=1, epsilon=2.0)],
        [changed("random-rounding", "random", base=5), changed("controlled-rounding", "controlled", base=3)],
        [WITHHELD, {**TABLE_OF_RARE, "name": "merged", "coarser": {"area": {"merge": [["island", "north"]]}}}],
        [WITHHELD, {"kind": "frequencies", "variables": ["ill"], "compute": True, "where": "area = island"}],
        [WITHHELD, {**TABLE_OF_RARE, "name": "shares", "statistic": "row percentages", "decimals": 1}],
        [
            {**MEAN, "coarser": {"income": {"top": float(np.sort(INCOMES)[-3])}}},
            {"kind": "totals", "variables": ["income"], "compute": True},
        ],
        [{**MEAN, "coarser": {"income": {"bottom": float(np.sort(INCOMES)[2])}}}, {**MEAN, "name": "all"}],
    ],
    ids=[
        "overlapping merges",
        "means of overlapping merges",
        "two bands of midpoints",
        "two keys",
        "keys and noise",
        "rounding and noise",
        "two scales of noise",
        "two roundings",
        "withheld and merged",
        "withheld and under a condition",
        "withheld and percentages",
        "top code and total",
        "bottom code and mean",
    ],
)
def test_two_changes_of_which_one_undoes_the_other_are_caught(given: list[dict[str, Any]]) -> None:
    """What neither of them is alone: refused, or reviewed where each would be released."""
    together, *alone = (_worst(*documents) for documents in (given, *([one] for one in given)))
    assert together > max(alone)


def test_label_of_no_cell_is_not_passed_over() -> None:
    """The cell that somebody meant to withhold would be printed."""
    with pytest.raises(OutputError, match="there is no cell 'area=isle & ill=yes'"):
        severities({**TABLE_OF_RARE, "suppressed": ["area=isle & ill=yes"]}, table=RARE)
    output = parse_output({**TABLE_OF_RARE, "suppressed": ["ill=yes & area=island"]})
    printed = output.publish(output.evaluate(RARE), RARE.schema)
    assert [label for label, v in zip(printed.labels, printed.values, strict=True) if np.isnan(v)] == [
        "area=island & ill=yes"
    ]
