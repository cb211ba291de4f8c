"""Files as researchers hand them in, written from a small data set: what each program would print of it."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from divulge.table import Table, table_from_frame


def people() -> pd.DataFrame:
    """Two hundred people whose figures differ from group to group."""
    n = np.arange(200)
    return pd.DataFrame(
        {
            "town": np.array(["Bath", "York", "Ely"])[(n * 7 + n // 9) % 3],
            "sex": np.array(["Female", "Male"])[(n // 3) % 2],
            "ill": ((n * 13) % 10 < 3).astype(int),
            "age": 20 + (n * 17) % 53,
            "wage": (900 + (n * 37) % 811 + 6 * ((n * 17) % 53) - 120 * ((n // 3) % 2)).astype(float),
        }
    )


def table() -> Table:
    return table_from_frame(people())


def stata_log(frame: pd.DataFrame) -> str:
    """Summaries, a crosstab and a regression as Stata prints them."""
    lines = [". summarize age wage", "", "    Variable |        Obs        Mean    Std. dev.       Min        Max"]
    lines.append("-------------+---------------------------------------------------------")
    for name in ("age", "wage"):
        x = frame[name]
        lines.append(f"{name:>12} |{len(x):>11}{x.mean():>12.5f}{x.std():>12.5f}{x.min():>11g}{x.max():>11g}")
    counts = pd.crosstab(frame.town, frame.ill)
    lines += [
        "",
        ". tabulate town ill",
        "",
        "           |          ill",
        "      town |         0          1 |     Total",
    ]
    lines.append("-----------+----------------------+----------")
    for town, row in counts.iterrows():
        lines.append(f"{town:>10} |{row[0]:>10}{row[1]:>11} |{row.sum():>10}")
    lines.append("-----------+----------------------+----------")
    total = counts.sum()
    lines.append(f"{'Total':>10} |{total[0]:>10}{total[1]:>11} |{total.sum():>10}")
    return "\n".join([*lines, "", *regress(frame), ""])


def least_squares(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients and standard errors of wage on age and ill, the constant last."""
    x = np.column_stack([frame.age, frame.ill, np.ones(len(frame))])
    y = frame.wage.to_numpy()
    inverse = np.linalg.inv(x.T @ x)
    b = inverse @ x.T @ y
    residual = y - x @ b
    return b, np.sqrt(np.diag(inverse) * (residual @ residual) / (len(y) - 3))


def regress(frame: pd.DataFrame) -> list[str]:
    b, se = least_squares(frame)
    rule = "-" * 78
    lines = [". regress wage age ill", "", f"{'':48}Number of obs     ={len(frame):>11}", rule]
    lines.append("        wage | Coefficient  Std. err.      t    P>|t|     [95% conf. interval]")
    lines.append("-------------+----------------------------------------------------------------")
    reach = 1.9720790337760637  # of 197 degrees of freedom
    for name, coefficient, error in zip(("age", "ill", "_cons"), b, se, strict=True):
        t = coefficient / error
        ends = coefficient - reach * error, coefficient + reach * error
        lines.append(
            f"{name:>12} | {coefficient:>10.4f} {error:>10.4f} {t:>8.2f} {0.0 if abs(t) > 4 else _p(t):>7.3f}"
            f" {ends[0]:>12.4f} {ends[1]:>11.4f}"
        )
    return [*lines, rule]


def _p(t: float) -> float:
    from scipy.special import stdtr

    return 2 * float(stdtr(197, -abs(t)))


def r_console(frame: pd.DataFrame) -> str:
    """A session in R with its prompts."""
    counts = pd.crosstab(frame.town, frame.sex)
    lines = [
        '> d <- read.csv("people.csv")',
        "> mean(d$age)",
        f"[1] {frame.age.mean():.3f}",
        "> table(d$town, d$sex)",
        "      ",
    ]
    lines.append(f"{'':6}{'Female':>8}{'Male':>6}")
    lines += [f"  {town:<4}{row.iloc[0]:>8}{row.iloc[1]:>6}" for town, row in counts.iterrows()]
    b, se = least_squares(frame)
    lines += ["> summary(lm(wage ~ age + ill, data = d))", "", "Call:", "lm(formula = wage ~ age + ill, data = d)", ""]
    lines += ["Coefficients:", "            Estimate Std. Error t value"]
    for name, i in (("(Intercept)", 2), ("age", 0), ("ill", 1)):
        lines.append(f"{name:<11} {b[i]:>9.3f} {se[i]:>10.4f} {b[i] / se[i]:>7.3f}")
    return "\n".join([*lines, "", "> ", ""])


