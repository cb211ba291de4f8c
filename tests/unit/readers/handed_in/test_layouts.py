"""Layouts that programs choose by themselves: what is printed without a heading, a blank line or a name is read too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.duration.survfunc import survdiff

from divulge.readers.handed_in.folder import FolderRead, read_folder
from divulge.table import read_table
from tests.support.handed_in import least_squares, people, table


def handed_in(folder: Path, **files: str) -> FolderRead:
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return read_folder(folder, table())


def shown(found: FolderRead) -> list[tuple[str, str, str | None, bool]]:
    return [(r.kind, r.formula or " ".join([*r.variables, *r.by]), r.where, r.confirmed) for _, r in found.readings]


SYNTAX = """FREQUENCIES VARIABLES=town.
SELECT IF (age < 40).
DESCRIPTIVES VARIABLES=wage.
"""


def spss_csv(frame: pd.DataFrame) -> str:
    counts = frame.town.value_counts().sort_index()
    lines = ["Table: town", ",,Frequency,Percent,Valid Percent,Cumulative Percent"]
    for k, (town, n) in enumerate(counts.items()):
        share, so_far = 100 * n / len(frame), 100 * counts.iloc[: k + 1].sum() / len(frame)
        lines.append(f"{'Valid' if k == 0 else ''},{town},{n},{share:.1f}%,{share:.1f}%,{so_far:.1f}%")
    lines += [f"Total,,{len(frame)},100.0%,,", "", "Table: Descriptive Statistics"]
    wage = frame.wage[frame.age < 40]
    lines += [
        ",N,Mean,Std Dev,Minimum,Maximum",
        f"wage,{len(wage)},{wage.mean():.2f},{wage.std():.2f},{wage.min():.2f},{wage.max():.2f}",
        f"Valid N (listwise),{len(wage)},,,,",
        "Missing N (listwise),0,,,,",
        "",
    ]
    return "\n".join(lines)


def test_each_table_of_spss_is_read_under_the_selection_that_was_in_force(tmp_path: Path) -> None:
    found = handed_in(tmp_path, out__csv=spss_csv(people()), syntax__sps=SYNTAX)
    assert shown(found) == [("frequencies", "town", None, True), ("means", "wage", "age < 40", True)]


def test_case_summary_of_spss_is_no_output_and_is_not_left_over(tmp_path: Path) -> None:
    summary = "Table: Case Processing Summary\n,Cases,,,,,\n,Valid,,Missing,,Total,\n,N,Percent,N,Percent,N,Percent\n"
    found = handed_in(tmp_path, out__csv=summary + "wage * town,200,100.0%,0,.0%,200,100.0%\n")
    assert shown(found) == []
    assert found.files[0].left == ()


def test_statistics_by_groups_of_oneway_are_confirmed(tmp_path: Path) -> None:
    rows = ["Table: Descriptives", ",,,,,,95% Confidence Interval for Mean,,,"]
    rows.append(",town,N,Mean,Std. Deviation,Std. Error,Lower Bound,Upper Bound,Minimum,Maximum")
    for k, (town, x) in enumerate(people().groupby("town").wage):
        name = "wage" if k == 0 else ""
        error = x.std() / np.sqrt(len(x))
        low, high = stats.t.interval(0.95, len(x) - 1, x.mean(), error)
        rows.append(
            f"{name},{town},{len(x)},{x.mean():.2f},{x.std():.2f},{error:.2f},{low:.2f},{high:.2f},{x.min():.2f},{x.max():.2f}"
        )
    found = handed_in(tmp_path, out__csv="\n".join(rows) + "\n")
    assert shown(found) == [("means", "wage town", None, True)]


def r_coefficients() -> str:
    coefficients, errors = least_squares(people())
    lines = ["             Estimate Std. Error t value"]
    for name, k in (("(Intercept)", 2), ("age", 0), ("ill", 1)):
        b, s = coefficients[k], errors[k]
        lines.append(f"{name:<12}{b:>10.4f}{s:>11.4f}{b / s:>8.3f}")
    return "\n".join(lines)


def test_coefficients_of_a_model_that_was_never_printed_take_its_formula_from_the_session(tmp_path: Path) -> None:
    text = f"> m <- lm(wage ~ age + ill, data = d)\n> coef(summary(m))\n{r_coefficients()}\n> "
    assert shown(handed_in(tmp_path, out__Rout=text)) == [("linear", "wage ~ age + ill", None, True)]


def test_data_frame_of_two_columns_is_no_crosstab(tmp_path: Path) -> None:
    medians = people().groupby("ill").age.median()
    text = "> aggregate(age ~ ill, data = d, FUN = median)\n  ill  age\n"
    text += "".join(f"{k + 1}   {ill} {age:.1f}\n" for k, (ill, age) in enumerate(medians.items())) + "> "
    assert shown(handed_in(tmp_path, out__Rout=text)) == [("position", "age ill", None, True)]


def test_script_that_prints_without_empty_lines_is_read_table_by_table(tmp_path: Path) -> None:
    frame = people()
    pivot = frame.pivot_table(values="wage", index="town", columns="ill", aggfunc="mean").round(2)
    text = ">>> frame.groupby(['town', 'sex']).size()\n" + str(frame.groupby(["town", "sex"]).size())
    text += f"\n{pivot}\n{frame.wage.quantile([0.1, 0.9])}\n"
    assert shown(handed_in(tmp_path, out__txt=text)) == [
        ("crosstab", "town sex", None, True),
        ("means", "wage town ill", None, True),
        ("position", "wage", None, True),
    ]


@pytest.mark.parametrize("equal", [True, False])
def test_log_rank_test_is_computed_again(tmp_path: Path, equal: bool) -> None:
    frame = people()
    statistic, p = survdiff(frame.age, frame.ill, frame.sex)
    chi = statistic if equal else statistic + 1
    counts = frame.groupby("sex").ill.agg(["size", "sum"])
    text = "> survdiff(Surv(age, ill) ~ sex, data = d)\nCall:\nsurvdiff(formula = Surv(age, ill) ~ sex, data = d)\n\n"
    text += "             N Observed Expected (O-E)^2/E (O-E)^2/V\n"
    expected = {"Female": 0.0, "Male": 0.0}
    for t in frame.age[frame.ill == 1].unique():
        at_risk = frame[frame.age >= t]
        d = int((frame.ill[frame.age == t]).sum())
        for sex in expected:
            expected[sex] += d * (at_risk.sex == sex).mean()
    for sex, (n, events) in counts.iterrows():
        e = expected[sex]
        text += f"sex={sex:<8}{n:>4}{events:>9}{e:>9.1f}{(events - e) ** 2 / e:>10.3f}{statistic:>10.3f}\n"
    text += f"\n Chisq= {chi:.1f}  on 1 degrees of freedom, p= {p:.1g} \n> "
    ((*_, confirmed),) = shown(handed_in(tmp_path, out__Rout=text))
    assert confirmed is equal


def test_na_is_missing_in_texts_where_numbers_of_the_file_have_it(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("sex,age,land\nF,30,NA\nNA,NA,SA\nM,40,NA\n", encoding="utf-8")
    read = read_table(path)
    assert read.schema["sex"].missing == ("NA",)
    assert read.schema["sex"].values.tolist() == ["F", "M"]
    assert read["sex"].tolist() == [0, 2, 1]
    path.write_text("sex,age,land\nF,30,NA\nNA,31,SA\nM,40,NA\n", encoding="utf-8")
    assert read_table(path).schema["sex"].values.tolist() == ["F", "M", "NA"], "no number is missing: NA may be a name"
