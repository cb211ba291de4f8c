"""ROOM. Ways to make microdata that reproduces outputs, one per file; none of them is given original data."""

from __future__ import annotations

from divulge.synthesisers.descent.descent import Descent
from divulge.synthesisers.evolutionary.evolutionary import Evolutionary
from divulge.synthesisers.synthesiser import Synthesiser, embed_runs

SYNTHESISERS = (Descent, Evolutionary)
"""Every synthesiser; the first is the default."""

__all__ = ["SYNTHESISERS", "Descent", "Evolutionary", "Synthesiser", "embed_runs"]