def gretl_log(frame: pd.DataFrame) -> str:
    """A model and a cross-tabulation of gretl."""
    counts = pd.crosstab(frame.ill, frame.sex == "Male")
    b, se = least_squares(frame)
    lines = ["gretl version 2022c", "? ols wage const age ill", "", "Model 1: OLS, using observations 1-200"]
    lines += ["Dependent variable: wage", "", "             coefficient   std. error   t-ratio   p-value"]
    lines.append("  --------------------------------------------------------")
    for name, i in (("const", 2), ("age", 0), ("ill", 1)):
        lines.append(f"  {name:<9}{b[i]:>12.4f}{se[i]:>12.5f}{b[i] / se[i]:>10.3f}{_p(b[i] / se[i]):>10.4f}")
    del counts
    return "\n".join([*lines, ""])


def spss_box(frame: pd.DataFrame) -> str:
    """A frequency table of PSPP, drawn with lines."""
    counts = frame.town.value_counts().sort_index()
    rule = "+-----------+---------+-------+-------------+------------------+"
    lines = ["                              town", rule]
    lines.append("|           |Frequency|Percent|Valid Percent|Cumulative Percent|")
    lines.append(rule)
    cumulated = 0
    for i, (town, count) in enumerate(counts.items()):
        cumulated += count
        share = f"{100 * count / 200:.1f}%"
        stub = f"{'Valid' if i == 0 else '':<6}{town:<5}"
        lines.append(f"|{stub}|{count:>9}|{share:>7}|{share:>13}|{100 * cumulated / 200:>17.1f}%|")
    return "\n".join([*lines, rule, f"|Total      |{200:>9}| 100.0%|             |                  |", rule, ""])


def statsmodels_text(frame: pd.DataFrame) -> str:
    """A summary of statsmodels, by statsmodels itself."""
    import statsmodels.formula.api as smf

    return f">>> print(m.summary())\n{smf.ols('wage ~ age + ill', frame).fit().summary()}\n"


def lifelines_text() -> str:
    """A summary of lifelines; its figures are of no data."""
    return """<lifelines.CoxPHFitter: fitted with 200 total observations, 140 right-censored observations>
             duration col = 'age'
                event col = 'ill'
   number of observations = 200
---
           coef exp(coef)  se(coef)  coef lower 95%  coef upper 95%
covariate
wage      0.012     1.012     0.004           0.004           0.020
---
Concordance = 0.610
"""


def markdown_table(frame: pd.DataFrame) -> str:
    """A table of means by group, in Markdown."""
    rows = [f"| {g} | {len(x)} | {x.mean():.2f} | {x.std():.2f} |" for g, x in frame.groupby("town").wage]
    return "\n".join(["Wages", "", "| town | N | Mean | SD |", "|:--|--:|--:|--:|", *rows, ""])


def scipy_text() -> str:
    """A t-test of SciPy: the statement, and what it gives back."""
    frame = people()
    result = stats.ttest_ind(frame.wage[frame.sex == "Female"], frame.wage[frame.sex == "Male"])
    return f">>> stats.ttest_ind(df.wage[df.sex == 'Female'], df.wage[df.sex == 'Male'])\n{result!r}\n"


TEXTS = {
    "stata": lambda: stata_log(people()),
    "r": lambda: r_console(people()),
    "gretl": lambda: gretl_log(people()),
    "spss": lambda: spss_box(people()),
    "statsmodels": lambda: statsmodels_text(people()),
    "lifelines": lifelines_text,
    "tables": lambda: markdown_table(people()),
    "console": lambda: people().groupby("town").wage.describe().round(2).to_string() + "\n",
    "pandas": lambda: f"{people().town.value_counts()}\n>>> df.age.mean()\n{people().age.mean()}\n",
    "scipy": scipy_text,
    "prose": lambda: f"N = 200. The mean age was {people().age.mean():.2f} (SD {people().age.std():.2f}).\n",
}
"""For each program of the room, a file as it writes one."""


def workbook(path: Path, cells: dict[str, str | float], state: str = "visible") -> Path:
    """An Excel file with one sheet, written part by part."""
    rows: dict[int, list[str]] = {}
    for place, value in cells.items():
        number = int("".join(c for c in place if c.isdigit()))
        if isinstance(value, str):
            cell = f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'
        else:
            cell = f'<c r="{place}"><v>{value}</v></c>'
        rows.setdefault(number, []).append(cell)
    inner = "".join(f'<row r="{r}">{"".join(c)}</row>' for r, c in sorted(rows.items()))
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    relation = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook {space} {relation}><sheets><sheet name="Table" sheetId="1" state="{state}" r:id="rId1"/>'
            "</sheets></workbook>",
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            '<Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>',
        )
        archive.writestr("xl/worksheets/sheet1.xml", f"<worksheet {space}><sheetData>{inner}</sheetData></worksheet>")
    return path


def document(path: Path, body: str) -> Path:
    """A Word file with the given body."""
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", f"<w:document {space}><w:body>{body}</w:body></w:document>")
    return path


def word_table(rows: list[list[str]]) -> str:
    """A table of a Word file."""
    cells = ["".join(f"<w:tc><w:p><w:r><w:t>{c}</w:t></w:r></w:p></w:tc>" for c in row) for row in rows]
    return "<w:tbl>" + "".join(f"<w:tr>{c}</w:tr>" for c in cells) + "</w:tbl>"
