"""Figures that follow from the rows of a model are computed as other programs compute them, and nothing slips by."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from scipy import stats

from divulge.assess.folders.handed_in import doubts_about
from divulge.readers.handed_in.folder import FolderRead, read_folder
from divulge.readers.handed_in.matching.by_rows import row_figure, standardised
from divulge.readers.handed_in.matching.data import Data
from divulge.readers.handed_in.matching.fits import Fit, fits_of
from divulge.readers.handed_in.matching.group_tests import p_values
from divulge.spec.handed_in import unread_parts
from tests.support.handed_in import people, statsmodels_text, table


def fitted(kind: str, formula: str, **more: object) -> Fit:
    found = fits_of(kind, table(), formula, None, None, more)
    assert not isinstance(found, str), found
    return found[0]


def one(fit: Fit, what: str) -> float:
    values = row_figure(fit, what)
    assert values is not None, what
    return values[0]


def read(folder: Path, text: str) -> FolderRead:
    (folder / "output.txt").write_text(text, encoding="utf-8")
    return read_folder(folder, table())


def test_residuals_of_a_linear_model_are_those_of_statsmodels() -> None:
    theirs, ours = smf.ols("wage ~ age + ill", people()).fit(), fitted("linear", "wage ~ age + ill")
    raw = np.asarray(theirs.resid)
    assert one(ours, "minimum of residuals") == pytest.approx(raw.min())
    assert one(ours, "Durbin-Watson") == pytest.approx((np.diff(raw) ** 2).sum() / (raw**2).sum())
    assert one(ours, "omnibus") == pytest.approx(stats.normaltest(raw).statistic)
    assert one(ours, "Jarque-Bera") == pytest.approx(stats.jarque_bera(raw).statistic)
    assert one(ours, "condition number") == pytest.approx(theirs.condition_number)
    spread = people()
    beta = theirs.params["age"] * spread.age.std() / spread.wage.std()
    assert standardised(ours, "age") == pytest.approx([beta])


@pytest.mark.parametrize("errors", ["HC0", "HC1", "HC3"])
def test_joint_test_is_by_the_covariance_of_the_errors(errors: str) -> None:
    theirs = smf.ols("wage ~ age + ill", people()).fit(cov_type=errors, use_t=True)
    ours = fitted("linear", "wage ~ age + ill", errors=errors)
    assert one(ours, "F") == pytest.approx(float(theirs.fvalue))
    assert one(ours, "p-value") == pytest.approx(float(theirs.f_pvalue))


@pytest.mark.parametrize("kind", ["poisson", "logistic"])
def test_deviance_is_that_of_statsmodels(kind: str) -> None:
    formula, family = (
        ("age ~ ill + wage", sm.families.Poisson()) if kind == "poisson" else ("ill ~ age", sm.families.Binomial())
    )
    theirs, ours = smf.glm(formula, people(), family=family).fit(), fitted(kind, formula)
    assert one(ours, "deviance") == pytest.approx(theirs.deviance)
    assert one(ours, "null deviance") == pytest.approx(theirs.null_deviance)
    assert one(ours, "maximum of residuals") == pytest.approx(theirs.resid_deviance.max(), rel=1e-6)


def test_tests_of_a_cox_model_are_those_of_statsmodels() -> None:
    frame = people()
    model = smf.phreg("age ~ wage", frame, status=frame.ill.to_numpy(), ties="efron")
    theirs, ours = model.fit(), fitted("cox", "age, ill ~ wage")
    null = model.loglike(np.zeros(1))
    assert one(ours, "log-likelihood") == pytest.approx(theirs.llf)
    assert one(ours, "likelihood ratio chi-squared") == pytest.approx(2 * (theirs.llf - null))
    assert one(ours, "Wald chi-squared") == pytest.approx(float(theirs.tvalues[0]) ** 2, rel=1e-5)
    assert one(ours, "events") == frame.ill.sum()
    risk = frame.wage.to_numpy() * np.sign(theirs.params[0])
    pairs = [
        (risk[i] > risk[j]) + 0.5 * (risk[i] == risk[j])
        for i in np.flatnonzero(frame.ill)
        for j in range(len(frame))
        if frame.age[j] > frame.age[i] or (frame.age[j] == frame.age[i] and not frame.ill[j])
    ]
    assert one(ours, "concordance") == pytest.approx(np.mean(pairs))


def test_usual_tests_of_a_table_one_are_among_those_computed() -> None:
    frame = people()
    every = np.ones(len(frame), dtype=bool)
    data = Data(table())
    by_sex = [g.wage.to_numpy() for _, g in frame.groupby("sex")]
    by_town = [g.wage.to_numpy() for _, g in frame.groupby("town")]
    counts = pd.crosstab(frame.ill, frame.sex)
    of_two, of_three = p_values(data, "wage", "sex", every), p_values(data, "wage", "town", every)
    for p in (
        stats.ttest_ind(*by_sex).pvalue,
        stats.ttest_ind(*by_sex, equal_var=False).pvalue,
        stats.mannwhitneyu(*by_sex, method="asymptotic").pvalue,
        stats.kruskal(*by_sex).pvalue,
    ):
        assert min(abs(p - q) for q in of_two) < 1e-9
    for p in (stats.f_oneway(*by_town).pvalue, stats.kruskal(*by_town).pvalue):
        assert min(abs(p - q) for q in of_three) < 1e-9
    of_counts = p_values(data, "ill", "sex", every)
    for p in (
        stats.chi2_contingency(counts).pvalue,
        stats.chi2_contingency(counts, correction=False).pvalue,
        stats.fisher_exact(counts).pvalue,
    ):
        assert min(abs(p - q) for q in of_counts) < 1e-9


@pytest.mark.parametrize(
    "what", ["Durbin-Watson", "Omnibus", "Jarque-Bera (JB)", "Prob(Omnibus)", "Skew", "Kurtosis", "Df Residuals"]
)
def test_changed_figure_of_the_residuals_is_named(tmp_path: Path, what: str) -> None:
    text = statsmodels_text(people())
    shown = re.search(rf"{re.escape(what)}:\s+(\S+)", text)
    assert shown is not None
    assert all(r.confirmed for _, r in read(tmp_path, text).readings)
    other = str(float(shown[1]) + 1) if "." in shown[1] else str(int(shown[1]) + 1)
    changed = text[: shown.start(1)] + other.ljust(len(shown[1])) + text[shown.end(1) :]
    assert not all(r.confirmed for _, r in read(tmp_path, changed).readings)


def test_figure_of_an_output_that_no_reader_took_is_listed(tmp_path: Path) -> None:
    text = statsmodels_text(people())
    found = read(tmp_path, text.replace("Durbin-Watson:", "Durbin-Wizard:"))
    assert [r.confirmed for _, r in found.readings] == [True]
    assert any("was not read" in said for said in unread_parts(found))
    assert not unread_parts(read(tmp_path, text))


def test_figures_that_were_not_computed_again_are_a_reason_to_look(tmp_path: Path) -> None:
    means = people().groupby("sex").wage.agg(["count", "mean", "std"]).round(2)
    rows = [f"| {sex} | {int(r['count'])} | {r['mean']} ({r['std']}) | 0.4444 |" for sex, r in means.iterrows()]
    heads = "| sex | n | wage: mean (SD) | p-value |\n|---|---|---|---|\n"
    (tmp_path / "table.md").write_text(heads + "\n".join(rows), encoding="utf-8")
    found = read_folder(tmp_path, table())
    assert any(r.not_compared for _, r in found.readings if r.confirmed) or unread_parts(found)
    assert any("not computed again" in d or "Not read" in d for d in doubts_about(found, ()))


@pytest.mark.parametrize("family", ["Poisson", "Binomial"])
def test_every_figure_that_statsmodels_prints_of_a_model_is_compared(tmp_path: Path, family: str) -> None:
    formula = "age ~ ill + wage" if family == "Poisson" else "ill ~ age"
    text = str(smf.glm(formula, people(), family=getattr(sm.families, family)()).fit().summary())
    found = read(tmp_path, text)
    assert [(r.confirmed, r.not_compared) for _, r in found.readings] == [(True, ())]
    assert not unread_parts(found)
