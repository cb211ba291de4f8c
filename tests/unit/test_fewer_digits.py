"""Fewer digits are proposed from where it turns: with more, arithmetic says that nothing has changed."""

from __future__ import annotations

import numpy as np

from divulge.checking import make_cases
from divulge.mitigations.fewer_digits import FewerDigits
from divulge.mitigations.mitigation import Trouble
from divulge.outputs.kinds.logistic import Logistic
from divulge.outputs.kinds.means import Means
from divulge.outputs.output import Output
from divulge.table import Table
from tests.support.tables import small_table


def _proposed(output: Output, table: Table) -> list[int]:
    released = output.publish(output.evaluate(table), table.schema)
    case = make_cases((output,), (released,), table, None, None, None)[0]
    return [m.less for m in FewerDigits.propose(Trouble(case, np.ones(len(released.values))))]


def test_first_proposal_is_where_responses_no_longer_follow() -> None:
    rng = np.random.default_rng(20)
    age, dose = rng.integers(18, 90, 20), rng.integers(1, 1000, 20)
    ill = rng.random(20) < 1 / (1 + np.exp(-(age - 50) / 40))
    table = small_table(ILL=[int(i) for i in ill], AGE=[int(a) for a in age], DOSE=[int(d) for d in dose])
    proposed = _proposed(Logistic(formula="ILL ~ AGE + DOSE", decimals=9), table)
    # One digit less of nine still determines everybody.
    assert proposed[0] > 3


def test_first_proposal_for_a_mean_is_where_rows_can_differ_again() -> None:
    table = small_table(X=[i % 10 for i in range(7)])
    assert _proposed(Means(variables=("X",), decimals=14), table)[0] > 3
    assert _proposed(Means(variables=("X",), decimals=3), table)[0] == 1
