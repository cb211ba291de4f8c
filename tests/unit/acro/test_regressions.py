"""Regressions of a folder become outputs that the data give: by formula, or put together from names of terms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf

from divulge.readers.acro import Reading, read_folder, read_outputs
from divulge.table import table_from_frame
from tests.support.acro_folders import people, regression_entry, table_entry, write_folder

FRAME = people()


def _read(tmp_path: Path, entry: dict[str, Any]) -> Reading:
    folder = read_folder(write_folder(tmp_path / "out", {"r": entry}))
    return read_outputs(folder, table_from_frame(FRAME))[0]


def test_formula_is_read_from_the_command(tmp_path: Path) -> None:
    result = smf.ols("age ~ C(town) + ill", FRAME).fit()
    reading = _read(tmp_path, regression_entry(result, "olsr", "a.olsr('age ~ C(town) + ill', df)"))
    assert reading.reason is None
    (output,) = reading.outputs
    assert (output.kind, vars(output)["formula"]) == ("linear", "age ~ C(town) + ill")
    assert vars(output)["statistics"] == ("se", "n")
    assert "R² and log-likelihood are compared" in reading.notes[-1]
    assert reading.agreeing == reading.figures == 7


def test_coefficients_have_four_decimals_and_standard_errors_three(tmp_path: Path) -> None:
    result = smf.ols("age ~ ill", FRAME).fit()
    released = _read(tmp_path, regression_entry(result, "olsr", "a.olsr('age ~ ill', df)")).released[0]
    at = released.labels.index("ill")
    assert released.half[at] == pytest.approx(0.00005)
    assert released.se_half[at] == pytest.approx(0.0005)
    assert released.low[at] <= result.params["ill"] <= released.high[at]
    assert released.half[released.labels.index("n")] == 0.5


def test_formula_is_put_together_from_names_of_terms(tmp_path: Path) -> None:
    result = sm.Logit(FRAME.ill, sm.add_constant(FRAME[["age"]])).fit(disp=0)
    reading = _read(tmp_path, regression_entry(result, "logit", "a.logit(y, x)"))
    (output,) = reading.outputs
    assert (output.kind, vars(output)["formula"]) == ("logistic", "ill ~ age")
    assert reading.agreeing == reading.figures == 5
    assert "put together from the names" in reading.notes[0]


def test_regression_without_intercept_has_none(tmp_path: Path) -> None:
    result = sm.OLS(FRAME.age, FRAME[["ill"]]).fit()
    reading = _read(tmp_path, regression_entry(result, "ols", "a.ols(df.age, df[['ill']])"))
    assert vars(reading.outputs[0])["formula"] == "age ~ 0 + ill"
    assert reading.agreeing >= reading.figures - 1  # statsmodels calls its R² uncentred


def test_robust_standard_errors_are_left_out(tmp_path: Path) -> None:
    result = smf.ols("age ~ ill", FRAME).fit(cov_type="HC1")
    reading = _read(tmp_path, regression_entry(result, "olsr", "a.olsr('age ~ ill', df)"))
    assert "se" not in vars(reading.outputs[0])["statistics"]
    assert "robust" in reading.notes[0]
    assert reading.agreeing == reading.figures


def test_rows_that_the_command_selects_are_selected(tmp_path: Path) -> None:
    result = smf.ols("age ~ ill", FRAME[FRAME.sex == "F"]).fit()
    reading = _read(tmp_path, regression_entry(result, "olsr", "a.olsr('age ~ ill', df[df.sex == 'F'])"))
    assert reading.outputs[0].where == '`sex` = "F"'
    assert reading.agreeing == reading.figures == 5


@pytest.mark.parametrize(
    ("method", "command", "said"),
    [
        ("tobitr", "a.tobitr('ill ~ age', df)", "'tobitr' is not a kind"),
        ("olsr", "a.olsr('age ~ magic(ill)', df)", "not a function that formulas know"),
        ("olsr", "a.olsr('age ~ wealth', df)", "no variable 'wealth'"),
        ("olsr", "a.olsr('age ~ ill', df, subset=chosen)", "which rows"),
    ],
)
def test_regression_that_cannot_be_read_says_why(method: str, command: str, said: str, tmp_path: Path) -> None:
    result = smf.ols("age ~ ill", FRAME).fit()
    assert said in str(_read(tmp_path, regression_entry(result, method, command)).reason)


def test_other_types_are_listed_with_the_reason(tmp_path: Path) -> None:
    entries = {
        "h": {"type": "histogram", "files": [{"name": "h.png"}], "content": b"png", "command": "a.hist(df, 'age')"},
        "s": {"type": "survival plot", "files": [{"name": "s.png"}], "content": b"png", "command": ""},
        "c": {"type": "custom", "files": [{"name": "c.txt"}], "content": b"x", "command": "custom"},
        "x-DONT_RELEASE": {"type": "custom", "files": [{"name": "x.csv"}], "content": b"x", "command": "custom"},
        "n": {"type": "novelty", "files": [{"name": "n.txt"}], "content": b"x", "command": ""},
        "t": table_entry(pd.crosstab(FRAME.town, FRAME.sex), "a.crosstab(df.town, df.sex)"),
    }
    folder = read_folder(write_folder(tmp_path / "out", entries))
    reasons = {r.entry.name: r.reason for r in read_outputs(folder, table_from_frame(FRAME))}
    assert reasons["h"] == "a histogram is a picture (h.png), whose numbers are not in the folder."
    assert "survival plot is a picture" in str(reasons["s"])
    assert "added by hand" in str(reasons["c"])
    assert "not to be released" in str(reasons["x-DONT_RELEASE"])
    assert "'novelty' are not known" in str(reasons["n"])
    assert reasons["t"] is None
