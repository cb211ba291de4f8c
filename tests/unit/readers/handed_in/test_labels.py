"""Labels that are no names of the data: what they mean is found by the figures, once, for the whole file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import statsmodels.formula.api as smf
from scipy import stats

from divulge.readers.handed_in.folder import read_folder
from divulge.readers.handed_in.matching.reading import Reading
from divulge.table import table_from_frame


def _people() -> pd.DataFrame:
    draw = np.random.default_rng(11)  # any seed: the figures are computed from the rows
    n = 400
    q1 = draw.choice([1, 2, 3, 4], n, p=[0.4, 0.3, 0.2, 0.1])
    q2 = draw.choice([0, 1], n, p=[0.35, 0.65])
    q3 = draw.normal(50, 9, n).round(1)
    q4 = (20 + 0.4 * q3 + draw.normal(0, 4, n)).round(2)
    flag = draw.choice([0, 1], n, p=[0.2, 0.8])
    visits = draw.poisson(1.2, n)
    return pd.DataFrame({"q1": q1, "q2": q2, "q3": q3, "q4": q4, "flag": flag, "visits": visits})


FRAME = _people()


def read(folder: Path) -> list[Reading]:
    return [r for _, r in read_folder(folder, table_from_frame(FRAME)).readings]


def _box(title: str, rows: list[list[str]]) -> str:
    widths = [max(len(r[j]) for r in rows) for j in range(len(rows[0]))]
    line = "+" + "+".join("-" * w for w in widths) + "+"
    shown = ["|" + "|".join(c.ljust(w) for c, w in zip(r, widths, strict=True)) + "|" for r in rows]
    return "\n".join([title.center(len(line)), line, shown[0], line, *shown[1:], line, ""])


def _described(name: str, label: str) -> list[str]:
    x = FRAME[name]
    return [label, str(len(x)), f"{x.mean():.2f}", f"{x.std():.2f}", f"{x.min():.2f}", f"{x.max():.2f}"]


def test_a_label_of_spss_is_known_in_later_tables_of_the_file(tmp_path: Path) -> None:
    heads = ["", "N", "Mean", "Std Dev", "Minimum", "Maximum"]
    rows = [_described("q3", "Blutdruck"), _described("q4", "Gewicht")]
    r = FRAME.q3.corr(FRAME.q4)
    p = stats.pearsonr(FRAME.q3, FRAME.q4).pvalue
    correlations = [
        ["", "", "Blutdruck", "Gewicht"],
        ["Blutdruck", "Pearson Correlation", "1.000", f"{r:.3f}"],
        ["", "Sig. (2-tailed)", "", f"{p:.3f}"],
        ["Gewicht", "Pearson Correlation", f"{r:.3f}", "1.000"],
        ["", "Sig. (2-tailed)", f"{p:.3f}", ""],
    ]
    text = _box("Descriptive Statistics", [heads, *rows]) + "\n" + _box("Correlations", correlations)
    (tmp_path / "output.txt").write_text(text, encoding="utf-8")
    found = {r.kind: r for r in read(tmp_path)}
    assert found["means"].confirmed
    assert found["means"].variables == ("q3", "q4")
    assert found["correlation"].confirmed
    assert found["correlation"].variables == ("q3", "q4")


def test_the_group_of_means_is_no_variable(tmp_path: Path) -> None:
    groups = FRAME.groupby("q2").q4
    rows = [[f"{k:.4f}", f"{x.mean():.4f}", str(len(x)), f"{x.std():.4f}"] for k, x in groups]
    cases = [["", "Cases"], ["q4 * q2", "400"]]
    text = (
        _box("Case Processing Summary", cases) + "\n" + _box("Report", [["q2", "Mean", "N", "Std. Deviation"], *rows])
    )
    (tmp_path / "output.txt").write_text(text, encoding="utf-8")
    found = [r for r in read(tmp_path) if r.kind == "means"]
    assert [(r.variables, r.by, r.confirmed) for r in found] == [(("q4",), ("q2",), True)]


def test_two_axes_of_labels_are_found_by_how_many_people_they_have(tmp_path: Path) -> None:
    grid = pd.crosstab(FRAME.q1, FRAME.q2)
    lines = ["Saúde;Masculino;%;Feminino;%"]
    # Neither the rows nor the columns stand in the order of their codes.
    for code, label in ((4, "Outra"), (2, "Boa"), (1, "Muito boa"), (3, "Razoável")):
        cells = [f"{grid.loc[code, c]};{100 * grid.loc[code, c] / grid[c].sum():.1f}".replace(".", ",") for c in (1, 0)]
        lines.append(f"{label};{';'.join(cells)}")
    (tmp_path / "quadro.csv").write_text("\n".join(lines), encoding="utf-8")
    (found,) = read(tmp_path)
    assert (found.kind, found.variables, found.by) == ("crosstab", ("q1",), ("q2",))
    assert found.confirmed
    assert sum(c.figure.what == "percentage" for c in found.figures if c.agrees) == 8


def test_means_by_groups_with_variables_in_rows(tmp_path: Path) -> None:
    rows = [
        ",".join([label, *(f"{x:.2f}" for x in FRAME.groupby("flag")[name].mean())])
        for name, label in (("q3", "Pressure"), ("q4", "Weight"))
    ]
    (tmp_path / "averages.csv").write_text("\n".join(["Average,Never,Ever", *rows]), encoding="utf-8")
    (found,) = read(tmp_path)
    assert found.confirmed
    assert (found.kind, found.variables, found.by) == ("means", ("q3", "q4"), ("flag",))


def test_one_changed_digit_leaves_a_table_of_labels_unconfirmed(tmp_path: Path) -> None:
    grid = pd.crosstab(FRAME.q1, FRAME.q2)
    rows = [f"{label},{grid.loc[c, 0]},{grid.loc[c, 1]}" for c, label in enumerate(("A lot", "Some", "Few", "None"), 1)]
    changed = f"A lot,{grid.loc[1, 0] + 10},{grid.loc[1, 1]}"
    (tmp_path / "table.csv").write_text("\n".join(["Amount,Rural,Urban", changed, *rows[1:]]), encoding="utf-8")
    assert not any(r.confirmed for r in read(tmp_path))


def test_a_yes_or_no_that_is_made_of_a_count(tmp_path: Path) -> None:
    d = FRAME.assign(visit=(FRAME.visits > 0).astype(int))
    summary = smf.logit("visit ~ q3 + q4", d).fit(disp=0).summary()
    (tmp_path / "model.txt").write_text(str(summary), encoding="utf-8")
    (found,) = read(tmp_path)
    assert found.confirmed
    assert found.formula == "visit ~ q3 + q4"


def test_percentiles_of_examine(tmp_path: Path) -> None:
    shown = (25, 50, 75)
    rows = [["", "Percentiles", "", ""], ["", *map(str, shown)]]
    rows.append(["q3 Weighted Average", *(f"{np.quantile(FRAME.q3, p / 100, method='weibull'):.2f}" for p in shown)])
    (tmp_path / "output.txt").write_text(_box("Percentiles", rows), encoding="utf-8")
    (found,) = read(tmp_path)
    assert (found.kind, found.variables, found.confirmed) == ("position", ("q3",), True)


def test_statistics_in_spanish_and_french(tmp_path: Path) -> None:
    heads = ("Nivel;N;Media;Desv. típica;Mediana", "Niveau;Effectifs;Moyenne;Écart-type;1er quartile;3e quartile")
    for name, head in zip(("cuadro.csv", "tableau.csv"), heads, strict=True):
        lines = [head]
        for k, x in FRAME.groupby("q1").q3:
            cells = [x.mean(), x.std(), *([x.median()] if "Mediana" in head else [x.quantile(0.25), x.quantile(0.75)])]
            lines.append(";".join([str(k), str(len(x)), *(f"{c:.2f}".replace(".", ",") for c in cells)]))
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
    found = read(tmp_path)
    assert [(r.kind, r.variables, r.by, r.confirmed) for r in found] == [("position", ("q3",), ("q1",), True)] * 2


def test_correlations_beside_means_are_two_outputs(tmp_path: Path) -> None:
    names = ["q3", "q4", "visits"]
    grid = FRAME[names].corr()
    lines = ["| Variable | M | SD | 1 | 2 |", "|---|---|---|---|---|"]
    for i, name in enumerate(names):
        cells = [f"{grid.loc[name, names[j]]:.3f}" if j < i else "–" if j == i else "" for j in range(2)]
        lines.append(f"| {i + 1}. {name} | {FRAME[name].mean():.2f} | {FRAME[name].std():.2f} | {' | '.join(cells)} |")
    (tmp_path / "apa.md").write_text("\n".join(lines), encoding="utf-8")
    found = {r.kind: r for r in read(tmp_path)}
    assert found["correlation"].confirmed
    assert found["correlation"].variables == tuple(names)
    assert found["means"].confirmed


def test_logarithms_of_latex_are_read(tmp_path: Path) -> None:
    fit = smf.ols("np.log(q3) ~ q4 + q2", FRAME).fit()
    rows = [f"{k} & {fit.params[k]:.4f} & {fit.bse[k]:.4f} \\\\" for k in ("q4", "q2")]
    head = [r"\begin{tabular}{lcc}", r"& \multicolumn{2}{c}{Dependent variable: $\log(\text{q3})$} \\"]
    text = "\n".join([*head, r"& Coefficient & Std. Error \\", *rows, r"\end{tabular}"])
    (tmp_path / "model.tex").write_text(text, encoding="utf-8")
    (found,) = read(tmp_path)
    assert found.confirmed
    assert found.formula == "log(q3) ~ q4 + q2"


def test_a_long_label_goes_on_beside_the_rows_of_its_groups(tmp_path: Path) -> None:
    parts = ("Pressure", "of blood", "at rest")
    groups = [*((str(k), x) for k, x in FRAME.groupby("q2").q3), ("Total", FRAME.q3)]
    rows = [["", "Well", "N", "Mean", "Std. Deviation"]]
    rows += [[p, g, str(len(x)), f"{x.mean():.2f}", f"{x.std():.2f}"] for p, (g, x) in zip(parts, groups, strict=True)]
    (tmp_path / "output.txt").write_text(_box("Descriptives", rows), encoding="utf-8")
    (found,) = read(tmp_path)
    assert found.confirmed
    assert (found.variables, found.by) == (("q3",), ("q2",))


def test_people_counted_with_weights_are_no_totals(tmp_path: Path) -> None:
    frame = FRAME.assign(pw=(10 + (np.arange(400) * 7) % 23).astype(float))
    grid = frame.pivot_table(values="pw", index="q1", columns="q2", aggfunc="sum")
    rows = [f"{k},{row[0]:.2f},{row[1]:.2f}" for k, row in grid.iterrows()]
    (tmp_path / "counts.csv").write_text("\n".join(["q1,q2=0,q2=1", *rows]), encoding="utf-8")
    (found,) = [r for _, r in read_folder(tmp_path, table_from_frame(frame)).readings]
    assert (found.kind, found.weights, found.confirmed) == ("crosstab", "pw", True)


def test_a_label_in_a_matrix_is_found_by_its_correlations(tmp_path: Path) -> None:
    names = {"q3": "q3", "q4": "q4", "Arztbesuche": "visits"}
    grid = FRAME[list(names.values())].corr()
    rows = [["", *names], *([t, *(f"{x:.3f}" for x in grid.loc[n])] for t, n in names.items())]
    (tmp_path / "matrix.csv").write_text("\n".join(",".join(r) for r in rows), encoding="utf-8")
    (found,) = read(tmp_path)
    assert (found.kind, found.variables, found.confirmed) == ("correlation", ("q3", "q4", "visits"), True)


def test_a_group_that_is_called_like_a_variable(tmp_path: Path) -> None:
    rows = [
        f"| {g} | {len(x)} | {x.mean():.2f} ({x.std():.2f}) |"
        for g, x in zip(("Unflagged", "Flag"), _by_flag(), strict=True)
    ]
    text = "\n".join(["## Pressure by flag", "", "| Who | n | Mean (SD) |", "|---|---|---|", *rows])
    (tmp_path / "report.md").write_text(text, encoding="utf-8")
    (found,) = read(tmp_path)
    assert (found.kind, found.variables, found.by, found.confirmed) == ("means", ("q3",), ("flag",), True)


def _by_flag() -> list[pd.Series]:
    return [FRAME.q3[FRAME.flag == k] for k in (0, 1)]


def test_quantiles_of_pandas_in_latex(tmp_path: Path) -> None:
    found = FRAME[["q3", "q4"]].quantile([0.1, 0.5, 0.9])
    rows = [f"{p:.6f} & {r.q3:.6f} & {r.q4:.6f} \\\\" for p, r in found.iterrows()]
    head = [r"\begin{tabular}{lrr}", r" & q3 & q4 \\", r"\midrule"]
    (tmp_path / "table.tex").write_text("\n".join([*head, *rows, r"\end{tabular}"]), encoding="utf-8")
    (read_one,) = read(tmp_path)
    assert (read_one.kind, read_one.variables, read_one.confirmed) == ("position", ("q3", "q4"), True)


def test_names_in_brackets_after_labels_and_logs_of_gretl(tmp_path: Path) -> None:
    fit = smf.ols("visits ~ q3 + q4 + np.log(q3) + q2 + flag", FRAME.assign(q3=FRAME.q3)).fit()
    called = {
        "q3": "Pression (q3)",
        "q4": "Poids (q4)",
        "np.log(q3)": "l_q3",
        "q2": "Sexe (q2)",
        "flag": "Signe (flag)",
    }
    rows = [f"{called[k]};{fit.params[k]:.5f};{fit.bse[k]:.5f}" for k in called]
    text = "\n".join(["Variable;Coefficient;Std. Error", *rows, f"N;{int(fit.nobs)};"])
    (tmp_path / "modele.csv").write_text(text, encoding="utf-8")
    (found,) = read(tmp_path)
    assert found.confirmed
    assert found.formula == "visits ~ q3 + q4 + log(q3) + q2 + flag"
