"""Layouts of packages and programs, each in its own way: recognised, and confirmed by the data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from divulge.readers.handed_in.candidates.numbers import decimal_of, parse_number
from divulge.readers.handed_in.folder import FolderRead, read_folder
from divulge.readers.handed_in.matching.reading import Reading
from divulge.readers.handed_in.sheets import Lines
from divulge.readers.handed_in.sheets.boxes import with_boxes
from divulge.table import table_from_frame
from tests.support.handed_in import least_squares, people, table


def read(path: Path) -> FolderRead:
    return read_folder(path, table())


def told(reading: Reading) -> tuple[str, str]:
    return reading.kind, reading.formula or " ".join([*reading.variables, *reading.by])


def cross_table() -> str:
    counts = pd.crosstab(people().town, people().ill)
    lines = ["> CrossTable(d$town, d$ill, prop.c = FALSE, prop.t = FALSE, prop.chisq = FALSE)", "", "   Cell Contents"]
    lines += ["|-------------------------|", "|                       N |", "|           N / Row Total |"]
    lines += ["|-------------------------|", "", "             | d$ill "]
    lines += [
        "      d$town |         0 |         1 | Row Total | ",
        "-------------|-----------|-----------|-----------|",
    ]
    for town, row in counts.iterrows():
        n = row.sum()
        lines.append(f"{town:>12} | {row[0]:>9} | {row[1]:>9} | {n:>9} | ")
        lines.append(f"{'':>12} | {row[0] / n:>9.3f} | {row[1] / n:>9.3f} | {n / 200:>9.3f} | ")
        lines.append("-------------|-----------|-----------|-----------|")
    lines.append(f"Column Total | {counts[0].sum():>9} | {counts[1].sum():>9} | {200:>9} | ")
    return "\n".join([*lines, "-------------|-----------|-----------|-----------|", "", "> "])


def described_by() -> str:
    lines = ["> describeBy(d$wage, d$sex)", "", " Descriptive statistics by group "]
    for sex, part in people().groupby("sex"):
        x = part.wage
        lines += [f"group: {sex}", "   vars   n    mean     sd  median     min     max"]
        shown = f"{x.mean():.2f} {x.std():.2f} {x.median():.2f} {x.min():.2f} {x.max():.2f}"
        lines += [f"X1    1 {len(x)} {shown}", "-" * 40]
    return "\n".join([*lines, "> "])


def means_over() -> str:
    lines = [". mean wage, over(sex)", "", "Mean estimation                   Number of obs = 200", "", "-" * 60]
    lines += ["             |       Mean   Std. err.     [95% conf. interval]", "-------------+" + "-" * 46]
    lines.append("c.wage@sex |")
    for sex, part in people().groupby("sex"):
        error = part.wage.std() / np.sqrt(len(part))
        reach = stats.t.ppf(0.975, 199) * error
        ends = f"{part.wage.mean() - reach:.3f}   {part.wage.mean() + reach:.3f}"
        lines.append(f"{sex:>12} | {part.wage.mean():.3f}   {error:.4f}   {ends}")
    return "\n".join([*lines, "-" * 60, ""])


def tabulations() -> str:
    lines = [". tab1 town ill", ""]
    for name in ("town", "ill"):
        counts = people()[name].value_counts().sort_index()
        lines += [f"-> tabulation of {name}  ", "", f"{name:>11} |      Freq.     Percent        Cum."]
        lines.append("------------+-----------------------------------")
        shares = 100 * counts / counts.sum()
        rows = zip(counts.index, counts, shares, shares.cumsum(), strict=True)
        lines += [f"{label!s:>11} |{n:>11}{share:>12.2f}{so_far:>12.2f}" for label, n, share, so_far in rows]
        lines += [
            "------------+-----------------------------------",
            f"      Total |{counts.sum():>11}      100.00",
            "",
        ]
    return "\n".join(lines)


def one_sample() -> str:
    x = people().wage
    error = x.std() / np.sqrt(len(x))
    t = (x.mean() - 1000) / error
    reach = stats.t.ppf(0.975, 199) * error
    gap = x.mean() - 1000
    row = f"|wage|{t:7.2f}|199|   .000|{gap:10.2f}|{gap - reach:8.2f}|{gap + reach:8.2f}|"
    rule = "+----+-------+---+-------+----------+--------+--------+"
    return "\n".join(
        [
            "                     One-Sample Test",
            "+----+------------------------------------------------+",
            "|    |               Test Value = 1000                |",
            "|    +-------+---+-------+----------+-----------------+",
            "|    |       |   |       |          |  95% Confidence |",
            "|    |       |   |  Sig. |          | Interval of the |",
            "|    |       |   |  (2-  |   Mean   |    Difference   |",
            "|    |   t   | df|tailed)|Difference+--------+--------+",
            "|    |       |   |       |          |  Lower |  Upper |",
            rule,
            row,
            rule,
            "",
        ]
    )


def summary_of_groups() -> str:
    lines = ["gretl version 2022c", "? summary wage age --by=sex", ""]
    for sex, part in people().groupby("sex"):
        lines += [f"sex = {sex} (n = {len(part)}):", "", "                     Mean         Median        Minimum"]
        for name in ("wage", "age"):
            x = part[name]
            lines.append(f"{name:<10}{x.mean():>15.3f}{x.median():>15.3f}{x.min():>15.3f}")
        lines.append("")
    return "\n".join(lines)


def intervals_of_their_own() -> str:
    beta, errors = least_squares(people())
    reach = stats.t.ppf(0.975, 197) * errors
    found = zip(("age", "ill"), beta[:2], reach[:2], strict=True)
    shown = [(name, f"{b:.2f}", f"{b - r:.1f}, {b + r:.1f}") for name, b, r in found]
    rows = [f"{k} {name:>18} {b:>8} {ends:>14}      <0.99" for k, (name, b, ends) in enumerate(shown, 1)]
    head = "  **Characteristic** **Beta**     **95% CI** **p-value**"
    code = ["    Code", "      tbl_regression(lm(wage ~ age + ill, d))", "    Output"]
    return "\n".join([*code, *[f"      {t}" for t in (head, *rows)], ""])


def table_one() -> str:
    frame = people()
    lines = [
        "|                |      | Female       | Male         |",
        "|----------------|------|--------------|--------------|",
    ]
    groups = [frame[frame.sex == s] for s in ("Female", "Male")]
    lines.append("| n              |      | " + " | ".join(f"{len(g):<12}" for g in groups) + " |")
    lines.append(
        "| age, mean (SD) |      | " + " | ".join(f"{g.age.mean():.1f} ({g.age.std():.1f})" for g in groups) + " |"
    )
    for k, town in enumerate(("Bath", "Ely", "York")):
        cells = [f"{(g.town == town).sum()} ({100 * (g.town == town).mean():.1f})" for g in groups]
        lines.append(f"| {'town, n (%)' if k == 0 else '':<14} | {town:<4} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def sentence() -> str:
    women, men = (people()[people().sex == s].age for s in ("Female", "Male"))
    return (
        f"The mean age of women was {women.mean():.2f} years (SD {women.std():.2f})\n"
        f"and that of men {men.mean():.2f} years (SD {men.std():.2f}).\n"
    )


PRINTS: dict[str, tuple[Callable[[], str], list[tuple[str, str]]]] = {
    "gmodels.Rout": (cross_table, [("crosstab", "town ill")]),
    "psych.Rout": (described_by, [("position", "wage sex")]),
    "mean.log": (means_over, [("means", "wage sex")]),
    "tab1.log": (tabulations, [("frequencies", "town"), ("frequencies", "ill")]),
    "pspp.txt": (one_sample, [("t-test", "wage")]),
    "gretl.txt": (summary_of_groups, [("position", "wage age sex")] * 2),
    "gtsummary.md": (intervals_of_their_own, [("linear", "wage ~ age + ill")]),
    "tableone.md": (table_one, [("other", "age town sex")]),
    "abstract.txt": (sentence, [("means", "age sex")]),
}


@pytest.mark.parametrize("name", PRINTS)
def test_a_print_is_confirmed(name: str, tmp_path: Path) -> None:
    text, expected = PRINTS[name]
    (tmp_path / name).write_text(text(), encoding="utf-8")
    found = [r for _, r in read(tmp_path).readings]
    assert [told(r) for r in found] == expected
    assert [r.disagreeing for r in found] == [()] * len(found)
    assert all(r.confirmed for r in found)


@pytest.mark.slow
@pytest.mark.parametrize("name", PRINTS)
def test_a_wrong_digit_in_a_print_is_confirmed_by_nothing(name: str, tmp_path: Path) -> None:
    text = PRINTS[name][0]()
    right = [(r, c) for r in _readings(tmp_path / "right", name, text) for c in r.figures if c.agrees]
    reading, checked = max(right, key=lambda rc: rc[1].figure.printed.value or 0.0)
    shown = checked.figure.printed.text.strip("%")
    lines = text.splitlines()
    line = checked.figure.line - 1
    wrong = str(9 - int(shown[0])) + shown[1:]
    lines[line] = lines[line].replace(shown, wrong, 1)
    again = _readings(tmp_path / "wrong", name, "\n".join(lines))
    there = [r for r in again if r.candidate.lines[0] <= line + 1 <= r.candidate.lines[1] and r.kind == reading.kind]
    assert there
    assert not any(r.confirmed for r in there)


def _readings(folder: Path, name: str, text: str) -> list[Reading]:
    folder.mkdir()
    (folder / name).write_text(text, encoding="utf-8")
    return [r for _, r in read(folder).readings]


def test_intervals_of_the_likelihood_profile_are_those_of_r(tmp_path: Path) -> None:
    """coef(summary()) and confint() of R 4.2.2 on `glm(y ~ x, binomial)`."""
    x = np.arange(1, 13)
    y = np.array([0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1])
    rows = "term,estimate,std.error,statistic,p.value,conf.low,conf.high\n"
    rows += "x,0.3791635,0.2296905,1.650758,0.09878803,-0.004804874,0.9570612\n"
    (tmp_path / "tidy.csv").write_text("Logistic regression of y\n\n" + rows, encoding="utf-8")
    data = table_from_frame(pd.DataFrame({"x": x, "y": y}))
    (found,) = [r for _, r in read_folder(tmp_path, data).readings]
    assert (found.kind, found.formula, found.confirmed) == ("logistic", "y ~ x", True)


def test_levels_without_a_name_are_missing_values(tmp_path: Path) -> None:
    frame = people()
    frame["town"] = frame.town.where(frame.age < 60)
    counts = pd.crosstab(frame.town.fillna(""), frame.sex)
    lines = ["> table(d$town, d$sex)", "      ", "       Female Male"]
    lines += [f"  {town:<4} {row.iloc[0]:>6} {row.iloc[1]:>4}" for town, row in counts.iterrows()]
    (tmp_path / "a.Rout").write_text("\n".join([*lines, "> "]), encoding="utf-8")
    (found,) = [r for _, r in read_folder(tmp_path, table_from_frame(frame)).readings]
    assert (*told(found), found.confirmed) == ("crosstab", "town sex", True)


def test_a_figure_above_a_limit_agrees_with_what_is_above_it() -> None:
    printed = parse_number(">0.9")
    assert printed is not None
    assert [printed.agrees(v) for v in (0.91, 0.89)] == [True, False]


def test_three_decimals_after_a_zero_and_a_comma_are_decimals() -> None:
    assert decimal_of(["1,393", "0,558"]) == ","
    assert decimal_of(["1,393", "12,558"]) == "."


def test_a_reader_that_fails_on_a_block_is_told_and_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from divulge.readers.handed_in.programs.scipy import Scipy

    def stumble(*_: object) -> None:
        raise IndexError("17 of 5 people")

    monkeypatch.setattr(Scipy, "read", stumble)
    (tmp_path / "a.Rout").write_text(described_by(), encoding="utf-8")
    (file,) = read(tmp_path).files
    assert [r.confirmed for r in file.readings] == [True]
    assert file.unread == ("a mistake of Divulge's reader stopped its reading of what begins on line 1 (IndexError)",)


def test_a_header_of_pspp_that_goes_over_the_edge_stops_nothing() -> None:
    drawn = (
        "+----+----------",
        "| a  | Sig.",
        "|    +----+-----",
        "|    |    |  95",
        "|    |  t +----+",
        "+----+----+----+",
        "|age |1.57| .21|",
        "+----+----+----+",
    )
    assert list(with_boxes(Lines(tuple(drawn))))
