"""What R prints is read by the session around it: chunks of knitr, pipes into a model, vectors, rows without gaps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from statsmodels.api import OLS
from statsmodels.discrete.discrete_model import MNLogit
from statsmodels.miscmodels.ordinal_model import OrderedModel

from divulge.readers.handed_in.folder import FileRead, read_folder
from divulge.readers.handed_in.matching.reading import Reading
from divulge.table import table_from_frame
from tests.support.handed_in import least_squares, people


def read(folder: Path, text: str, name: str = "out.Rout", frame: pd.DataFrame | None = None) -> FileRead:
    (folder / name).write_text(text, encoding="utf-8")
    (found,) = read_folder(folder, table_from_frame(people() if frame is None else frame)).files
    return found


def coefficients(frame: pd.DataFrame) -> str:
    beta, errors = least_squares(frame)
    rows = zip(["age", "ill", "(Intercept)"], beta, errors, strict=True)
    lines = [f"{n:<12}{b:>12.4f}{s:>12.4f}{b / s:>9.3f}" for n, b, s in rows]
    return "\n".join(["            Estimate  Std. Error  t value", lines[2], *lines[:2]])


def only(found: FileRead) -> Reading:
    (reading,) = found.readings
    return reading


@pytest.mark.parametrize("mark", ["## ", "#> "])
def test_a_report_of_knitr_is_the_session_that_it_was(mark: str, tmp_path: Path) -> None:
    shown = coefficients(people()[people().age > 40]).splitlines()
    model = "m <- lm(wage ~\n    age + ill, data = d)\nround(coef(summary(m)), 4)"
    code = f"d <- subset(people, age > 40)\n```\n\n```r\n{model}"
    printed = "\n".join(mark + t for t in shown)
    reading = only(read(tmp_path, f"# Wages\n\n```r\n{code}\n```\n\n```\n{printed}\n```\n\nMore soon.\n", "out.md"))
    assert (reading.kind, reading.formula, reading.where) == ("linear", "wage ~ age + ill", "age > 40")
    assert reading.confirmed


def test_prose_below_a_chunk_was_printed_by_no_statement(tmp_path: Path) -> None:
    text = "```r\nmean(d$wage)\n```\n\n[1] 3\n"
    assert read(tmp_path, text, "out.md").readings == ()


def test_a_model_behind_a_pipe_is_of_the_rows_that_the_pipe_keeps(tmp_path: Path) -> None:
    d = people()[people().town == "Ely"]
    command = 'd %>% dplyr::filter(town == "Ely") %>% lm(wage ~ age + ill, data = .) %>% summary() %>% coef()'
    reading = only(read(tmp_path, f'> d <- read.csv("people.csv")\n> {command}\n{coefficients(d)}\n> \n'))
    assert reading.where == 'town == "Ely"'
    assert reading.confirmed


@pytest.mark.parametrize(
    ("command", "figures"),
    [
        ("c(mean(d$wage), sd(d$wage))", lambda x: [x.mean(), x.std()]),
        ("range(d$wage)", lambda x: [x.min(), x.max()]),
        ("round(fivenum(d$wage), 1)", lambda x: [x.min(), 1.5, x.median(), 2.5, x.max()]),
        ("with(d, c(median(wage), max(wage)))", lambda x: [x.median(), x.max()]),
    ],
)
@pytest.mark.parametrize("wrong", [False, True])
def test_numbers_without_names_are_what_the_statement_says(command: str, figures, wrong: bool, tmp_path: Path) -> None:
    shown = figures(people().wage)
    shown[0] += wrong
    values = " ".join(f"{v:.4f}" for v in shown)
    reading = only(read(tmp_path, f"> d <- read.csv('people.csv')\n> {command}\n[1] {values}\n> \n"))
    assert reading.variables == ("wage",)
    assert reading.confirmed is not wrong


def test_numbers_that_are_not_understood_are_listed(tmp_path: Path) -> None:
    found = read(tmp_path, "> d <- read.csv('people.csv')\n> c(mean(d$wage), odd(d$age))\n[1] 1289.1 33.5\n> \n")
    assert found.readings == ()
    assert found.left


@pytest.mark.parametrize("command", ["na.omit(d)", "d[complete.cases(d), ]", "d |> tidyr::drop_na()"])
def test_rows_with_gaps_are_left_out(command: str, tmp_path: Path) -> None:
    d = people()
    d["score"] = np.where(np.arange(len(d)) % 7 == 3, np.nan, d.age * 2.0)
    counts = d.dropna().town.value_counts().sort_index()
    shown = "".join(f"{t:>6}" for t in counts.index) + "\n" + "".join(f"{n:>6}" for n in counts)
    text = f'> d <- read.csv("people.csv")\n> d <- {command}\n> table(d$town)\n\n{shown}\n> \n'
    reading = only(read(tmp_path, text, frame=d))
    assert reading.confirmed
    assert reading.where == "score is not missing"


def test_a_margin_of_rounded_percentages_is_their_sum(tmp_path: Path) -> None:
    d = people()
    shares = (100 * pd.crosstab(d.town, d.sex, normalize=True)).round(1)
    shares["Sum"] = shares.sum(axis=1)
    shares.loc["Sum"] = shares.sum()
    lines = [f"{t:<6}" + "".join(f"{v:>8.1f}" for v in row) for t, row in shares.iterrows()]
    table = "\n".join(["town    Female    Male     Sum", *lines])
    command = "addmargins(round(100 * prop.table(table(d$town, d$sex)), 1))"
    reading = only(read(tmp_path, f"> d <- read.csv('people.csv')\n> {command}\n{table}\n> \n"))
    assert reading.disagreeing == ()
    assert reading.confirmed


@pytest.mark.parametrize("wrong", [False, True])
def test_quantiles_of_groups_by_aggregate(wrong: bool, tmp_path: Path) -> None:
    rows = [[t, *x.quantile([0.25, 0.5, 0.75])] for t, x in people().groupby("sex").wage]
    rows[0][2] += wrong
    lines = [f"{k} {t:>6} {a:>9.2f} {b:>9.2f} {c:>9.2f}" for k, (t, a, b, c) in enumerate(rows, 1)]
    table = "\n".join(["     sex  wage.25%  wage.50%  wage.75%", *lines])
    command = "aggregate(wage ~ sex, data = d, FUN = quantile, probs = c(.25, .5, .75))"
    reading = only(read(tmp_path, f"> d <- read.csv('people.csv')\n> {command}\n{table}\n> \n"))
    assert (reading.kind, reading.variables, reading.by) == ("position", ("wage",), ("sex",))
    assert reading.confirmed is not wrong


def test_m_beside_sd_is_a_mean(tmp_path: Path) -> None:
    rows = [f"| {t} | {x.mean():.2f} | {x.std():.2f} | {len(x)} |" for t, x in people().groupby("town").wage]
    found = read(tmp_path, "\n".join(["Wage", "", "| town | M | SD | N |", "|---|---|---|---|", *rows]), "out.md")
    assert only(found).confirmed
    assert {c.figure.what for c in only(found).figures} == {"mean", "sd", "n"}
    assert found.left == ()


@pytest.mark.parametrize("wrong", [0, 1])
def test_sums_of_whole_numbers_by_groups_are_no_counts(wrong: int, tmp_path: Path) -> None:
    sums = people().groupby("town").age.sum()
    rows = [f"{k} {t:>5} {v + wrong * (k == 2):>5}" for k, (t, v) in enumerate(sums.items(), 1)]
    reading = only(read(tmp_path, "\n".join(["Ages", "   town   age", *rows, ""]), "out.txt"))
    assert reading.confirmed is (wrong == 0)
    assert wrong or (reading.kind, reading.variables, reading.by) == ("totals", ("age",), ("town",))


def test_a_multinomial_model_may_have_any_class_as_its_base(tmp_path: Path) -> None:
    d = people()
    classes = ["Ely", "Bath", "York"]
    x = np.column_stack([np.ones(len(d)), d.age])
    fit = MNLogit(d.town.map(classes.index).to_numpy(), x).fit(disp=0, tol=1e-12)
    parts = []
    for title, table in (("Coefficients:", fit.params), ("Std. Errors:", fit.bse)):
        rows = [f"{name:<5}{a:>14.6f}{b:>14.6f}" for name, (a, b) in zip(classes[1:], table.T, strict=True)]
        parts.append("\n".join([title, "     (Intercept)           age", *rows, ""]))
    call = "multinom(formula = town ~ age, data = d, trace = FALSE)"
    commands = f'> d$town <- relevel(factor(d$town), ref = "Ely")\n> summary({call.replace("formula = ", "")})\n'
    reading = only(read(tmp_path, f"{commands}Call:\n{call}\n\n{parts[0]}\n{parts[1]}\n> \n"))
    assert reading.confirmed
    assert reading.formula == "town ~ age"
    assert reading.outputs == ()


def test_ratios_of_an_ordered_model_keep_the_order_of_its_classes(tmp_path: Path) -> None:
    d = people()
    d["level"] = np.array(["Low", "Medium", "High"])[(np.arange(200) * 11 + d.age // 20) % 3]
    order = ["Low", "Medium", "High"]
    fit = OrderedModel(d.level.map(order.index), d[["age"]], distr="logit").fit(method="bfgs", disp=0, gtol=1e-9)
    b, s = fit.params.iloc[0], fit.bse.iloc[0]
    cuts = fit.model.transform_threshold_params(fit.params.to_numpy())[1:3]
    ends = (np.exp(b - 1.96 * s), np.exp(b + 1.96 * s))
    text = f"""> d <- read.csv("people.csv")
