"""Real people: 50,000 adults of the Current Population Surveys of 1994 and 1995 (see cps_1994_95.txt for the source).

`benchmarks/cps_extract.py` made the file from the published one.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from divulge.kernels.arrays import Integers
from divulge.table import Schema, Table, Variable

TITLES = {
    "age": "Age in years",
    "sex": "Sex",
    "race": "Race",
    "hispanic_origin": "Hispanic origin",
    "education": "Highest education",
    "marital_status": "Marital status",
    "hh_summary": "Place in the household",
    "class_of_worker": "Class of worker",
    "major_industry": "Industry, major groups",
    "major_occupation": "Occupation, major groups",
    "full_part_time": "Full-time or part-time employment",
    "citizenship": "Citizenship",
    "wage_per_hour": "Wage per hour in cents (0: not paid by the hour, or not in the universe)",
    "weeks_worked": "Weeks worked in the year",
    "income": "Total income, below or above 50,000 dollars",
    "split": "Part of the published file",
}
"""What each variable is, in the order of the columns."""

_EDUCATION = (
    "Less than 1st grade",
    "1st 2nd 3rd or 4th grade",
    "5th or 6th grade",
    "7th and 8th grade",
    "9th grade",
    "10th grade",
    "11th grade",
    "12th grade no diploma",
    "High school graduate",
    "Some college but no degree",
    "Associates degree-occup /vocational",
    "Associates degree-academic program",
    "Bachelors degree(BA AB BS)",
    "Masters degree(MA MS MEng MEd MSW MBA)",
    "Prof school degree (MD DDS DVM LLB JD)",
    "Doctorate degree(PhD EdD)",
)
"""The one variable whose categories have an order; the others are listed by the alphabet."""


def cps_extract() -> Table:
    """50,000 adults × 16 variables. "NA", "Do not know" and "Not in universe" are answers like any other."""
    with files("divulge.demo").joinpath("cps_1994_95.parquet").open("rb") as file:
        stored = pq.ParquetFile(file).read()
    variables, columns = [], []
    for name, title in TITLES.items():
        variable, codes = _coded(name, title, stored.column(name).combine_chunks())
        variables.append(variable)
        columns.append(codes.astype(variable.dtype))
    return Table(Schema(tuple(variables)), tuple(columns))


def _coded(name: str, title: str, column: Any) -> tuple[Variable, Integers]:
    # from_dlpack, since pyarrow's own to_numpy imports pandas, which takes longer than all the rest.
    if hasattr(column, "dictionary"):
        stored = column.dictionary.to_pylist()
        values = _EDUCATION if name == "education" else sorted(stored)
        place = np.array([values.index(value) for value in stored])
        listed = np.array(values, dtype=object)
        variable = Variable(name, "categorical", listed, title=title, is_ordered=name == "education")
        return variable, place[np.from_dlpack(column.indices)]
    numbers, codes = np.unique(np.from_dlpack(column), return_inverse=True)
    return Variable(name, "numeric", numbers, title=title), codes


def attribution() -> str:
    """Where the data come from, under which licence, and what was changed."""
    return files("divulge.demo").joinpath("cps_1994_95.txt").read_text(encoding="utf-8")
