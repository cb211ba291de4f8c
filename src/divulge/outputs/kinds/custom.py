"""Custom: a Python function of the user's own, from a data frame to numbers. It computes, and does not lower.

Code named in a spec is never imported unless the user allows it outside the spec (`--allow-code`, `allow_code=True`).
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from divulge.errors import OutputError
from divulge.outputs.figures import Figures, Status
from divulge.outputs.lowering.lowered import Lowered
from divulge.outputs.lowering.rows import counted
from divulge.outputs.output import Example, Growth, Output
from divulge.outputs.released.precision import Released
from divulge.outputs.statbarn import Statbarn
from divulge.table import Schema, Table

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class Custom(Output):
    """What your own function returns: a number, a mapping of labels to numbers, or a pandas Series.

    The function is given a data frame of the rows for which `where` is true, with missing values as NaN. Only its
    author knows what it computes, so it is held to belong to an unsafe group.
    """

    kind: ClassVar[str] = "custom"
    statbarn: ClassVar[Statbarn] = Statbarn.AGGREGATES
    can_lower: ClassVar[bool] = False
    why_not: ClassVar[str] = (
        "A Python function cannot be turned into a sum over rows, so it is computed anew for every candidate."
    )
    takes_weights: ClassVar[bool] = False
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "The mean age of renters less that of owners",
            {"function": "divulge_example.py:age_gap", "variables": ["AGE", "TENURE"], "figures": ["gap"]},
            code=(
                "def age_gap(people):\n"
                '    means = people.groupby("TENURE")["AGE"].mean()\n'
                '    return {"gap": means["1"] - means["0"]}\n'
            ),
        ),
    )

    function: Annotated[str, "Where it is: `module:function`, or `file.py:function` beside the spec."]
    variables: Annotated[tuple[str, ...], "The variables that it looks at; none: all of them."] = ()
    figures: Annotated[tuple[str, ...], "The labels of the numbers that it returns."] = ()
    folder: Path | None = field(default=None, metadata={"spec": False})
    is_allowed: bool = field(default=False, metadata={"spec": False})

    def __post_init__(self) -> None:
        super().__post_init__()
        module, colon, name = self.function.rpartition(":")
        if not colon or not module or not name.isidentifier():
            raise OutputError(
                f"{self.function!r} names no function.",
                where="function",
                hint="Write module:function, or file.py:function.",
            )
        if len(set(self.figures)) != len(self.figures):
            raise OutputError("a figure is named twice.", where="figures")

    def allowed(self, folder: Path | None = None) -> Custom:
        """The same output, whose code may run. folder: where relative file names start."""
        return replace(self, is_allowed=True, folder=folder)

    @property
    def growth(self) -> Growth:
        return "neither"

    def own_variables(self) -> tuple[str, ...]:
        return self.variables

    def labels(self, schema: Schema) -> tuple[str, ...]:
        del schema
        if self.figures:
            return self.figures
        if isinstance(self.released, Mapping):
            return tuple(str(label) for label in self.released)
        raise OutputError(
            "the labels of the function's numbers are needed.", where="figures", hint="For example figures: [gap]."
        )

    def describe(self) -> str:
        return f"What {self.function} returns" + (f", where {self.where}" if self.where else "") + "."

    def evaluate(self, table: Table) -> Figures:
        if not self.is_allowed:
            raise OutputError(
                f"the spec asks to run code ({self.function}), which has not been allowed.",
                where="function",
                hint="Read the code. If you trust it, say --allow-code.",
            )
        function = _load(self.function, self.folder)
        rows = table.take(counted(self, table))
        names = self.variables or table.names
        try:
            found = _numbers(function(rows.select(names).to_pandas()))
        except Exception:
            # What the function says may hold values of rows, so its message goes nowhere.
            known = self.figures or tuple(self.released if isinstance(self.released, Mapping) else ())
            status = Status.FAILED if len(rows) else Status.EMPTY
            return Figures(tuple(map(str, known)), np.full(len(known), np.nan), status)
        if self.figures:
            values = np.array([found.get(label, np.nan) for label in self.figures])
            return Figures(self.figures, values, Status.OK if np.isfinite(values).all() else Status.FAILED)
        values = np.array(list(found.values()), dtype=float)
        return Figures(tuple(found), values, Status.OK if np.isfinite(values).all() else Status.FAILED)

    def lower(self, schema: Schema, released: Released) -> Lowered:
        raise OutputError(f"kind {self.kind!r} does not lower. {self.why_not}")


def _numbers(result: Any) -> dict[str, float]:
    import pandas as pd  # imported where it is used: it takes longer than most commands

    if isinstance(result, pd.Series):
        return {str(label): float(value) for label, value in result.items()}
    if isinstance(result, Mapping):
        return {str(label): float(value) for label, value in result.items()}
    return {"value": float(result)}


@cache
def _load(reference: str, folder: Path | None) -> Callable[[pd.DataFrame], Any]:
    """The function that `module:function` or `file.py:function` names. Runs the module's code."""
    module_name, _, name = reference.rpartition(":")
    try:
        if module_name.endswith(".py"):
            path = Path(module_name) if folder is None else folder / module_name
            described = importlib.util.spec_from_file_location(path.stem, path)
            assert described is not None, "a name that ends in .py has a loader"
            assert described.loader is not None
            module = importlib.util.module_from_spec(described)
            described.loader.exec_module(module)
        else:
            module = importlib.import_module(module_name)
        function = getattr(module, name)
    except (ImportError, OSError, SyntaxError) as error:
        raise OutputError(
            f"cannot import {module_name!r}: {type(error).__name__}.",
            where="function",
            hint="Is it beside the spec, or installed? Does it import by itself?",
        ) from None
    except AttributeError:
        raise OutputError(f"{module_name!r} has no function {name!r}.", where="function") from None
    if not callable(function):
        raise OutputError(f"{reference!r} is no function.", where="function")
    return function
