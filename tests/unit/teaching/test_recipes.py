"""The code that students are given computes what was published, for every kind that has code, by pandas and others."""

from __future__ import annotations

import ast
import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from divulge.demo import DEMOS
from divulge.objective import Target
from divulge.outputs import OUTPUTS, Example, Output
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.kinds.frequencies import Frequencies
from divulge.outputs.kinds.linear import Linear
from divulge.outputs.kinds.logistic import Logistic
from divulge.outputs.kinds.means import Means
from divulge.record import dumps, write_text
from divulge.table import Condition, Table, write_table
from divulge.table.frictionless import format_schema
from divulge.teaching.notebook import notebook, published_csv
from divulge.teaching.recipes import _condition_code, recipe_of

WITHOUT = (
    "mode",
    "herfindahl",
    "gini",
    "ratios",
    "survival",
    "custom",
    "microdata",
    "tree",
    "regression-tree",
    "cloglog",
    "ordered-logit",
    "ordered-probit",
    "fixed-effects",
    "random-intercept",
    "random-slope",
    "two-stage",
    "cox",
    "weibull",
    "zero-inflated",
)
"""Kinds that have no recipe at all: no program of the class computes them in a line or two."""

CASES = [(kind, example) for kind in OUTPUTS for example in kind.examples]


@cache
def people(name: str) -> Table:
    """Fifteen hundred rows of a demo: enough that no model is separated."""
    table = next(d for d in DEMOS if d.name == name).make()
    return table.take(slice(0, 1500))


def target_of(output: Output, table: Table) -> Target:
    return Target(output, output.publish(output.evaluate(table), table.schema))


def rerun(targets: list[Target], table: Table, folder: Path) -> dict[int, Any]:
    """Write the files that a class gets, run the notebook's code here, and give what agreed, output by output."""
    write_table(table, folder / "x.csv")
    write_text(folder / "x.schema.json", dumps(format_schema(table.schema)))
    write_text(folder / "x-published.csv", published_csv(tuple(targets)))
    book = notebook("Test", "x", tuple(targets), table.schema, 1, (0,) * len(targets))
    namespace: dict[str, Any] = {}
    before = Path.cwd()
    os.chdir(folder)
    try:
        for cell in book["cells"]:
            if cell["cell_type"] == "code":
                exec(compile(cell["source"], "notebook", "exec"), namespace)
    finally:
        os.chdir(before)
    return dict(namespace["agreement"])


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "example"), CASES, ids=lambda c: getattr(c, "kind", getattr(c, "title", "")))
def test_code_finds_the_published_figures(kind: type[Output], example: Example, tmp_path: Path) -> None:
    table = people(example.data)
    if kind.kind in WITHOUT:
        assert kind(**example.fields).recipe(table.schema) is None, "take it out of WITHOUT"
        return
    target = target_of(kind(**example.fields), table)
    if recipe_of(target, table.schema) is None:
        assert target.output.weights or kind.kind in ("shape", "multinomial"), "only awkward outputs go without code"
        return
    agreed = rerun([target], table, tmp_path)[1]
    assert agreed.all(), agreed[~agreed]
    assert len(agreed) >= len(target.released.labels)


def test_code_finds_no_figures_that_are_not_there(tmp_path: Path) -> None:
    table = people("census")
    right = target_of(Crosstab(variables=("SEX", "TENURE")), table)
    wrong = Target(right.output, right.output.publish(_shifted(right, table), table.schema))
    agreed = rerun([wrong], table, tmp_path)[1]
    assert agreed.tolist() == [False, True, True, True]


def _shifted(target: Target, table: Table) -> Any:
    figures = target.output.evaluate(table)
    figures.values[0] += 1
    return figures


def test_several_outputs_are_rerun_one_after_the_other(tmp_path: Path) -> None:
    table = people("census")
    outputs: list[Output] = [
        Frequencies(variables=("SEX", "AGE"), where="AGE >= 40 and not SEX = 1"),
        Crosstab(variables=("AREAP", "LTILL"), statistic="row percentages"),
        Means(variables=("AGE",), by=("SEX",), where="AGE < 90 or LTILL = Yes"),
        Logistic(formula="TENURE ~ AGE + C(AREAP, Treatment(57)) + SEX", statistics=("se",)),
        Linear(formula="log(AGE) ~ SEX*LTILL", where="AGE >= 16"),
    ]
    agreed = rerun([target_of(o, table) for o in outputs], table, tmp_path)
    assert list(agreed) == [1, 2, 3, 4, 5]
    assert all(a.all() for a in agreed.values())


@pytest.mark.parametrize(
    "text",
    [
        "AGE >= 18",
        "AGE < 18",
        "AGE >= 18 and AGE < 65",
        "not (AGE >= 18 or SEX = 2)",
        "AREAP in (57, 58)",
        "AGE = 40",
        "not AREAP = 57 and (LTILL = Yes or AGE > 90)",
    ],
)
def test_condition_selects_the_same_rows_in_pandas(text: str) -> None:
    table = people("census")
    code = _condition_code(text, table.schema)
    ast.parse(code)
    data = table.to_pandas()
    for variable in table.schema:
        if variable.kind == "categorical":
            data[variable.name] = np.array(variable.values.tolist(), dtype=object)[table[variable.name]]
    chosen = eval(code, {"data": data})
    assert chosen.tolist() == Condition.parse(text, table.schema).selects(table).tolist()
    assert chosen.any()


def test_kind_without_code_says_so() -> None:
    table = people("census")
    kind = next(k for k in OUTPUTS if k.kind == "gini")
    target = target_of(kind(variables=("AGE",)), table)  # type: ignore[call-arg]
    book = notebook("Test", "x", (target,), table.schema, 1, (0,))
    assert any("There is no code for this output here" in cell["source"] for cell in book["cells"])
