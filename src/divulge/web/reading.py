"""What a reader needs, imported before readers are forked: all kinds of outputs, and the grammar of formulas."""

from __future__ import annotations

import formulaic.parser  # noqa: F401

from divulge.web import intake
from divulge.web.forms import kind_forms

kind_forms()

__all__ = ["intake"]
