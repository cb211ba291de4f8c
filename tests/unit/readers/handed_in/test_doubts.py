"""What is easily taken for something else, or for right: frames in a row, blanks, codes, errors of surveys."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from scipy.stats import ttest_ind

from divulge.readers.handed_in.candidates.candidate import Figure
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.folder import read_folder
from divulge.readers.handed_in.matching import figures
from divulge.readers.handed_in.matching.coherence import coherent
from divulge.readers.handed_in.matching.data import Data
from divulge.readers.handed_in.matching.reading import Checked, Reading
from divulge.table import Table, table_from_frame
from tests.support.handed_in import people, table


def readings(folder: Path, text: str, data: Table | None = None, suffix: str = "txt") -> list[Reading]:
    file = folder / f"output.{suffix}"
    file.write_text(text, encoding="utf-8")
    return [r for _, r in read_folder(file, data or table()).readings]


def told(reading: Reading) -> tuple[str, bool]:
    return reading.formula or " ".join([*reading.variables, *reading.by]), reading.confirmed


def test_frames_that_a_script_prints_one_after_the_other_are_read_apart(tmp_path: Path) -> None:
    d = people()
    frames = [pd.crosstab(d.town, d.ill), d.groupby("sex").wage.agg(["mean", "std"]), d[["wage", "age"]].corr()]
    found = readings(tmp_path, "\n".join(f.to_string() for f in frames))
    assert [told(r) for r in found] == [("town ill", True), ("wage sex", True), ("wage age", True)]


def test_means_by_two_variables_are_a_series_of_their_own(tmp_path: Path) -> None:
    d = people()
    text = f"{pd.crosstab(d.town, d.ill).to_string()}\n{d.groupby(['sex', 'town']).wage.mean()}\n"
    assert [told(r) for r in readings(tmp_path, text)] == [("town ill", True), ("wage sex town", True)]


def test_a_column_that_nobody_can_name_is_told(tmp_path: Path) -> None:
    d = people()
    frame = d.groupby("sex").wage.agg(["mean", "std"]).round(2)
    frame["zeta"] = [0.61, 0.43]
    file = tmp_path / "output.txt"
    file.write_text(frame.to_string(), encoding="utf-8")
    (found,) = read_folder(file, table()).files
    assert [told(r) for r in found.readings] == [("wage sex", True)]
    assert [(a, b) for a, b, why in found.left if "column" in why] == [(1, 4)]


def test_a_dispersion_is_no_term_of_a_model(tmp_path: Path) -> None:
    text = str(smf.negativebinomial("age ~ ill", people()).fit(disp=0).summary())
    (found,) = readings(tmp_path, text)
    assert found.formula == "age ~ ill"


def test_classes_that_are_called_by_their_order_are_no_percentiles(tmp_path: Path) -> None:
    d = people()
    d["deck"] = d.town.map({"Bath": "1st", "Ely": "2nd", "York": "3rd"})
    frame = d.groupby("deck").wage.agg(["count", "mean"]).round(2)
    (found,) = readings(tmp_path, frame.to_string(), table_from_frame(d))
    assert told(found) == ("wage deck", True)


def robust_summary() -> str:
    return str(smf.ols("wage ~ age + C(town)", people()).fit(cov_type="HC3").summary())


def test_robust_errors_are_compared_and_one_that_was_mistyped_is_named(tmp_path: Path) -> None:
    text = robust_summary()
    (right,) = readings(tmp_path, text)
    error = next(c.figure for c in right.figures if c.figure.what == "standard error" and c.figure.of == "age")
    lines = text.splitlines()
    shown = error.printed.text
    lines[error.line - 1] = lines[error.line - 1].replace(f" {shown} ", f" {shown[:-1]}{(int(shown[-1]) + 4) % 10} ")
    (wrong,) = readings(tmp_path, "\n".join(lines))
    assert right.confirmed
    assert right.facts == {"standard errors": "HC3"}
    assert wrong.disagreeing == ("age: standard error",)


def row(of: str, **printed: str) -> list[Checked]:
    out = []
    for what, text in printed.items():
        number = parse_number(text)
        assert number is not None
        name = {"p": "p-value"}.get(what, what.replace("_", " "))
        known = True if name == "coefficient" else None
        out.append(Checked(Figure(f"{of}: {name}", name, number, 1, of), known))
    return out


@pytest.mark.parametrize(
    ("changed", "wrong"),
    [
        ({}, set()),
        ({"standard_error": "0.59"}, {"age: standard error", "age: t"}),
        ({"t": "2.40"}, {"age: standard error", "age: t", "age: p-value"}),
        ({"p": "0.049"}, {"age: p-value"}),
    ],
)
def test_errors_that_nobody_computes_must_suit_their_row(changed: dict[str, str], wrong: set[str]) -> None:
    first = row("age", **{"coefficient": "1.02", "standard_error": "0.50", "t": "2.04", "p": "0.043", **changed})
    others = row("sex", coefficient="3.00", standard_error="1.00", t="3.00", p="0.003")
    others += row("town", coefficient="-0.50", standard_error="0.50", t="-1.00", p="0.319")
    others += row("ill", coefficient="2.00", standard_error="1.00", t="2.00", p="0.047")
    found = coherent([*first, *others])
    assert {c.figure.label for c in found if c.agrees is False} == wrong


def with_blanks() -> pd.DataFrame:
    d = people()
    d.loc[d.index[::7], "town"] = None
    return d


def test_missing_texts_that_a_program_counts_as_a_value_are_understood(tmp_path: Path) -> None:
    d = with_blanks()
    counts = pd.crosstab(d.town.fillna(""), d.ill, margins=True, margins_name="Sum")
    head = "     \n" + " " * 10 + "".join(f"{c!s:>6}" for c in counts.columns)
    lines = [f"  {label!s:<8}" + "".join(f"{n:>6}" for n in row) for label, row in counts.iterrows()]
    text = "\n".join(["> addmargins(table(d$town, d$ill))", head, *lines, "> "])
    (found,) = readings(tmp_path, text, table_from_frame(d))
    assert told(found) == ("town ill", True)
    assert not found.outputs, "no output of a spec counts people so"


def test_a_model_in_which_a_missing_text_is_a_level_is_understood(tmp_path: Path) -> None:
    d = with_blanks()
    text = str(smf.ols("wage ~ age + C(town)", d.assign(town=d.town.fillna(""))).fit().summary())
    (found,) = readings(tmp_path, text, table_from_frame(d))
    assert told(found) == ("wage ~ C(town) + age", True)


def test_only_what_missing_texts_may_change_is_computed_with_them() -> None:
    blanks = Data(table_from_frame(with_blanks())).with_blanks
    assert blanks is not None
    made = blanks.with_derived({"place": "town"})
    assert [blanks.tells_blanks(names, "") for names in (["sex", "age"], ["sex", "town"])] == [False, True]
    assert blanks.tells_blanks(["age"], "wage town == 'Bath'")
    assert made.tells_blanks(["place"], "")
    assert Data(table()).tells_blanks(["age"], "")


def test_other_errors_are_tried_only_where_a_coefficient_agrees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("no coefficient was compared")

    (found,) = readings(tmp_path, robust_summary())
    monkeypatch.setattr(figures, "other_errors", never)
    unknown = replace(found, figures=tuple(replace(c, agrees=None) for c in found.figures))
    same = figures.with_other_errors(unknown, found.candidate, "linear", None, None, None, None)  # type: ignore[arg-type]
    assert same is unknown


def test_the_condition_of_a_table_with_two_wrong_figures_is_named(tmp_path: Path) -> None:
    d = people()
    some = (
        d[d.sex == "Female"]
        .groupby("town")
        .agg(**{f"{name} {what}": (name, what) for name in ("age", "wage") for what in ("mean", "std", "min", "max")})
        .round(3)
    )
    some.iloc[1, 3] += 2
    some.iloc[2, 6] += 5
    rows = ["| town | " + " | ".join(some.columns) + " |", "|---" * 9 + "|"]
    rows += [f"| {town} | " + " | ".join(f"{v:.3f}" for v in row) + " |" for town, row in some.iterrows()]
    (found,) = readings(tmp_path, "\n".join(rows), suffix="md")
    assert found.where == "sex == 'Female'"
    assert len(found.disagreeing) == 2


def test_codes_of_a_table_are_no_running_numbers(tmp_path: Path) -> None:
    d = people()
    d["zone"] = d.town.astype("category").cat.codes + 1
    counts = pd.crosstab(d.zone, d.sex)
    head = "   \n" + " " * 4 + "".join(f"{c!s:>8}" for c in counts.columns)
    lines = [f"  {label!s:<2}" + "".join(f"{n:>8}" for n in row) for label, row in counts.iterrows()]
    text = "\n".join(["> table(d$zone, d$sex)", head, *lines, "> "])
    (found,) = readings(tmp_path, text, table_from_frame(d))
    assert told(found) == ("zone sex", True)


def test_weights_that_a_table_does_not_name_are_found_by_its_total(tmp_path: Path) -> None:
    d = people()
    d["grossing"] = 1000 + 7 * d.age
    sums = d.groupby("town").grossing.sum()
    lines = [f"Valid,{town},{n},{100 * n / sums.sum():.1f}%" for town, n in sums.items()]
    head = ["Table: town", ",,Frequency,Percent"]
    (found,) = readings(tmp_path, "\n".join([*head, *lines, f"Total,,{sums.sum()},100.0%"]), table_from_frame(d), "csv")
    assert told(found) == ("town", True)
    assert found.weights == "grossing"


def logit_of_stata(change: tuple[str, str] | None = None) -> str:
    """Odds ratios as Stata prints them, with seven digits."""
    fit = smf.logit("ill ~ age + wage", people()).fit(disp=0)
    ends = fit.conf_int()
    lines = [". logit ill age wage", "", f"Logistic regression{'':30}Number of obs = {int(fit.nobs)}", "", "-" * 78]
    lines += [
        "         ill | Coefficient  Std. err.      z    P>|z|     [95% conf. interval]",
        f"{'-' * 13}+{'-' * 64}",
    ]
    for name, label in (("age", "age"), ("wage", "wage"), ("Intercept", "_cons")):
        shown = [f"{v:.7g}" for v in (fit.params[name], fit.bse[name])]
        shown += [f"{fit.tvalues[name]:.2f}", f"{fit.pvalues[name]:.3f}", *(f"{v:.7g}" for v in ends.loc[name])]
        lines.append(f"{label:>12} | " + " ".join(f"{s:>11}" for s in shown))
    text = "\n".join([*lines, "-" * 78, ""])
    return text if change is None else text.replace(*change, 1)


@pytest.mark.parametrize("column", [0, 1, 4, 5])
def test_a_digit_within_the_room_for_iterations_is_named(tmp_path: Path, column: int) -> None:
    text = logit_of_stata()
    (right,) = readings(tmp_path, text, suffix="log")
    assert right.confirmed
    row = next(t for t in text.split("\n") if t.startswith(f"{'_cons':>12}"))
    shown = row.split("|")[1].split()[column]
    other = f"{float(shown) * (1 + 4e-5):.7g}"  # within one part in ten thousand, which programs may differ by
    (wrong,) = readings(tmp_path, logit_of_stata((shown, other)), suffix="log")
    assert not wrong.confirmed


def ols_of_statsmodels(change: tuple[str, str] | None = None) -> str:
    text = str(smf.ols("wage ~ age + C(town)", people()).fit().summary())
    return text if change is None else text.replace(*change, 1)


def test_the_exponential_of_an_end_is_no_end_of_a_linear_model(tmp_path: Path) -> None:
    (right,) = readings(tmp_path, ols_of_statsmodels())
    assert right.confirmed
    ends = smf.ols("wage ~ age + C(town)", people()).fit().conf_int().loc["age"]
    shown = f"{ends[0]:10.3f} {ends[1]:11.3f}"
    assert shown in ols_of_statsmodels()
    (wrong,) = readings(tmp_path, ols_of_statsmodels((shown, f"{np.exp(ends[0]):10.3f} {ends[1]:11.3f}")))
    assert not wrong.confirmed


@pytest.mark.parametrize("units", [0, 1, -1])
def test_a_p_value_has_the_room_of_its_rounding_and_no_more(units: int, tmp_path: Path) -> None:
    d = people()
    found = ttest_ind(d[d.sex == "Female"].wage, d[d.sex == "Male"].wage, equal_var=False)
    unit = 10.0 ** (math.floor(math.log10(found.pvalue)) - 3)  # four digits, as R prints them
    shown = f"{(round(found.pvalue / unit) + units) * unit:.4g}"
    lines = ["> t.test(wage ~ sex, data = d)", "", "\tWelch Two Sample t-test", "", "data:  wage by sex"]
    lines += [f"t = {found.statistic:.4f}, df = {found.df:.2f}, p-value = {shown}", "> "]
    (reading,) = readings(tmp_path, "\n".join(lines))
    assert reading.confirmed == (units == 0)
