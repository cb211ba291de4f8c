"""Average marginal effects in logs: read with the model that they are of, and confirmed by the data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from scipy.special import ndtr

from divulge.readers.handed_in.folder import read_folder
from divulge.readers.handed_in.matching.reading import Reading
from tests.support.handed_in import people, table

FITS: dict[str, tuple[Any, str]] = {
    "logistic": (smf.logit, "logit"),
    "probit": (smf.probit, "probit"),
    "poisson": (smf.poisson, "poisson"),
}
RULE, BAR = "-" * 78, "-" * 13 + "+" + "-" * 64


def _rows(names: list[str], b: Any, se: Any) -> list[str]:
    """Rows of a table of Stata: a category below its name."""
    lines = []
    for name, value, error in zip(names, b, se, strict=True):
        z = value / error
        if name == "Male":
            lines.append("         sex |")
        lines.append(
            f"{name:>12} | {value:>10.6f} {error:>10.6f} {z:>8.2f} {2 * ndtr(-abs(z)):>7.3f}"
            f"     {value - 1.959964 * error:>9.6f}   {value + 1.959964 * error:>9.6f}"
        )
        lines += ["             |"] if name == "Male" else []
    return lines


def _log(kind: str, frame: pd.DataFrame, said: str = "Average marginal effects") -> str:
    """A regression and `margins, dydx(*)` as Stata prints them."""
    fit = FITS[kind][0]("ill ~ C(sex) + age", frame).fit(disp=0, maxiter=100, tol=1e-12)
    effects = fit.get_margeff(dummy=True)
    values, errors = list(effects.margeff), list(effects.margeff_se)
    order = [1, 2, 0]
    size = f"{'':48}Number of obs     ={len(frame):>11}"
    head = "Coefficient  Std. err.      z    P>|z|     [95% conf. interval]"
    return "\n".join(
        [
            f". {FITS[kind][1]} ill i.sex age",
            "",
            size,
            RULE,
            f"         ill | {head}",
            BAR,
            *_rows(["Male", "age", "_cons"], np.asarray(fit.params)[order], np.asarray(fit.bse)[order]),
            RULE,
            "",
            ". margins, dydx(*)",
            "",
            said.ljust(48) + size.strip(),
            "Model VCE: OIM",
            "",
            "Expression: Pr(ill), predict()",
            "dy/dx wrt:  2.sex age",
            "",
            RULE,
            "             |            Delta-method",
            f"             |      dy/dx   {head.partition('  ')[2]}",
            BAR,
            *_rows(["Male", "age"], values, errors),
            RULE,
            "",
        ]
    )


def _read(folder: Path, text: str) -> list[Reading]:
    (folder / "output.txt").write_text(text, encoding="utf-8")
    return [reading for _, reading in read_folder(folder / "output.txt", table()).readings]


@pytest.mark.parametrize("kind", ["logistic", "probit"])
def test_effects_of_stata_are_of_the_model_before_them(kind: str, tmp_path: Path) -> None:
    model, effects = _read(tmp_path, _log(kind, people()))
    assert (model.kind, model.confirmed) == (kind, True)
    assert (effects.kind, effects.formula, effects.confirmed) == ("marginal-effects", model.formula, True)
    (output,) = effects.outputs
    assert (output["model"], output["dummies"], set(output["released"])) == (
        kind,
        "difference",
        {"age", "C(sex)[T.Male]", "n"},
    )


def test_a_changed_effect_is_named(tmp_path: Path) -> None:
    lines = _log("logistic", people()).splitlines()
    (place,) = [i for i, line in enumerate(lines) if line.startswith("         age |")][1:]
    shown = lines[place].split()[2]
    lines[place] = lines[place].replace(shown, f"{float(shown) + 0.001:.6f}", 1)
    _, effects = _read(tmp_path, "\n".join(lines))
    assert not effects.confirmed
    assert "age: marginal effect" in effects.disagreeing


def test_effects_at_means_are_not_taken_for_averages(tmp_path: Path) -> None:
    *_, effects = _read(tmp_path, _log("logistic", people(), "Conditional marginal effects"))
    assert not effects.outputs


@pytest.mark.parametrize("dummy", [True, False])
@pytest.mark.parametrize("kind", FITS)
def test_effects_of_statsmodels_are_confirmed(kind: str, dummy: bool, tmp_path: Path) -> None:
    fit = FITS[kind][0]("ill ~ age + C(sex)", people()).fit(disp=0, maxiter=100)
    (found,) = _read(tmp_path, str(fit.get_margeff(dummy=dummy).summary()))
    assert (found.kind, found.formula, found.confirmed) == ("marginal-effects", "ill ~ C(sex) + age", True)
    assert found.outputs[0]["dummies"] == ("difference" if dummy else "slope")
