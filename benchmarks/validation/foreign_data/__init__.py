"""Outputs of known truth on data that nobody tuned for, safe and unsafe, each with an attack by hand."""

from benchmarks.validation.foreign_data.case import Foreign
from benchmarks.validation.foreign_data.chains import CHAINS
from benchmarks.validation.foreign_data.models import MODELS
from benchmarks.validation.foreign_data.numbers import NUMBERS
from benchmarks.validation.foreign_data.pairs import PAIRS
from benchmarks.validation.foreign_data.small_groups import SMALL_GROUPS
from benchmarks.validation.foreign_data.tables import TABLES
from benchmarks.validation.foreign_data.tricks import TRICKS

CASES: tuple[Foreign, ...] = (*TABLES, *NUMBERS, *SMALL_GROUPS, *MODELS, *PAIRS, *TRICKS, *CHAINS)
"""Every output of the list."""
