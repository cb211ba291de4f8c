"""`divulge.check`: three lines in a notebook, a verdict that shows itself, and clear errors."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

import divulge
from divulge import notebook
from divulge.errors import OutputError, UsageError
from divulge.readers.statsmodels import from_statsmodels
from tests.support.acro_folders import people

FRAME = people()
MODEL = smf.ols("age ~ ill", FRAME).fit()


@pytest.fixture(scope="module")
def found() -> divulge.Check:
    table = pd.crosstab(FRAME.town, FRAME.sex)
    return divulge.check(FRAME, MODEL, table, splits=2, seconds=0.3, workers=1, progress=False)


@pytest.mark.slow
def test_check_has_a_verdict_with_reasons(found: divulge.Check) -> None:
    assert found.verdict in ("release", "review", "refuse")
    assert found.reasons
    assert [o["kind"] for o in found.record["outputs"]] == ["linear", "crosstab"]
    assert repr(found).startswith(found.verdict.upper() + "\n  - ")


def test_check_shows_itself_in_a_notebook(found: divulge.Check) -> None:
    page = found._repr_html_()
    assert found.verdict.upper() in page.upper()
    assert "<script" not in page


def test_check_writes_report_and_record(found: divulge.Check, tmp_path: Path) -> None:
    assert "<html" in found.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert json.loads(found.save(tmp_path / "record.json").read_text(encoding="utf-8"))["verdict"] == found.verdict


def test_marginal_effects_are_read() -> None:
    effects = smf.logit("ill ~ age", FRAME).fit(disp=0).get_margeff()
    assert notebook._output(effects).kind == "marginal-effects"


def test_fit_that_does_not_name_its_event_is_refused_in_words() -> None:
    fit = smf.phreg("age ~ ill", FRAME, status=np.ones(len(FRAME))).fit()
    with pytest.raises(OutputError, match="does not say which variable is its event"):
        divulge.check(FRAME, fit)


def test_target_and_keys_may_be_named() -> None:
    found = divulge.check(FRAME, MODEL, target="ill", keys=["age"], splits=2, seconds=0.3, workers=1, progress=False)
    assert [(r["target"], r["keys"]) for r in found.record["risk"]] == [("ill", ["age"])]


def test_rule_book_may_be_named() -> None:
    table = pd.crosstab(FRAME.town, FRAME.sex)
    found = divulge.check(FRAME, table, rules="acro", splits=2, seconds=0.3, workers=1, progress=False)
    assert found.record["rules"]["profile"]["name"] == "acro"


def test_progress_is_shown_where_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    divulge.check(FRAME, MODEL, splits=2, seconds=0.3, workers=1, progress=True)
    printed = capsys.readouterr()
    assert "split 2 of 2" in printed.err
    assert printed.out == ""


def test_result_of_another_frame_is_rejected() -> None:
    other = FRAME.assign(age=FRAME.age + FRAME.ill)
    with pytest.raises(OutputError, match=r"results\[0\].*figures are not what the frame gives.*Is this the frame"):
        divulge.check(other, MODEL)


@pytest.mark.slow
def test_result_of_a_part_is_rejected_unless_the_part_is_named() -> None:
    part = smf.ols("age ~ C(town)", FRAME[FRAME.town != "Ely"]).fit()
    with pytest.raises(OutputError, match="Is this the frame"):
        divulge.check(FRAME, part)
    women = smf.ols("age ~ ill", FRAME[FRAME.sex == "F"]).fit()
    output = from_statsmodels(women, where="sex = F")
    assert divulge.check(FRAME, output, splits=2, seconds=0.3, workers=1, progress=False).reasons


def test_nothing_to_check_is_rejected() -> None:
    with pytest.raises(UsageError, match="at least one result"):
        divulge.check(FRAME)


def test_thing_that_is_no_result_is_rejected() -> None:
    with pytest.raises(OutputError, match=r"results\[1\]: a fitted model, a crosstab of pandas or an output"):
        divulge.check(FRAME, MODEL, "age ~ ill")


def test_public_names_are_few_and_all_there() -> None:
    assert len(divulge.__all__) <= 10
    assert all(callable(getattr(divulge, name)) for name in divulge.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        divulge.nothing  # noqa: B018


def test_importing_divulge_and_its_help_brings_no_heavy_library() -> None:
    code = """
import sys
import divulge
from divulge.cli import main
try:
    main(["--help"])
except SystemExit:
    pass
print([m for m in ("pandas", "numba", "statsmodels", "sklearn") if m in sys.modules], file=sys.stderr)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stderr.strip() == "[]"


def test_robust_standard_errors_are_kept_and_others_are_refused_in_words() -> None:
    robust = from_statsmodels(smf.ols("age ~ ill", FRAME).fit(cov_type="HC1"))
    assert vars(robust)["errors"] == "HC1"
    assert all("se" in entry for label, entry in dict(robust.released).items() if label != "n")  # type: ignore[arg-type]
    other = smf.ols("age ~ ill", FRAME).fit(cov_type="HAC", cov_kwds={"maxlags": 1})
    with pytest.raises(OutputError, match="'HAC' cannot be computed again"):
        from_statsmodels(other)
    assert "se" not in vars(from_statsmodels(other, statistics=("n",)))["statistics"]


@pytest.mark.slow
def test_refused_table_is_changed_until_it_is_released() -> None:
    rng = np.random.default_rng(3)  # any seed: two people are alone in their area
    frame = pd.DataFrame({"area": ["n"] * 200 + ["s"] * 150 + ["i"] * 2, "ill": rng.integers(0, 2, 352)})
    found = divulge.check(frame, pd.crosstab(frame["area"], frame["ill"]), progress=False)
    assert found.verdict != "release"
    proposals = found.mitigate(most=1)
    assert [p.verdict for p in proposals] == ["release"]
    assert "of the information" in repr(proposals[0])


def test_models_of_scikit_learn_are_sent_to_the_page_of_black_boxes() -> None:
    from sklearn.linear_model import LinearRegression

    model = LinearRegression().fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 2.5])
    with pytest.raises(OutputError, match=r"no set of figures.*divulge\.assess\.black_boxes"):
        notebook._output(model)
