"""Where a search starts: codes drawn uniformly, from the granted marginals, or from the released outputs themselves."""

from __future__ import annotations

from typing import Literal

import numpy as np

from divulge.errors import EmbedError
from divulge.kernels.arrays import Codes
from divulge.kernels.randomness import Stream, alias_table, draw_codes, stream
from divulge.kernels.rules import Rules, redraw_until_kept, swap_until_kept
from divulge.objective.moves import draws_of
from divulge.objective.objective import Objective
from divulge.objective.rules import rules_of
from divulge.synthesisers.descent.binned import settle_bins
from divulge.synthesisers.descent.counted import settle_counts
from divulge.synthesisers.descent.expansion import codes_with_counts, expand_crosstabs
from divulge.synthesisers.descent.grouped import draw_groups
from divulge.synthesisers.descent.occupied import occupy_levels
from divulge.synthesisers.descent.responses import draw_responses
from divulge.synthesisers.descent.shares import expand_shares

Start = Literal["uniform", "univariate", "model"]

_MOST_SWAPS = 200
"""Rows with which one that breaks a rule tries to swap a value."""


def start_codes(objective: Objective, n_rows: int, start: Start, keep: bool, key: tuple[int, ...]) -> Codes:
    """Codes (rows, variables) to start from. keep: the granted marginals exactly, not only in expectation."""
    schema = objective.schema
    dtype = np.result_type(*(v.dtype for v in schema))
    codes = np.empty((n_rows, len(schema)), dtype=dtype)
    # Figures of a handful need groups of the size that they are of; where it is known it is not left to chance.
    grouping = {name for t in objective.targets for name in vars(t.output).get("by") or ()} & set(objective.known)
    for j, variable in enumerate(schema):
        share = objective.marginals[variable.name]
        if start == "uniform":
            share = (share > 0).astype(float)
        rng = stream(*key, j)
        if keep or (start == "model" and variable.name in grouping):
            codes[:, j] = codes_with_counts(share, n_rows, rng)
        else:
            threshold, alias = alias_table(share)
            draw_codes(rng, threshold, alias, codes, j)
    if start == "model" and not keep:
        done = expand_crosstabs(objective, codes, np.random.default_rng([*key, 1]))
        filled = expand_shares(objective, codes, done, np.random.default_rng([*key, 3]))
        draw_groups(objective, codes, filled, np.random.default_rng([*key, 6]))
        settle_bins(objective, codes, filled, np.random.default_rng([*key, 7]))
        settle_counts(objective, codes, done, np.random.default_rng([*key, 5]))
        occupy_levels(objective, codes, np.random.default_rng([*key, 4]))
    rules = rules_of(objective)
    _keep_rules(objective, rules, codes, keep, stream(*key, len(schema)))
    if start == "model" and not keep:
        drawn = draw_responses(objective, codes, np.random.default_rng([*key, 2]))
        if drawn & {schema.names[k] for k in rules.variable}:
            _keep_rules(objective, rules, codes, keep, stream(*key, len(schema) + 1))
    return codes


def _keep_rules(objective: Objective, rules: Rules, codes: Codes, keep: bool, rng: Stream) -> None:
    """Change rows that break an edit rule until they keep all; EmbedError where that does not succeed.

    Values are swapped, which keeps the marginals; where that is not enough, and they need not be kept, redrawn.
    """
    if len(rules.start) == 1:
        return
    variables = np.unique(rules.variable)
    left = swap_until_kept(rules, codes, rng, variables, _MOST_SWAPS)
    if left and not keep:
        draws = draws_of(objective, [objective.marginals[v.name] for v in objective.schema])
        left = redraw_until_kept(rules, draws, codes, rng, variables)
    if left:
        raise EmbedError(
            f"{left:,} of {len(codes):,} rows could not be drawn so that they keep the edit rules.",
            hint="Check that the rules do not contradict each other or the granted marginals.",
        )
