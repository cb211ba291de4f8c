"""Models on coarser variables whose coefficients have no end: what depends on a table depends on the coarse one."""

from __future__ import annotations

import numpy as np

from divulge.outputs import Output
from divulge.spec import parse_output
from tests.support.tables import small_table

RNG = np.random.default_rng(2)  # any seed: that nobody of group c has the outcome is put there by hand
GROUP = np.repeat(["a", "b", "c"], [60, 40, 8])
OUTCOME = np.where(GROUP == "c", 0, RNG.integers(0, 2, len(GROUP)))
TABLE = small_table(
    y=OUTCOME.astype(float).tolist(), g=GROUP.tolist(), z=RNG.integers(0, 12, len(GROUP)).astype(float).tolist()
)


def _lowered(output: Output) -> list[np.ndarray]:
    released = output.publish(output.evaluate(TABLE), TABLE.schema)
    assert np.isinf(released.values).any(), "one level is separated"
    lowered = output.lower(TABLE.schema, released)
    assert lowered.settled is not None
    near = lowered.settled(TABLE)
    assert near.settled is not None
    return [np.asarray(term.cells[0]) for block in near.blocks for term in block.terms if term.cells]


def test_separated_model_with_a_top_code_settles_near_a_finer_table() -> None:
    document = {"kind": "logistic", "formula": "y ~ C(g) + z", "decimals": 3, "compute": True}
    fine = _lowered(parse_output(document))
    coarse = _lowered(parse_output({**document, "coarser": {"z": {"top": 6}}}))
    # Either looks up the finer codes of the table that people have.
    assert [len(cells) for cells in coarse] == [len(cells) for cells in fine]


def test_survival_model_with_merged_levels_says_which_rows_may_change_of_finer_tables() -> None:
    times = RNG.permutation(np.arange(1, len(GROUP) + 1)).astype(float)
    table = small_table(t=times.tolist(), e=[1.0, 0.0] * (len(GROUP) // 2), g=GROUP.tolist())
    document = {"kind": "cox", "formula": "t ~ C(g)", "event": "e", "decimals": 3, "compute": True}
    merged = parse_output({**document, "coarser": {"g": {"merge": [["a", "c"]]}}})
    released = merged.publish(merged.evaluate(table), table.schema)
    straight = merged.lower(table.schema, released).straight
    assert straight is not None
    for name in ("t", "e", "g"):
        mask = straight(table, name)
        assert mask is None or mask.shape == (table.n_rows,)
