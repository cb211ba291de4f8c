"""Layouts that people hand in are read by their figures: each is written from the data and confirmed by them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

from divulge.readers.handed_in.folder import read_folder
from divulge.readers.handed_in.matching.reading import Reading
from divulge.table import table_from_frame
from tests.support.handed_in import people, table

FRAME = people()
BY_TOWN = FRAME.groupby("town").wage


def aggregate_of_vectors() -> str:
    lines = ["> aggregate(cbind(age, wage) ~ sex, d, function(x) round(c(m = mean(x), s = sd(x)), 2))"]
    lines.append("     sex age.m age.s wage.m wage.s")
    for k, (sex, d) in enumerate(FRAME.groupby("sex"), 1):
        cells = (d.age.mean(), d.age.std(), d.wage.mean(), d.wage.std())
        lines.append(f"{k} {sex:>6}" + "".join(f"{c:>{w}.2f}" for c, w in zip(cells, (6, 6, 8, 7), strict=True)))
    return "\n".join([*lines, "> ", ""])


def vectors_by_group() -> str:
    lines = ["> tapply(d$wage, d$town, function(x) c(n = length(x), mean = mean(x), sd = sd(x)))"]
    for town, x in BY_TOWN:
        values = (len(x), x.mean(), x.std())
        lines += [f"${town}", "         n       mean         sd ", "".join(f"{v:>10.4f} " for v in values), ""]
    return "\n".join([*lines, "> ", ""])


def medians_of_two_groups() -> str:
    lines = ["> with(d, tapply(wage, list(town, sex), median))", "     Female    Male"]
    grid = FRAME.pivot_table("wage", "town", "sex", "median")
    lines += [f"{town:<4}{row.Female:>7.1f}{row.Male:>8.1f}" for town, row in grid.iterrows()]
    return "\n".join([*lines, "> ", ""])


def shares_of_codes() -> str:
    lines = ["> prop.table(table(d$town, d$ill), margin = 2)", "      ", "               0         1"]
    grid = pd.crosstab(FRAME.town, FRAME.ill, normalize="columns")
    lines += [f"  {town:<4}{row[0]:>10.7f}{row[1]:>10.7f}" for town, row in grid.iterrows()]
    return "\n".join([*lines, "> ", ""])


def zeros_as_dots() -> str:
    d = FRAME[FRAME.age < 27]
    lines = ['> print(xtabs(~ town + age, d[d$age < 27, ]), zero.print = ".")']
    grid = pd.crosstab(d.town, d.age)
    lines += ["      age", "town  " + "".join(f"{c:>3}" for c in grid.columns)]
    lines += [
        f"  {t:<4}" + "".join(f"{c or '.':>3}" for c in row) for t, row in zip(grid.index, grid.to_numpy(), strict=True)
    ]
    return "\n".join([*lines, "> ", ""])


def summaries_with_missing() -> str:
    lines = ["> do.call(rbind, by(d$wage, d$town, summary))", "     Min. 1st Qu. Median     Mean 3rd Qu. Max. NA's"]
    for town, x in BY_TOWN:
        q = [float(x.quantile(p)) for p in (0.25, 0.5, 0.75)]
        lines.append(f"{town:<5}{x.min():>5g}{q[0]:>8g}{q[1]:>7g}{x.mean():>9.3f}{q[2]:>8g}{x.max():>5g}    0")
    return "\n".join([*lines, "> ", ""])


def sentence_of_a_console() -> str:
    n, x = len(FRAME), FRAME.wage
    counts = "\n".join(
        (
            "> table(d$sex)",
            "",
            "Female   Male ",
            f"{(FRAME.sex == 'Female').sum():>6} {(FRAME.sex == 'Male').sum():>6} ",
        )
    )
    return f'{counts}\n> cat(sprintf("mean wage %.1f", m))\nmean wage {x.mean():.1f} (SD {x.std():.1f}), n = {n}\n> \n'


def correlations_with_numbers() -> str:
    r = FRAME.age.corr(FRAME.wage)
    return f""". pwcorr age wage, obs

             |      age     wage
-------------+------------------
         age |   1.0000
             |      200
             |
        wage | {r:>8.4f}   1.0000
             |      200      200
             |
"""


def condition_on_a_label() -> str:
    x = FRAME[FRAME.ill == 1].wage
    return f"""> d$ill <- factor(d$ill, levels = c(0, 1), labels = c("Well", "Sick"))
