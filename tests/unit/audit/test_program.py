"""Programs in whole numbers, as HiGHS is asked."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from divulge.audit.program import Program


@pytest.mark.parametrize("seconds", [0.02, 0.1, 0.3])
def test_program_whose_time_is_up_is_no_worse_than_where_it_started(seconds: float) -> None:
    """Costs that are set after the start made the solver forget it."""
    rng = np.random.default_rng(0)  # any seed: a cover that takes seconds to find
    n = 600
    matrix = sparse.random_array((800, n), density=0.02, rng=rng, data_sampler=lambda size: rng.random(size)).tocsr()
    matrix = sparse.csr_array(matrix[matrix @ np.ones(n) >= 1.0])
    cost, cover = np.round(rng.lognormal(2.0, 1.0, n)) + 1.0, np.ones(n)
    for column in np.argsort(-cost).tolist():
        cover[column] = 0.0
        if (matrix @ cover < 1.0).any():
            cover[column] = 1.0
    ends = np.ones(matrix.shape[0]), np.full(matrix.shape[0], np.inf)
    program = Program(matrix, ends, (np.zeros(n), np.ones(n)), np.ones(n, dtype=bool))
    program.start(cover)
    found = program.minimise(np.arange(n), cost, seconds)
    assert found.at is not None
    assert cost @ found.at <= cost @ cover + 1e-6
