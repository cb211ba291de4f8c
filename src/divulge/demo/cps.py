"""Real people: 50,000 adults of the Current Population Surveys of 1994 and 1995 (see cps_1994_95.txt for the source).

`benchmarks/cps_extract.py` made the file from the published one.
"""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import pyarrow.parquet as pq

from divulge.table import Schema, Table, Variable
from divulge.table.variable import Kind

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

EDUCATION = (
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
        stored = pq.read_table(file)
    variables, columns = [], []
    for name, title in TITLES.items():
        seen = stored.column(name).to_numpy()
        values, codes = np.unique(seen, return_inverse=True)
        if name == "education":
            place = np.array([EDUCATION.index(value) for value in values])
            values, codes = np.array(EDUCATION, dtype=object), place[codes]
        kind: Kind = "numeric" if values.dtype.kind == "i" else "categorical"
        variable = Variable(name, kind, values, title=title, is_ordered=name == "education")
        variables.append(variable)
        columns.append(codes.astype(variable.dtype))
    return Table(Schema(tuple(variables)), tuple(columns))


def attribution() -> str:
    """Where the data come from, under which licence, and what was changed."""
    return files("divulge.demo").joinpath("cps_1994_95.txt").read_text(encoding="utf-8")