> d$level <- factor(d$level, levels = c("Low", "Medium", "High"), ordered = TRUE)
> m <- polr(level ~ age, data = d, Hess = TRUE)
> summary(m)
Call:
polr(formula = level ~ age, data = d, Hess = TRUE)

Coefficients:
       Value Std. Error t value
age {b:.6f}   {s:.6f}  {b / s:.4f}

Intercepts:
            Value   Std. Error t value
Low|Medium  {cuts[0]:.4f}  0.3111  0.2222
Medium|High {cuts[1]:.4f}  0.3111  0.2222

> exp(cbind(OR = coef(m), confint.default(m)))
        OR  2.5 % 97.5 %
age {np.exp(b):.4f} {ends[0]:.4f} {ends[1]:.4f}
>
"""
    found = read(tmp_path, text, frame=d)
    assert [r.kind for r in found.readings] == ["ordered", "ordered"]
    assert found.readings[1].confirmed


@pytest.mark.parametrize(
    ("made", "where"),
    [
        ('d <- read.csv("people.csv") |> filter(town == "Ely")\n> table(d$sex)', 'town == "Ely"'),
        ('d <- read.csv("people.csv")\n> with(d[d$town == "Ely", ], table(sex))', 'town == "Ely"'),
    ],
)
def test_rows_are_picked_where_the_data_are_read_and_in_brackets(made: str, where: str, tmp_path: Path) -> None:
    counts = people().query('town == "Ely"').sex.value_counts().sort_index()
    shown = "".join(f"{t:>8}" for t in counts.index) + "\n" + "".join(f"{n:>8}" for n in counts)
    reading = only(read(tmp_path, f"> {made}\n\n{shown}\n> \n"))
    assert (reading.confirmed, reading.where) == (True, where)


def test_means_of_columns_are_of_the_rows_in_brackets(tmp_path: Path) -> None:
    d = people()
    means = d.loc[d.sex == "Male", ["age", "wage"]].mean()
    text = f'> sapply(d[d$sex == "Male", c("age", "wage")], mean)\n{"age":>12}{"wage":>12}\n'
    reading = only(read(tmp_path, f"{text}{means.age:>12.4f}{means.wage:>12.4f}\n> \n"))
    assert (reading.confirmed, reading.where) == (True, 'sex == "Male"')


def test_a_reference_given_inside_a_formula_is_that_of_the_factor(tmp_path: Path) -> None:
    d = people()
    x = np.column_stack([np.ones(200), d.age, d.town == "Bath", d.town == "Ely"]).astype(float)
    fit = OLS(d.wage, x).fit()
    names = ["(Intercept)", "age", 'relevel(town, ref = "York")Bath', 'relevel(town, ref = "York")Ely']
    rows = [f"{n:<32}{b:>12.4f}{s:>12.4f}{b / s:>9.3f}" for n, b, s in zip(names, fit.params, fit.bse, strict=True)]
    call = 'lm(formula = wage ~ age + relevel(town, ref = "York"), data = d)'
    head = f"{'':<32}    Estimate  Std. Error  t value"
    reading = only(read(tmp_path, "\n".join(["> summary(m)", "", "Call:", call, "", "Coefficients:", head, *rows, ""])))
    assert reading.formula == "wage ~ age + C(town, Treatment('York'))"
    assert reading.confirmed


@pytest.mark.parametrize("line", ["Mean age: 54.31", "MW = 49.23438", "n = 23"])
def test_a_single_figure_that_no_reader_knows_is_listed(line: str, tmp_path: Path) -> None:
    found = read(tmp_path, f"Results\n\n{line}\n", "out.txt")
    assert found.readings or found.left == ((3, 3, "figures that were not recognised"),)


def test_an_empty_text_is_a_group_without_a_name(tmp_path: Path) -> None:
    d = people()
    d.loc[d.index[::9], "sex"] = None
    means = [d.wage[d.sex.isna()].mean(), *d.groupby("sex").wage.mean()]
    text = "> tapply(d$wage, d$sex, mean)\n" + "".join(f"{t:>12}" for t in ("", "Female", "Male")) + "\n"
    text += "".join(f"{m:>12.4f}" for m in means)
    reading = only(read(tmp_path, f"{text}\n> \n", frame=d))
    assert (reading.variables, reading.by, reading.agreeing) == (("wage",), ("sex",), 3)
    assert reading.confirmed


@pytest.mark.parametrize(("printed", "agrees"), [("1.234", True), ("1.235", True), ("1.236", False)])
def test_what_r_rounds_twice_agrees(printed: str, agrees: bool, tmp_path: Path) -> None:
    d = people()
    d["wage"] *= 1.23446 / least_squares(d)[0][0]  # 1.23446 is 1.2345 to four places, and that is shown as 1.235
    lines = coefficients(d).splitlines()
    lines[2] = lines[2].replace("1.2345", f"{printed} ")
    call = "lm(formula = wage ~ age + ill, data = d)"
    text = "\n".join(["> summary(m)", "", "Call:", call, "", "Coefficients:", *lines, ""])
    assert only(read(tmp_path, text, frame=d)).confirmed is agrees


def test_a_variable_may_be_called_like_a_word_of_python(tmp_path: Path) -> None:
    d = people()
    text = coefficients(d).replace("ill ", "class ")
    call = "lm(formula = wage ~ age + class, data = d)"
    lines = "\n".join(["> summary(m)", "", "Call:", call, "", "Coefficients:", text, ""])
    reading = only(read(tmp_path, lines, frame=d.rename(columns={"ill": "class"})))
    assert reading.formula == "wage ~ age + `class`"
    assert reading.confirmed
