"""The plan: everything is read, computed and checked once, before any work is done."""

from __future__ import annotations

from typing import Any

import pytest

from divulge.assess import assess
from divulge.errors import EmbedError, OutputError, SpecError
from divulge.outputs.kinds.crosstab import Crosstab
from tests.support.assessing import CROSSTAB, REGRESSION, people, ready
from tests.support.tables import small_table


def test_figures_of_the_whole_table_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    real, whole = Crosstab.evaluate, []

    def counted(self: Crosstab, table: Any) -> Any:
        # Synthetic tables have as many rows; the people are known by the one who is alone in area 9.
        if table.n_rows == 300 and table.frequencies("AREA")[0] == 1 and "SEX" in table.schema:
            whole.append(self)
        return real(self, table)

    monkeypatch.setattr(Crosstab, "evaluate", counted)
    assess(ready(CROSSTAB), workers=1)
    assert len(whole) == 1


def test_output_is_printed_as_it_was_given_and_else_as_the_data_give_it() -> None:
    found = ready(CROSSTAB, REGRESSION)
    assert [len(p.labels) for p in found.printed] == [len(f.labels) for f in found.figures]
    assert found.printed[0].values == pytest.approx(found.figures[0].values)
    assert found.printed[1].values == pytest.approx(found.figures[1].values, abs=0.05)  # one decimal
    assert found.disagrees == (0, 0)


def test_earlier_outputs_follow_the_new_ones_and_the_same_one_counts_once() -> None:
    coarse = {"kind": "crosstab", "variables": ["SEX"], "compute": True}
    found = ready(CROSSTAB, earlier=[coarse, CROSSTAB])
    assert (found.n_new, len(found.outputs), len(found.earlier)) == (1, 2, 1)
    assert [out.why for out in found.earlier.left_out] == ["The same output is embedded already."]


@pytest.mark.parametrize(
    ("given", "error", "where"),
    [
        ({"scenario": {"knows": "earlier outputs"}}, SpecError, "scenario.knows"),
        ({"scenario": {"target": "ILL", "keys": ["ILL"]}}, SpecError, "scenario.target"),
        ({"scenario": {"target": "ILL", "keys": ["AREA"], "key_sizes": "2-3"}}, SpecError, "scenario.key_sizes"),
        ({"design": {"kind": "repeated-halves", "splits": 3}}, SpecError, "design.splits"),
    ],
    ids=["nothing released before", "target is a key", "too many keys", "odd splits"],
)
def test_plan_is_refused_with_its_place(given: dict[str, Any], error: type[Exception], where: str) -> None:
    with pytest.raises(error) as found:
        ready(CROSSTAB, **given)
    assert found.value.where == where  # type: ignore[attr-defined]  # every error of ours has one


def test_output_that_the_data_do_not_give_is_refused_before_any_split() -> None:
    with pytest.raises(OutputError, match="cannot be computed"):
        ready({**CROSSTAB, "kind": "means", "variables": ["SEX"], "where": "ILL = 'x' and ILL = 'y'"})


def test_output_that_cannot_be_searched_for_is_refused() -> None:
    with pytest.raises(EmbedError, match="cannot be searched for fast enough"):
        ready({"kind": "custom", "function": "a:b", "variables": ["SEX"]})


def test_few_people_are_planned_for_without_splits() -> None:
    assert ready(CROSSTAB, table=people().take(slice(0, 40))).table.n_rows == 40


def test_output_without_a_figure_says_so() -> None:
    alone = small_table(SEX=["f"] * 100, ILL=[0, 1] * 50)
    with pytest.raises(OutputError, match=r"cannot be computed from the data: No figure is defined for these people\."):
        ready({"kind": "ratios", "outcome": "ILL", "exposure": "SEX", "compute": True}, table=alone)
