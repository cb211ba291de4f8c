"""Stata's tables as it wraps, shortens and leaves out: long names, thresholds, dispersions, classes, tests."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.api import OLS
from statsmodels.discrete.discrete_model import MNLogit, NegativeBinomial

from divulge.readers.handed_in.folder import FileRead, read_folder
from divulge.table import table_from_frame
from tests.support.handed_in import people

Z = 1.959963984540054
HEAD = "Coefficient  Std. err.      {z}    P>|{z}|     [95% conf. interval]"
RULE = "-------------+----------------------------------------------------------------"


def read(folder: Path, text: str, frame: pd.DataFrame | None = None) -> FileRead:
    (folder / "out.log").write_text(text, encoding="utf-8")
    (found,) = read_folder(folder, table_from_frame(people() if frame is None else frame)).files
    return found


def row(name: str, b: float, s: float, reach: float = Z) -> str:
    ends = f"{b - reach * s:>13.6f}{b + reach * s:>12.6f}"
    return f"{name:>12} |{b:>11.6f}{s:>11.6f}{b / s:>9.2f}{2 * stats.norm.sf(abs(b / s)):>8.3f}{ends}"


def short(name: str, b: float, s: float, ends: tuple[float, float]) -> str:
    return f"{name:>12} |{b:>11.6f}{s:>11.6f}{'':>17}{ends[0]:>13.6f}{ends[1]:>12.6f}"


def model(command: str, title: str, response: str, rows: list[str], n: int = 200, z: str = "z") -> str:
    top = [f". {command}", "", f"{title:<56}Number of obs ={n:>7}", "", "-" * 78]
    return "\n".join([*top, f"{response:>12} | {HEAD.format(z=z)}", RULE, *rows, "-" * 78, ""])


def long_names(frame: pd.DataFrame) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    d = frame.rename(columns={"age": "years_of_age_now"})
    x = np.column_stack([d.years_of_age_now, d.years_of_age_now**2, np.ones(len(d))])
    fit = OLS(d.wage, x).fit()
    return d, np.array(fit.params), np.array(fit.bse)


@pytest.mark.parametrize("wrong", [0.0, 0.1])
def test_a_product_of_a_variable_with_itself_is_its_square_however_it_is_wrapped(wrong: float, tmp_path: Path) -> None:
    d, b, s = long_names(people())
    reach = stats.t.ppf(0.975, len(d) - 3)
    b[1] += wrong
    name = "years_of_a~w"
    rows = [row(name, b[0], s[0], reach), f"{'':>12} |", f"{'c.' + name[:9] + 'w#':>13}|"]
    rows += [row(f"c.{name[:9]}w", b[1], s[1], reach), f"{'':>12} |", row("_cons", b[2], s[2], reach)]
    rows = [r.replace("c.years_of_w", "c.years_o~w") for r in rows]
    command = "regress wage years_of_age_now c.years_of_age_now#c.years_of_age_now"
    found = read(tmp_path, model(command, "Linear regression", "wage", rows, z="t"), d)
    (reading,) = found.readings
    assert reading.formula == "wage ~ years_of_age_now + I(years_of_age_now**2)"
    assert reading.confirmed is (wrong == 0)


def test_levels_of_a_factor_are_of_the_class_whose_equation_they_are_in(tmp_path: Path) -> None:
    d = people()
    order = ["Ely", "Bath", "York"]
    x = np.column_stack([d.age, d.sex == "Male", np.ones(len(d))]).astype(float)
    fit = MNLogit(d.town.map(order.index).to_numpy(), x).fit(disp=0, tol=1e-12)
    rows: list[str] = []
    for town in sorted(order):
        rows += [RULE] if rows else []
        if town == "Ely":
            rows.append(f"{'Ely':<13}|  (base outcome)")
            continue
        j = order.index(town) - 1
        parts = [row(n, fit.params[i, j], fit.bse[i, j]) for i, n in enumerate(("age", "Male  ", "_cons"))]
        rows += [f"{town:<13}|", parts[0], f"{'':>12} |", f"{'sex':>12} |", parts[1], f"{'':>12} |", parts[2]]
    text = model("mlogit town age i.sex, base(2)", "Multinomial logistic regression", "town", rows)
    (reading,) = read(tmp_path, text).readings
    assert reading.formula == "town ~ age + C(sex)"
    assert reading.confirmed
    assert reading.not_compared == ()


@pytest.mark.parametrize("wrong", [0.0, 0.01])
def test_a_dispersion_is_compared_though_it_has_no_test(wrong: float, tmp_path: Path) -> None:
    d = people()
    d["visits"] = (np.arange(200) * 7919 % 13) * (d.age // 9) % 11
    x = np.column_stack([d.age, np.ones(len(d))])
    first = NegativeBinomial(d.visits, x).fit(disp=0, method="bfgs", maxiter=500)
    fit = NegativeBinomial(d.visits, x).fit(start_params=first.params, disp=0, method="newton", tol=1e-12)
    b, s = np.asarray(fit.params), np.asarray(fit.bse)
    log, off = np.log(b[2]), s[2] / b[2]
    ends = (log - Z * off, log + Z * off)
    rows = [row("age", b[0], s[0]), row("_cons", b[1], s[1]), RULE, short("/lnalpha", log, off, ends)]
    rows += [RULE, short("alpha", b[2] + wrong, s[2], (np.exp(ends[0]), np.exp(ends[1])))]
    (reading,) = read(tmp_path, model("nbreg visits age", "Negative binomial regression", "visits", rows), d).readings
    assert reading.formula == "visits ~ age"
    assert reading.disagreeing == (() if wrong == 0 else ("alpha",))
    assert {"lnalpha", "alpha"} <= {c.figure.what for c in reading.figures if c.agrees is not None}


def test_errors_of_few_clusters_are_judged_by_the_clusters(tmp_path: Path) -> None:
    d = people()
    d["area"] = np.arange(200) * 31 % 7
    x = np.column_stack([d.age, d.ill, np.ones(len(d))])
    groups = {"groups": d.area.to_numpy()}
    fit = OLS(d.wage, x).fit(cov_type="cluster", cov_kwds=groups)
    reach = stats.t.ppf(0.975, 6)
    rows = []
    for name, b, s in zip(("age", "ill", "_cons"), fit.params, fit.bse, strict=True):
        p = 2 * stats.t.sf(abs(b / s), 6)
        rows.append(row(name, b, s, reach)[:45] + f"{p:>8.3f}" + row(name, b, s, reach)[53:])
    text = model("regress wage age ill, vce(cluster area)", "Linear regression", "wage", rows, z="t")
    said = "                                 (Std. err. adjusted for 7 clusters in area)\n"
    text = text.replace("-" * 78, said + "-" * 78 + "\n             |               Robust", 1)
    (reading,) = read(tmp_path, text, d).readings
    assert reading.confirmed
    assert reading.disagreeing == ()
    assert "area" in reading.facts["standard errors"]


def test_bases_of_factors_in_esttab_are_no_coefficients(tmp_path: Path) -> None:
    d = people()
    fit = OLS(d.wage, np.column_stack([d.age, d.sex == "Male", np.ones(len(d))]).astype(float)).fit()
    (a, m, c), (sa, sm, sc) = fit.params, fit.bse
    lines = [". esttab m1, se", "", "-" * 28, f"{'':<12}{'(1)':>13}", f"{'':<12}{'wage':>13}", "-" * 28]
    for name, b, s in (("age", a, sa), ("1b.sex", None, None), ("2.sex", m, sm), ("_cons", c, sc)):
        lines += [f"{name:<12}{'0' if b is None else f'{b:.3f}':>13}"]
        lines += [f"{'':<12}{'(.)' if s is None else f'({s:.3f})':>13}", ""]
    text = "\n".join([*lines, "-" * 28, f"{'N':<12}{200:>13}", "-" * 28, "Standard errors in parentheses", ""])
    (reading,) = read(tmp_path, text).readings
    assert reading.formula == "wage ~ age + C(sex)"
    assert reading.confirmed


def test_tests_without_a_kind_are_named_and_leave_nothing(tmp_path: Path) -> None:
    text = """. ranksum age, by(sex)