> mean(d$wage[d$ill == "Sick"])
[1] {x.mean():.4f}
>
"""


def means_of_pspp() -> str:
    rows = []
    for sex, d in FRAME.groupby("sex"):
        rows += [
            f"|{sex if k == 0 else '':<8}{w:<14}|{a:>5}|{b:>6}|"
            for k, (w, a, b) in enumerate(
                (
                    ("Mean", f"{d.age.mean():.1f}", f"{d.wage.mean():.1f}"),
                    ("Std. Deviation", f"{d.age.std():.1f}", f"{d.wage.std():.1f}"),
                    ("N", str(len(d)), str(len(d))),
                )
            )
        ]
        rows.append("+----------------------+-----+------+")
    head = "\n".join(
        (
            "          age * wage * sex",
            "+----------------------+-----+------+",
            "|sex                   | age | wage |",
            "+----------------------+-----+------+",
        )
    )
    return head + "\n" + "\n".join(rows) + "\n"


def quantiles_by_group() -> str:
    lines = ["> tapply(d$wage, d$sex, quantile)"]
    for sex, x in FRAME.groupby("sex").wage:
        q = "".join(f"{float(x.quantile(p)):>8.2f} " for p in (0, 0.25, 0.5, 0.75, 1))
        lines += [f"${sex}", "      0%      25%      50%      75%     100% ", q, ""]
    return "\n".join([*lines, "> ", ""])


def factor_with_another_reference() -> str:
    means = FRAME.groupby("town").wage.mean()
    head = '> d$place <- relevel(factor(d$town), ref = "York")\n> tapply(d$wage, d$place, mean)'
    return f"{head}\n    York     Bath      Ely \n{means.York:8.3f} {means.Bath:8.3f} {means.Ely:8.3f} \n>\n"


def means_with_spreads() -> str:
    rows = "".join(
        f"<tr><td>{town}</td><td>{len(d)}</td><td>{d.age.mean():.1f} ± {d.age.std():.1f}</td>"
        f"<td>{d.wage.mean():.1f} ± {d.wage.std():.1f}</td></tr>"
        for town, d in FRAME.groupby("town")
    )
    heads = "".join(f"<th>{h}</th>" for h in ("town", "n", "age (mean ± SD)", "wage (mean ± SD)"))
    return f"<html><body><table><tr>{heads}</tr>{rows}</table></body></html>"


def ranges_beside_medians() -> str:
    rows = [f"| {t} | {x.median():.2f} | {x.quantile(0.25):.2f}–{x.quantile(0.75):.2f} |" for t, x in BY_TOWN]
    return "\n".join(("| town | Median wage | IQR |", "|:--|--:|--:|", *rows, ""))


def shares_above_their_sizes() -> str:
    counts = pd.crosstab(FRAME.ill, FRAME.town)
    shares = 100 * counts / counts.sum()
    rows = [
        f"{ill}," + ",".join(f"{v:.1f}" for v in row) for ill, row in zip(shares.index, shares.to_numpy(), strict=True)
    ]
    return "\n".join((f"ill,{','.join(counts.columns)}", *rows, "n," + ",".join(str(n) for n in counts.sum()), ""))


LAYOUTS = {
    "aggregate.Rout": (aggregate_of_vectors, "means"),
    "vectors.Rout": (vectors_by_group, "means"),
    "medians.Rout": (medians_of_two_groups, "position"),
    "shares.Rout": (shares_of_codes, "crosstab"),
    "dots.Rout": (zeros_as_dots, "crosstab"),
    "summaries.Rout": (summaries_with_missing, "position"),
    "sentence.Rout": (sentence_of_a_console, "means"),
    "pwcorr.log": (correlations_with_numbers, "correlation"),
    "label.Rout": (condition_on_a_label, "means"),
    "pspp.txt": (means_of_pspp, "means"),
    "quantiles.Rout": (quantiles_by_group, "position"),
    "relevel.Rout": (factor_with_another_reference, "means"),
    "spreads.html": (means_with_spreads, "means"),
    "ranges.md": (ranges_beside_medians, "position"),
    "shares.csv": (shares_above_their_sizes, "crosstab"),
}


def readings(folder: Path, name: str) -> list[Reading]:
    (folder / name).write_text(LAYOUTS[name][0](), encoding="utf-8")
    return [r for _, r in read_folder(folder, table()).readings]


@pytest.mark.parametrize("name", LAYOUTS)
def test_layout_is_confirmed_by_the_data(name: str, tmp_path: Path) -> None:
    found = [r for r in readings(tmp_path, name) if r.kind == LAYOUTS[name][1]]
    assert [(r.confirmed, r.disagreeing) for r in found] == [(True, ())]


def test_goodness_of_fit_of_two_measures_in_one_cell_is_read(tmp_path: Path) -> None:
    m = smf.ols("wage ~ age + ill", FRAME).fit()
    ends = m.conf_int()
    rows = "".join(
        f"<tr><td>{t}</td><td>{m.params[k]:.2f}</td><td>{ends.loc[k, 0]:.2f} – {ends.loc[k, 1]:.2f}</td></tr>"
        for t, k in (("(Intercept)", "Intercept"), ("age", "age"), ("ill", "ill"))
    )
    text = (
        '<html><body><table><tr><th></th><th colspan="2">wage</th></tr><tr><td>Predictors</td><td>Estimates</td>'
        f'<td>CI</td></tr>{rows}<tr><td>R2 / R2 adjusted</td><td colspan="2">{m.rsquared:.3f} / '
        f"{m.rsquared_adj:.3f}</td></tr></table></body></html>"
    )
    (tmp_path / "model.html").write_text(text, encoding="utf-8")
    ((_, found),) = read_folder(tmp_path, table()).readings
    assert found.confirmed
    assert {"r-squared", "adjusted r-squared"} <= {c.figure.what for c in found.figures if c.agrees}


def test_pairwise_tests_are_one_output_without_a_kind(tmp_path: Path) -> None:
    text = """> pairwise.t.test(d$wage, d$town)

	Pairwise comparisons using t tests with pooled SD

