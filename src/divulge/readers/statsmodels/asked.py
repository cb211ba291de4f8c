"""What is said of a result, and which variables its weights and groups are: it holds their values alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from divulge.errors import OutputError


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Names and digits, as `from_statsmodels` takes them. None: as the summary prints them, or as the result says."""

    name: str | None
    where: str | None
    decimals: int | None
    se_decimals: int | None
    statistics: Sequence[str]
    weights: str | None
    groups: str | None
    response: str | None

    def variable(self, which: Literal["weights", "groups"], values: Any, model: Any) -> str:
        """The variable that has these values: the one that was named, else a column of the frame of the formula."""
        named = self.weights if which == "weights" else self.groups
        if named is not None:
            return named
        own, frame = getattr(values, "name", None), getattr(model.data, "frame", None)
        if frame is None and own is not None:
            return str(own)
        if frame is not None:
            if len(values) != len(frame):
                missing = getattr(model.data, "missing_row_idx", None)
                frame = frame.iloc[np.delete(np.arange(len(frame)), [] if missing is None else list(missing))]
            same = _same_groups if which == "groups" else _same_numbers
            for column in sorted(frame.columns, key=lambda c: bool(c != own)):
                if len(values) == len(frame) and same(frame[column], values):
                    return str(column)
        raise OutputError(
            f"the result does not say which variable its {which} are.",
            hint=f"Name it, a column of the frame: divulge.from_statsmodels(result, {which}='…').",
        )


def _same_numbers(column: Any, values: Any) -> bool:
    return column.dtype.kind in "iufb" and bool(np.array_equal(np.asarray(column, float), np.asarray(values, float)))


def _same_groups(column: Any, values: Any) -> bool:
    """Whether both divide the rows into the same groups, whatever these are called."""
    import pandas as pd  # imported where a result was read: it takes longer than most commands

    try:
        return bool(np.array_equal(pd.factorize(column)[0], pd.factorize(np.asarray(values))[0]))
    except TypeError:  # a column of lists has no groups
        return False
