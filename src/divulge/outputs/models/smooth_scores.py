"""Scores that are no sum of the kernels' functions of η, as sums that are nearly: within some thousandths of them.

Good enough for derivatives; residuals are always those of the fit itself.
"""

from __future__ import annotations

import numpy as np

from divulge.kernels.arrays import Floats, Mask
from divulge.outputs.models.pieces import Piece

GRID = np.linspace(-6.0, 6.0, 121)
"""Predictors at which the score is matched: beyond them a probability is below 1e-9."""

_SCALE, _CENTRES = 1.2, (-3.0, -1.0, 1.0, 3.0)
"""Steepness and places of log(1 + e^…): with a line they give Mills' ratio within 0.003 on the grid."""


def nearly(name: str, targets: Floats, centre: float = 0.0, parameter: int = -1) -> tuple[Piece, ...]:
    """Pieces that sum to a function of η for every code of a variable. targets: (codes, grid), NaN: takes no part.

    centre: the predictor about which the grid lies.
    """
    columns = [np.ones_like(GRID), GRID, *(np.log1p(np.exp(-_SCALE * (GRID - c))) for c in _CENTRES)]
    basis = np.stack(columns, axis=1)
    # Most predictors lie near the centre; a thousandth of the weight is left at the ends.
    weight = np.exp(-((GRID / 2.0) ** 2) / 2.0) / np.sqrt(2.0 * np.pi) / 2.0 + 1e-3
    known: Mask = np.asarray(np.isfinite(targets).all(axis=1))
    wanted = np.where(known[:, None], targets, 0.0).T
    found = np.linalg.lstsq(basis * weight[:, None], wanted * weight[:, None], rcond=None)[0]
    factors = [{name: np.where(known, row, np.nan)} for row in found]
    # The line is in η − centre.
    factors[0] = {name: factors[0][name] - centre * factors[1][name]}
    kept = [Piece("one", factors[0], parameter=parameter), Piece("eta", factors[1], parameter=parameter)]
    for c, factor in zip(_CENTRES, factors[2:], strict=True):
        shift = {name: np.full(len(known), _SCALE * (c + centre))}
        kept.append(Piece("softplus", factor, -_SCALE, shift, parameter))
    return tuple(kept)
