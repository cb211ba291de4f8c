"""The same verdict by every door: ten fits on public data (Current Population Surveys; R's birthwt and lung) give the
same record from Python, from R and from the files of Stata, to the last byte.

Left out are what says who asked and when: timings, and the names and digests of the files that were handed in.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from lifelines import CoxPHFitter

from divulge.cli import main
from divulge.demo import cps_extract
from divulge.notebook import check
from divulge.outputs import Output
from divulge.readers.lifelines import from_lifelines
from divulge.readers.statsmodels import from_statsmodels
from divulge.record import dumps
from tests.doors.test_stata import stata_names, write
from tests.support.repository import ROOT

ELSEWHERE = ("timings", "spec", "data")

GLM: dict[str, Any] = {
    "poisson": sm.families.Poisson(),
    "gamma": sm.families.Gamma(sm.families.links.Log()),
    "inverse-gaussian": sm.families.InverseGaussian(sm.families.links.Log()),
}

CASES: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("linear", "weeks ~ age", {"cmd": "regress"}),
    ("linear", "weeks ~ C(sex) + age + C(sex):age", {"cmd": "regress"}),
    ("linear", "age ~ weeks + I(weeks**2)", {"cmd": "regress"}),
    ("logistic", "rich ~ C(sex)", {"cmd": "logit"}),
    ("poisson", "weeks ~ C(sex) + age", {"cmd": "poisson"}),
    ("gamma", "age ~ weeks", {"cmd": "glm", "varfunct": "Gamma", "linkf": "Log", "vce": "eim"}),
    ("linear", "bwt ~ C(race) + lwt", {"cmd": "regress"}),
    ("logistic", "low ~ smoke", {"cmd": "logit"}),
    ("inverse-gaussian", "age ~ C(race)", {"cmd": "glm", "varfunct": "Inverse Gaussian", "linkf": "Log", "vce": "eim"}),
    ("cox", "time ~ age + sex", {"cmd": "cox", "ties": "efron", "time": "time", "failure": "status", "failed": "2"}),
)
"""The kind, the formula, and what Stata's e() says of it; the same fits in ten_fits.R, in the same order."""


def _fit(kind: str, formula: str, frame: pd.DataFrame) -> tuple[Output, list[str], Any, Any]:
    """What Python fits: the output, and for the files of Stata its names, coefficients and standard errors."""
    if kind == "cox":
        seen = frame.assign(status=frame["status"] - 1)
        fit = CoxPHFitter().fit(
            seen, "time", "status", formula=formula.partition("~ ")[2], fit_options={"precision": 1e-12}
        )
        output = from_lifelines(fit, decimals=1, observed="2")
        return output, list(fit.params_.index), fit.params_, fit.standard_errors_
    makers: dict[str, Callable[[], Any]] = {
        "linear": lambda: smf.ols(formula, frame).fit(),
        "logistic": lambda: smf.logit(formula, frame).fit(disp=0, tol=1e-12),
    }
    glm = partial(smf.glm, formula, frame, family=GLM.get(kind))
    fit = makers.get(kind, lambda: glm().fit(tol=1e-12, maxiter=100))()
    names = [_of_stata(name) for name in stata_names(list(fit.params.index))]
    return from_statsmodels(fit, decimals=1, se_decimals=1), names, fit.params, fit.bse


def _of_stata(name: str) -> str:
    """As Stata names products and squares."""
    if name == "I(weeks ** 2)":
        return "c.weeks#c.weeks"
    return "2.sex#c.age" if name == "C(sex)[T.2]:age" else name


def _same(record: Any) -> bytes:
    return dumps({name: value for name, value in record.items() if name not in ELSEWHERE}).encode()


@pytest.fixture(scope="module")
def written_by_r(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("doors")
    people = cps_extract().take(slice(0, 50_000, 160)).to_pandas()
    frame = pd.DataFrame({"age": people["age"], "weeks": people["weeks_worked"]})
    for name, source in (("sex", "sex"), ("rich", "income")):
        values = sorted(people[source].unique())
        frame[name] = people[source].map(values.index) + (name == "sex")
    frame.to_csv(folder / "cps.csv", index=False)
    script = ROOT / "tests" / "doors" / "ten_fits.R"
    words = ["Rscript", str(script), str(ROOT / "r" / "R"), str(folder / "cps.csv"), str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    if "there is no package called" in done.stderr:
        pytest.skip("R has not both MASS and survival.")
    assert done.returncode == 0, done.stderr
    return folder


def _commanded(*words: str) -> None:
    with pytest.raises(SystemExit) as end:
        main(list(words))
    assert not end.value.code


@pytest.mark.needs("r")
@pytest.mark.filterwarnings("ignore:Starting with pandas")  # of lifelines itself
@pytest.mark.parametrize("number", range(1, len(CASES) + 1))
def test_record_is_the_same_by_every_door(
    number: int, written_by_r: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kind, formula, said = CASES[number - 1]
    of_r = written_by_r / str(number)
    frame = pd.read_csv(of_r / "data.csv")
    output, names, b, se = _fit(kind, formula, frame)
    by_python = check(frame, output, splits=2, seconds=60.0, seed=1, workers=1).record
    assert by_python["embedding"]["status"] == "reproduced", "a search that the clock ends differs from run to run"

    _commanded("assess", str(of_r / "spec.json"), "-o", str(of_r / "result"), "--workers", "1")
    by_r = json.loads((of_r / "result" / "record.json").read_text(encoding="utf-8"))

    made = write(tmp_path / "made", {**said, "depvar": formula.partition(" ~")[0]}, names, b, se, frame, decimals=1)
    (made / "asked.txt").write_text("splits\t2\nseconds\t60\nseed\t1\n", encoding="utf-8")
    _commanded("stata", str(made))
    by_stata = json.loads((made / "record.json").read_text(encoding="utf-8"))
    capsys.readouterr()

    assert _same(by_r) == _same(by_python)
    assert _same(by_stata) == _same(by_python)