Two-sample Wilcoxon rank-sum (Mann–Whitney) test

         sex |      Obs    Rank sum    Expected
-------------+---------------------------------
      Female |      101     10110.5     10150.5
        Male |       99      9989.5      9949.5
-------------+---------------------------------
    Combined |      200       20100       20100

Unadjusted variance   167483.25
Adjustment for ties      -43.77
                     -----------
Adjusted variance     167439.48

H0: age(sex==Female) = age(sex==Male)
         z = -0.098
Prob > |z| = 0.9221

. test age ill

 ( 1)  age = 0
 ( 2)  ill = 0

       F(  2,   197) =    3.21
            Prob > F =    0.0425
"""
    found = read(tmp_path, text)
    assert [r.kind for r in found.readings] == ["other", "other"]
    assert not any(r.confirmed for r in found.readings)
    assert (found.readings[0].candidate.variables, found.readings[0].candidate.by) == (("age",), ("sex",))
    assert found.left == ()


@pytest.mark.parametrize("wrong", [0.0, 0.01])
def test_means_over_groups_have_the_errors_of_one_sample(wrong: float, tmp_path: Path) -> None:
    d = people()
    top = [". mean wage, over(town)", "", f"{'Mean estimation':<42}Number of obs = 200", "", "-" * 63]
    rows = []
    for town, x in d.groupby("town").wage:
        s = np.sqrt(200 / 199 * ((x - x.mean()) ** 2).sum()) / len(x) + wrong * (town == "Ely")
        reach = stats.t.ppf(0.975, 199) * s
        rows.append(f"{town:>12}  |{x.mean():>11.4f}{s:>12.6f}{x.mean() - reach:>14.4f}{x.mean() + reach:>12.4f}")
    head = "              |       Mean   Std. err.     [95% conf. interval]"
    lines = [*top, head, "-" * 14 + "+" + "-" * 48, "c.wage@town   |", *rows, "-" * 63, ""]
    (reading,) = read(tmp_path, "\n".join(lines)).readings
    assert reading.confirmed is (wrong == 0)
