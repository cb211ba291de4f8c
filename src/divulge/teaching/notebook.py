"""The notebook that reruns the published analyses on teaching data (nbformat 4.5), and the figures that it checks."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import numpy as np

from divulge.objective import Target
from divulge.table import Schema
from divulge.teaching.recipes import recipe_of

SETUP = """import json

import pandas as pd
import statsmodels.api as sm
import statsmodels.formula.api as smf
{functions}from scipy import stats

{choice}FILE = {file}

# What the variables are: which are categorical, in which order their values come, which values mean "missing".
with open({schema!r}, encoding="utf-8") as dictionary:
    fields = json.load(dictionary)["fields"]


def codes(entries):
    return [entry["value"] if isinstance(entry, dict) else entry for entry in entries]


missing = {{f["name"]: [str(value) for value in codes(f.get("missingValues", [""]))] for f in fields}}
texts = {{f["name"]: str for f in fields if f["type"] == "string"}}
data = pd.read_csv(FILE, keep_default_na=False, na_values=missing, dtype=texts)
levels = {{}}
for f in fields:
    name = f["name"]
    if "categories" in f:
        levels[name] = codes(f["categories"])
        data[name] = pd.Categorical(data[name], categories=levels[name])
    elif "enum" in f["constraints"]:
        levels[name] = f["constraints"]["enum"]
    else:
        least, most, step = f["constraints"]["minimum"], f["constraints"]["maximum"], f.get("step", 1)
        levels[name] = [round(least + step * i, 9) for i in range(round((most - least) / step) + 1)]

published = pd.read_csv({published!r}, keep_default_na=False, dtype={{"published": str}})
agreement = {{}}


def compare(output, found):
    \"\"\"Published figures beside those found here. A figure agrees where it is what was printed, after rounding.\"\"\"
    given = published[published["output"] == output].set_index("figure")
    named = isinstance(found, pd.Series) and set(given.index) <= set(found.index)
    here = found.loc[given.index].astype(float) if named else pd.Series(list(found), index=given.index, dtype=float)
    low = pd.to_numeric(given["low"].replace("", "-inf"))
    high = pd.to_numeric(given["high"].replace("", "inf"))
    slack = 1e-9 * here.abs().clip(lower=1)
    nothing = (low == float("-inf")) & (high == float("inf"))
    agrees = ((here >= low - slack) & (here <= high + slack)) | nothing
    agreement[output] = agrees
    return pd.DataFrame({{"published": given["published"], "here": here, "agrees": agrees}})


data.head()"""

FUNCTIONS = ("ceil", "cos", "exp", "exp2", "expm1", "floor", "log", "log10", "log1p", "log2", "sign", "sin", "sqrt")
"""Functions that a formula may call by their bare names, which Python takes from numpy."""

SUMMARY = """for output, agrees in agreement.items():
    print(f"Output {output}: {int(agrees.sum())} of {len(agrees)} figures as published")"""


def notebook(
    title: str,
    stem: str,
    targets: tuple[Target, ...],
    schema: Schema,
    n_versions: int,
    missed: tuple[int, ...],
) -> dict[str, Any]:
    """The notebook as plain data. missed: how many figures of each output do not come out as printed."""
    choice, file = "", repr(f"{stem}.csv")
    if n_versions > 1:
        choice = f"VERSION = 1  # which of the {n_versions} datasets is yours\n"
        file = f'f"{stem}-{{VERSION}}.csv"'
    called = {f for f in FUNCTIONS for t in targets if re.search(rf"\b{f}\(", str(vars(t.output).get("formula", "")))}
    functions = f"from numpy import {', '.join(sorted(called))}\n" if called else ""
    setup = SETUP.format(
        choice=choice,
        file=file,
        functions=functions,
        schema=f"{stem}.schema.json",
        published=f"{stem}-published.csv",
    )
    cells = [
        _text(
            f"# {title}\n\n**Simulated data: nobody in them exists.** They were made so that the published "
            "figures below come out as they were printed. Everything else in them is made up, so no other finding on "
            "them means anything."
        ),
        _code(setup),
    ]
    for number, target in enumerate(targets, start=1):
        output = target.output
        said = f"## {number}. {output.name or output.kind}\n\n{output.describe()}"
        if missed[number - 1]:
            n = len(target.released.labels)
            said += f"\n\n{missed[number - 1]} of its {n} figures do **not** come out as published in every version."
        lines = recipe_of(target, schema)
        if lines is None:
            cells.append(_text(f"{said}\n\nThere is no code for this output here: compute it by your own means."))
            continue
        cells.append(_text(said))
        cells.append(_code("\n".join([*lines, f"compare({number}, found)"])))
    cells.append(_text("## Do all figures agree?"))
    cells.append(_code(SUMMARY))
    for i, cell in enumerate(cells):
        cell["id"] = f"cell-{i}"
    return {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            "simulated": True,
            "title": title,
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _text(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def _code(source: str) -> dict[str, Any]:
    return {"cell_type": "code", "metadata": {}, "source": source, "execution_count": None, "outputs": []}


def published_csv(targets: tuple[Target, ...]) -> str:
    """Every published figure: which output, its label, as printed, and between which numbers it lies."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["output", "figure", "published", "low", "high"])
    for number, target in enumerate(targets, start=1):
        released = target.released
        shown = released.precision.texts(released.values)
        for i, label in enumerate(released.labels):
            bounds = [repr(float(b)) if np.isfinite(b) else "" for b in (released.low[i], released.high[i])]
            writer.writerow([number, label, shown[i] or "", *bounds])
        if released.se is not None:
            half = released.se_half
            for i, (label, text_) in enumerate(
                zip(released.labels, released.precision_of_se.texts(released.se), strict=True)
            ):
                if text_ is not None:
                    ends = [repr(float(released.se[i] + sign * half[i])) for sign in (-1, 1)]
                    writer.writerow([number, f"{label} (se)", text_, *ends])
    return text.getvalue()
