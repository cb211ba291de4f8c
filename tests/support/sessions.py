"""More that programs print of the people of `handed_in`: layouts of their own, and sessions that make variables."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from tests.support.handed_in import least_squares, people


def r_session() -> str:
    """A frame with fewer rows, intervals by cut(), a flat table, a model with a comparison as response."""
    frame = people()
    old = frame[frame.age >= 40]
    bands = pd.cut(frame.age, [0, 40, 60, 100], right=False)
    lines = [
        '> d <- read.csv("people.csv")',
        "> old <- subset(d, age >= 40 & !is.na(wage))",
        "> table(old$town, old$sex)",
    ]
    lines += [f"{'':8}", f"{'':6}{'Female':>8}{'Male':>6}"]
    for town, row in pd.crosstab(old.town, old.sex).iterrows():
        lines.append(f"  {town:<4}{row.iloc[0]:>8}{row.iloc[1]:>6}")
    lines += ["> d$band <- cut(d$age, breaks = c(0, 40, 60, 100), right = FALSE)", "> table(d$band, d$ill)", ""]
    lines += [f"{'':10}", f"{'':10}{0:>5}{1:>5}"]
    counts = pd.crosstab(bands, frame.ill).to_numpy()
    for label, row in zip(("[0,40)", "[40,60)", "[60,100)"), counts, strict=True):
        lines.append(f"  {label:<8}{row[0]:>5}{row[1]:>5}")
    lines += ["> ftable(ill ~ town + sex, data = d)", f"{'':12}ill{0:>4}{1:>4}", f"{'town':<5}{'sex':<15}"]
    crossed = pd.crosstab([frame.town, frame.sex], frame.ill)
    for k, ((town, sex), row) in enumerate(crossed.iterrows()):  # type: ignore[misc]  # an index of two
        lines.append(f"{town if k % 2 == 0 else '':<5}{sex:<10}{row[0]:>4}{row[1]:>4}")
    return "\n".join([*lines, "> ", ""])


def stata_session() -> str:
    """Summaries by groups and in detail, tabstat in stacks, the table of Stata 17, a variable that recode makes."""
    frame = people()
    lines = [". bysort sex: summarize wage"]
    for sex, part in frame.groupby("sex"):
        lines += ["", "-" * 60, f"-> sex = {sex}", ""]
        lines += ["    Variable |        Obs        Mean    Std. dev.       Min        Max", f"{'-' * 13}+{'-' * 57}"]
        x = part.wage
        lines.append(f"{'wage':>12} |{len(x):>11}{x.mean():>12.5f}{x.std():>12.5f}{x.min():>11g}{x.max():>11g}")
    lines += ["", ". summarize age, detail", "", f"{'':28}age", "-" * 61, "      Percentiles      Smallest"]
    x = np.sort(frame.age.to_numpy())
    at = {p: float(np.quantile(x, p / 100, method="averaged_inverted_cdf")) for p in (1, 5, 10, 25, 50, 75, 90, 95, 99)}
    places = {1: x[0], 5: x[1], 10: x[2], 25: x[3], 75: x[-4], 90: x[-3], 95: x[-2], 99: x[-1]}
    beside = {10: f"Obs{len(x):>20}", 50: f"Mean{x.mean():>19.5f}", 90: f"Variance{x.var(ddof=1):>15.4f}"}
    for p, value in at.items():
        lines.append(f"{p:>2}%{value:>12g}{places.get(p, ''):>15}       {beside.get(p, '')}".rstrip())
    lines += ["", ". tabstat age wage, by(town) s(mean sd)", "", "Summary statistics: Mean, SD", "Group variable: town"]
    lines += ["", "    town |       age      wage", "---------+--------------------"]
    for town, part in frame.groupby("town"):
        lines.append(f"{town:>8} |{part.age.mean():>10.4f}{part.wage.mean():>10.3f}")
        lines += [f"{'':>8} |{part.age.std():>10.4f}{part.wage.std():>10.3f}", "---------+--------------------"]
    counts = pd.crosstab(frame.town, frame.sex)
    lines += [
        "",
        ". table town sex",
        "",
        "-" * 34,
        f"{'':9}|{'sex':^24}",
        f"{'':9}|{'Female':>8}{'Male':>8}{'Total':>8}",
    ]
    lines += [f"{'-' * 9}+{'-' * 24}", f"{'town':<9}|"]
    for town, row in counts.iterrows():
        lines.append(f"  {town:<7}|{row.iloc[0]:>8}{row.iloc[1]:>8}{row.sum():>8}")
    lines += ["-" * 34, "", '. recode age (min/39=1 "young") (40/max=2 "old"), gen(group)', "", ". tab group ill", ""]
    bands = pd.crosstab(frame.age >= 40, frame.ill)
    lines += [
        "           |          ill",
        "     group |         0          1 |     Total",
        f"{'-' * 11}+{'-' * 22}+{'-' * 10}",
    ]
    for label, row in zip(("young", "old"), bands.to_numpy(), strict=True):
        lines.append(f"{label:>10} |{row[0]:>10}{row[1]:>11} |{row.sum():>10}")
    return "\n".join([*lines, "", ". exit", ""])


def gretl_session() -> str:
    """Frequencies, a summary by groups, a cross-tabulation by rows."""
    frame = people()
    lines = ["gretl version 2022c", "? freq ill", "", "Frequency distribution for ill, obs 1-200", ""]
    lines += ["          frequency    rel.     cum.", ""]
    counts = frame.ill.value_counts().sort_index()
    for value, n, upto in zip(counts.index, counts, counts.cumsum(), strict=True):
        lines.append(f"{value:>4}{n:>12}{n / 2:>10.2f}%{upto / 2:>8.2f}% ****")
    lines += ["", "? summary wage --by=ill", "", "Summary statistics for wage, by value of ill", ""]
    for value, part in frame.groupby("ill"):
        lines += [f"  ill = {value} (n = {len(part)}):", f"    Mean{part.wage.mean():>30.2f}"]
        lines += [f"    Median{part.wage.median():>28.2f}", f"    Standard deviation{part.wage.std():>16.3f}", ""]
    return "\n".join([*lines, ""])


def pspp_boxes() -> str:
    """A header that goes over several lines, and the statistics above frequencies."""
    frame = people()
    lines = ["      Statistics", "+---------+-------+", "|         |  age  |", "+---------+-------+"]
    lines += [f"|N Valid  |{len(frame):>7}|", "|  Missing|      0|", "+---------+-------+"]
    lines += [f"|Mean     |{frame.age.mean():>7.2f}|", "+---------+-------+", ""]
    lines += ["              Descriptives", "+---------+---+---------+---------+"]
    lines += ["|         |   |         |   Std.  |", "|     town| N |   Mean  |Deviation|"]
    lines.append("+---------+---+---------+---------+")
    for k, (town, part) in enumerate(frame.groupby("town")):
        name = "wage" if k == 0 else ""
        lines.append(f"|{name:<5}{town:<4}|{len(part):>3}|{part.wage.mean():>9.2f}|{part.wage.std():>9.2f}|")
    return "\n".join([*lines, "+---------+---+---------+---------+", ""])


def pandas_session() -> str:
    """A statistic by groups, and columns by two variables."""
    frame = people()
    lines = [">>> df.groupby('town')['wage'].median()", str(frame.groupby("town")["wage"].median())]
    lines += [
        ">>> pd.crosstab(df['town'], [df['sex'], df['ill']])",
        str(pd.crosstab(frame.town, [frame.sex, frame.ill])),
    ]
    return "\n".join([*lines, ""])


def r_tibbles() -> str:
    """A tibble with the types of its columns, and a table of three variables slice by slice."""
    frame = people()
    lines = ["> d %>% group_by(town) %>% summarise(n = n(), mean = mean(wage))", "# A tibble: 3 × 3"]
    lines += ["  town      n    mean", "  <chr> <int>   <dbl>"]
    for k, (town, part) in enumerate(frame.groupby("town")):
        lines.append(f"{k + 1} {town:<5} {len(part):>5} {part.wage.mean():>7.1f}")
    lines.append("> table(d$town, d$sex, d$ill)")
    for ill, part in frame.groupby("ill"):
        lines += [f", ,  = {ill}", "", f"{'':6}", f"{'':6}{'Female':>8}{'Male':>6}"]
        for town, row in pd.crosstab(part.town, part.sex).iterrows():
            lines.append(f"  {town:<4}{row.iloc[0]:>8}{row.iloc[1]:>6}")
        lines.append("")
    return "\n".join([*lines, "> ", ""])


def side_by_side() -> str:
    """A model between rules with t statistics in brackets, as esttab prints it."""
    b, se = least_squares(people())
    lines = ["-" * 28, f"{'':12}{'(1)':>12}", f"{'':12}{'wage':>12}", "-" * 28]
    for name, coefficient, error in zip(("age", "ill", "_cons"), b, se, strict=True):
        lines += [f"{name:<12}{coefficient:>12.4f}", f"{'':12}{f'({coefficient / error:.2f})':>12}", ""]
    return "\n".join([*lines, "-" * 28, f"{'N':<12}{200:>12}", "-" * 28, ""])


LAYOUTS: dict[str, Callable[[], str]] = {
    "r session": r_session,
    "r tibbles": r_tibbles,
    "side by side": side_by_side,
    "stata session": stata_session,
    "gretl session": gretl_session,
    "pspp boxes": pspp_boxes,
    "pandas session": pandas_session,
}
"""A file for each, beside those of TEXTS."""