data:  d$wage and d$town

     Bath    Ely
Ely  0.00049 -
York 8.6e-07 0.25626

P value adjustment method: holm
>
"""
    (tmp_path / "out.Rout").write_text(text, encoding="utf-8")
    assert [r.kind for _, r in read_folder(tmp_path, table()).readings] == ["other"]


def test_measures_of_association_are_named_and_not_taken_for_percentiles(tmp_path: Path) -> None:
    text = """          Symmetric Measures
+-----------------------------+-----+
|                             |Value|
+-----------------------------+-----+
|Nominal by Nominal Phi       |  .11|
|                   Cramer's V|  .11|
+-----------------------------+-----+
|N of Valid Cases             |  944|
+-----------------------------+-----+
"""
    (tmp_path / "out.txt").write_text(text, encoding="utf-8")
    assert [r.kind for _, r in read_folder(tmp_path, table()).readings] == ["other"]


def test_model_of_one_column_keeps_its_first_term(tmp_path: Path) -> None:
    m = smf.ols("log_wage ~ ill + age", FRAME.assign(log_wage=np.log(FRAME.wage))).fit()
    terms = {"ill": "ill", "age": "age", "(Intercept)": "Intercept"}
    rows = "".join(f"{t} & {m.params[k]:.4f} \\\\\n & ({m.bse[k]:.4f}) \\\\\n" for t, k in terms.items())
    text = f"\\begin{{tabular}}{{lc}}\n\\toprule\n & log(wage) \\\\\n\\midrule\n{rows}\\bottomrule\n\\end{{tabular}}\n"
    (tmp_path / "model.tex").write_text(text, encoding="utf-8")
    ((_, found),) = read_folder(tmp_path, table()).readings
    assert (found.confirmed, found.agreeing) == (True, 6)


@pytest.mark.parametrize("shift", [0, 100])
def test_groups_whose_names_are_spelt_out_are_those_of_the_data(shift: int, tmp_path: Path) -> None:
    frame = FRAME.assign(arm=FRAME.town.map({"Bath": "Obs", "York": "Lev", "Ely": "Lev+5FU"}))
    named = {"Obs": "Observation", "Lev": "Levamisole", "Lev+5FU": "Levamisole + 5-FU"}
    groups = [frame[frame.arm == arm] for arm in named]
    lines = [["", *named.values()], ["--"] * 4, ["N", *(str(len(g)) for g in groups)]]
    for x in ("age", "wage"):
        first = shift if x == "wage" else 0
        shown = [f"{g[x].mean() + first:.1f} ({g[x].std():.1f})" for g in groups]
        lines.append([f"{x}, mean (SD)", *shown])
    (tmp_path / "t.md").write_text("".join(f"| {' | '.join(cells)} |\n" for cells in lines), encoding="utf-8")
    ((_, found),) = read_folder(tmp_path, table_from_frame(frame)).readings
    assert (found.confirmed, found.by) == (shift == 0, ("arm",))
