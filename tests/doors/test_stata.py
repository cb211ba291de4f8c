"""The Stata door: files as divulge.ado writes them, read back; and the command itself, as far as it can be read."""

from __future__ import annotations

import json
import re
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from statsmodels.miscmodels.ordinal_model import OrderedModel
from statsmodels.sandbox.regression.gmm import IV2SLS

from divulge.cli import main
from divulge.errors import DivulgeError
from divulge.outputs import read_released
from divulge.outputs.kinds.fixed_effects import FixedEffects
from divulge.outputs.kinds.marginal_effects import MarginalEffects
from divulge.outputs.kinds.quantile_regression import QuantileRegression
from divulge.outputs.kinds.random_intercept import RandomIntercept
from divulge.outputs.released.computed import compute
from divulge.readers.stata_results import read_stata_results
from divulge.spec import parse_output
from divulge.table import table_from_frame
from tests.support.repository import ROOT

RNG = np.random.default_rng(1)  # any seed: a few hundred people with a weak relation
N = 400
FRAME = pd.DataFrame({"age": RNG.integers(20, 60, N), "race": RNG.integers(1, 4, N), "town": RNG.integers(1, 30, N)})
FRAME["wage"] = np.round(5 + 0.2 * FRAME.age + FRAME.race + RNG.normal(0, 3, N))
FRAME["union"] = (RNG.random(N) < 0.2 + 0.1 * FRAME.race) * 1
FRAME["visits"] = RNG.negative_binomial(2, 0.3, N)
FRAME["_t"], FRAME["_d"] = RNG.integers(1, 30, N), RNG.integers(0, 2, N)


def stata_names(names: list[str], equation: str = "") -> list[str]:
    """As Stata names columns: `C(race)[T.2]` is `2.race`, and the base level stands before the others."""
    found: list[str] = []
    for name in names:
        level = re.fullmatch(r"C\((\w+)\)\[T\.(\d+)\]", name)
        if level and level[2] == "2":
            found.append(f"1b.{level[1]}")
        found.append("_cons" if name == "Intercept" else f"{level[2]}.{level[1]}" if level else name)
    return [f"{equation}:{n}" if equation else n for n in found]


def write(
    folder: Path,
    said: dict[str, Any],
    names: list[str],
    b: Any,
    se: Any,
    frame: pd.DataFrame = FRAME,
    decimals: int = 4,
) -> Path:
    """The reference writer: the same lines as `_divulge_estimates` of divulge.ado."""
    folder.mkdir(exist_ok=True)
    lines = [f"e\t{k}\t{v}" for k, v in {**said, "N": len(frame)}.items()] + [f"decimals\t{decimals}"]
    values = iter(zip(np.asarray(b), np.asarray(se), strict=True))
    for name in names:
        value, error = (0.0, 0.0) if re.search(r"(^|:)\d+b\.", name) else next(values)
        lines.append(f"b\t{name}\t{value:24.16e}\t{error:24.16e}")
    (folder / "results.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    frame.to_csv(folder / "data.csv", index=False)
    return folder


def fit_of(result: Any) -> tuple[list[str], Any, Any]:
    return stata_names(list(result.params.index)), result.params, result.bse


@pytest.mark.parametrize(("command", "kind"), [("logit", "logistic"), ("probit", "probit"), ("poisson", "poisson")])
def test_effects_that_margins_left_are_those_of_the_data(command: str, kind: str, tmp_path: Path) -> None:
    response = "visits" if command == "poisson" else "union"
    fit = getattr(smf, command)(f"{response} ~ age + C(race)", FRAME).fit(disp=0, tol=1e-12, maxiter=100)
    names, b, se = fit_of(fit)
    folder = write(tmp_path, {"cmd": command, "depvar": response, "vce": "oim"}, names, b, se)
    # statsmodels takes differences of two levels alone: ours, held against R, has them of three.
    output = MarginalEffects(formula=f"{response} ~ age + C(race)", model=kind, statistics=("se",))
    effects = output.evaluate(table_from_frame(FRAME))
    assert effects.se is not None
    shown = [("age", 0), ("1b.race", None), ("2.race", 1), ("3.race", 2)]
    lines = [
        f"m\t{name}\t{0.0 if i is None else effects.values[i]:24.16e}\t{0.0 if i is None else effects.se[i]:24.16e}"
        for name, i in shown
    ]
    with (folder / "results.txt").open("a", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    spec = read_stata_results(folder)
    assert (spec["kind"], spec["model"]) == ("marginal-effects", kind)
    assert set(spec["released"]) == {"age", "C(race)[T.2]", "C(race)[T.3]", "n"}
    found = parse_output(spec)
    table = table_from_frame(FRAME)
    computed = compute(found, table, read_released(found, table.schema, None, table.n_rows))
    assert computed.agrees is not None
    assert computed.agrees.all()


def test_effects_of_weighted_or_clustered_models_are_refused(tmp_path: Path) -> None:
    for more in ({"vce": "robust"}, {"wexp": "= town", "wtype": "pweight"}):
        folder = write(tmp_path, {"cmd": "logit", "depvar": "union", **more}, ["age", "_cons"], [0.1, 1.0], [0.1, 0.1])
        with (folder / "results.txt").open("a", encoding="utf-8") as file:
            file.write("m\tage\t0.02\t0.01\n")
        with pytest.raises(DivulgeError, match="marginal effects are read of"):
            read_stata_results(folder)


CASES = (
    "regress",
    "regress, robust",
    "regress, cluster",
    "a square",
    "logit",
    "logit, robust",
    "probit",
    "nbreg",
    "stcox",
    "areg",
    "ivregress",
    "mixed",
    "qreg",
    "glm, reciprocal",
    "mlogit",
    "ologit",
    "xtreg, robust",
)


@cache
def cases() -> dict[str, tuple[dict[str, Any], tuple[list[str], Any, Any]]]:
    rhs = "age + C(race)"
    clusters = {"groups": FRAME.town}
    square = smf.ols("wage ~ age + I(age**2)", FRAME).fit()
    ml = np.sqrt(N / (N - 1))  # Stata's factor after maximum likelihood
    logit = smf.logit(f"union ~ {rhs}", FRAME)
    robust = logit.fit(disp=0, cov_type="HC0")
    nb = smf.negativebinomial(f"visits ~ {rhs}", FRAME).fit(disp=0, method="newton", maxiter=200)
    log_alpha = np.log(nb.params["alpha"])
    cox = sm.PHReg(FRAME["_t"], FRAME[["age"]], status=FRAME["_d"], ties="breslow").fit(disp=0)
    _, b, se = fit_of(nb)
    dummies = smf.ols("wage ~ age + union + C(town)", FRAME).fit()
    endogenous, exogenous = (sm.add_constant(FRAME[names]) for names in (["union", "age"], ["race", "age"]))
    instrumented = IV2SLS(FRAME["wage"], endogenous, exogenous).fit()
    # Held against lmer in tests/spec/outputs/test_random_intercept.py.
    mixed = RandomIntercept(formula="wage ~ age", group="race", likelihood="ml").evaluate(table_from_frame(FRAME))
    assert mixed.se is not None
    # Held against quantreg in tests/spec/outputs/test_quantile_regression.py; its errors as Stata's manual has them.
    quantile = QuantileRegression(formula="wage ~ age", density="fitted", statistics=("se",))
    plane = quantile.evaluate(table_from_frame(FRAME))
    assert plane.se is not None
    with warnings.catch_warnings(action="ignore"):  # the reciprocal may be negative, and is not here
        gamma = smf.glm("wage ~ age", FRAME, family=sm.families.Gamma()).fit(tol=1e-12)
    classes = smf.mnlogit("race ~ age + union", FRAME).fit(disp=0, method="newton", maxiter=100, tol=1e-12)
    # Of Stata the base is the class of most people, and it stands among the equations without coefficients.
    coefficients = np.column_stack([np.zeros(3), classes.params.to_numpy()])[[1, 2, 0]]
    against = (coefficients - coefficients[:, [1]]).T.ravel()
    equations = [f"{c}:{'o.' * (c == 2)}{v}" for c in (1, 2, 3) for v in ("age", "union", "_cons")]
    ordered = OrderedModel(FRAME["race"], FRAME[["age"]], distr="logit").fit(disp=0, method="newton", maxiter=100)
    cuts = np.cumsum([ordered.params.iloc[1], np.exp(ordered.params.iloc[2])])
    panels = FixedEffects(formula="wage ~ age", absorb="town", errors="cluster", cluster="town")
    panel = panels.evaluate(table_from_frame(FRAME))
    assert panel.se is not None
    n_towns = FRAME.town.nunique()
    nested = np.sqrt((N - 1 - n_towns) / (N - 2))  # xtreg counts the slope and the constant, areg every town
    return {
        "mlogit": (
            {"cmd": "mlogit", "depvar": "race", "baseout": "2"},
            (equations, against, np.where(against == 0.0, 0.0, 0.1)),
        ),
        "ologit": (
            {"cmd": "ologit", "depvar": "race"},
            (["race:age", "/cut1", "/:cut2"], [ordered.params.iloc[0], *cuts], [ordered.bse.iloc[0], np.nan, np.nan]),
        ),
        "xtreg, robust": (
            {"cmd": "xtreg", "depvar": "wage", "model": "fe", "ivar": "town", "vce": "robust"},
            (["age", "_cons"], [panel.values[0], 9.0], [panel.se[0] * nested, 1.0]),
        ),
        "areg": (
            {"cmd": "areg", "depvar": "wage", "absvar": "town"},
            (
                ["age", "union", "_cons"],
                [*dummies.params[["age", "union"]], 9.0],
                [*dummies.bse[["age", "union"]], 1.0],
            ),
        ),
        "ivregress": (
            {"cmd": "ivregress", "depvar": "wage", "insts": "age race", "small": "small", "vce": "unadjusted"},
            (["union", "age", "_cons"], instrumented.params.iloc[[1, 2, 0]], instrumented.bse.iloc[[1, 2, 0]]),
        ),
        "qreg": (
            {"cmd": "qreg", "depvar": "wage", "q": "0.5", "vce": "iid"},
            (["age", "_cons"], plane.values[[1, 0]], plane.se[[1, 0]]),
        ),
        "glm, reciprocal": (
            {"cmd": "glm", "depvar": "wage", "varfunct": "Gamma", "linkf": "Reciprocal", "vce": "eim"},
            (["age", "_cons"], gamma.params.iloc[[1, 0]], gamma.bse.iloc[[1, 0]]),
        ),
        "mixed": (
            {"cmd": "mixed", "depvar": "wage", "ivars": "race", "method": "ML"},
            (
                ["wage:age", "wage:_cons", "lns1_1_1:_cons", "lnsig_e:_cons"],
                [*mixed.values[[1, 0]], *np.log(mixed.values[2:]) / 2],
                [*mixed.se[[1, 0]], 0.1, 0.1],
            ),
        ),
        "regress": ({"cmd": "regress", "depvar": "wage", "vce": "ols"}, fit_of(smf.ols(f"wage ~ {rhs}", FRAME).fit())),
        "regress, robust": (
            {"cmd": "regress", "depvar": "wage", "vce": "robust"},
            fit_of(smf.ols(f"wage ~ {rhs}", FRAME).fit(cov_type="HC1")),
        ),
        "regress, cluster": (
            {"cmd": "regress", "depvar": "wage", "vce": "cluster", "clustvar": "town"},
            fit_of(smf.ols(f"wage ~ {rhs}", FRAME).fit(cov_type="cluster", cov_kwds=clusters)),
        ),
        "a square": (
            {"cmd": "regress", "depvar": "wage"},
            (["age", "c.age#c.age", "_cons"], square.params.iloc[[1, 2, 0]], square.bse.iloc[[1, 2, 0]]),
        ),
        "logit": ({"cmd": "logit", "depvar": "union", "vce": "oim"}, fit_of(logit.fit(disp=0, tol=1e-10))),
        "logit, robust": (
            {"cmd": "logit", "depvar": "union", "vce": "robust"},
            (stata_names(list(robust.params.index), "union"), robust.params, robust.bse * ml),
        ),
        "probit": (
            {"cmd": "probit", "depvar": "union"},
            fit_of(smf.probit(f"union ~ {rhs}", FRAME).fit(disp=0, tol=1e-10)),
        ),
        "nbreg": (
            {"cmd": "nbreg", "depvar": "visits"},
            (
                [*stata_names(list(nb.params.index[:-1]), "visits"), "/lnalpha"],
                [*b[:-1], log_alpha],
                [*se[:-1], se["alpha"] / nb.params["alpha"]],
            ),
        ),
        "stcox": ({"cmd": "cox", "depvar": "_t", "ties": "breslow"}, (["age"], cox.params, cox.bse)),
    }


@pytest.mark.parametrize("case", CASES)
def test_figures_of_stata_are_what_the_data_give(case: str, tmp_path: Path) -> None:
    said, fitted = cases()[case]
    folder = write(tmp_path / "made", said, *fitted)
    output = parse_output(read_stata_results(folder))
    table = table_from_frame(pd.read_csv(folder / "data.csv"))
    output.check(table.schema)
    released = read_released(output, table.schema, None, table.n_rows, together=False)
    assert released is not None
    computed = compute(output, table, released)
    assert computed.agrees is not None
    assert computed.agrees.all(), dict(zip(released.labels, computed.agrees.tolist(), strict=True))


def test_command_gives_a_verdict_that_stata_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said, fitted = cases()["regress"]
    folder = write(tmp_path / "made", said, *fitted)
    asked = "target\tunion\nkey\tage\nkey\trace\nsplits\t4\nseconds\t0.5\nseed\t2\n"
    (folder / "asked.txt").write_text(asked, encoding="utf-8")
    with pytest.raises(SystemExit) as end:
        main(["stata", str(folder)])
    capsys.readouterr()
    assert not end.value.code
    record = json.loads((folder / "record.json").read_text(encoding="utf-8"))
    assert (folder / "verdict.txt").read_text(encoding="utf-8").startswith(record["verdict"].upper())
    assert (folder / "report.html").exists()


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"cmd": "tobit", "depvar": "wage"}, "tobit is not a model"),
        ({"cmd": "xtreg", "depvar": "wage", "model": "re", "ivar": "town"}, "with the option fe"),
        ({"cmd": "ivregress", "depvar": "wage", "estimator": "gmm", "insts": "age"}, "the estimator 2sls"),
        ({"cmd": "mixed", "depvar": "wage", "ivars": "town race"}, "one random intercept"),
        ({"cmd": "glm", "depvar": "wage", "varfunct": "Gamma", "linkf": "Power(-3)"}, "glm with family gamma"),
        ({"cmd": "poisson", "depvar": "wage", "offset": "ln(town)"}, "an offset or an exposure"),
        ({"cmd": "regress", "depvar": "wage", "vce": "linearized"}, "vce(linearized) cannot be computed again"),
        ({"cmd": "regress", "depvar": "wage", "vce": "bootstrap"}, "cannot be computed again"),
        ({"cmd": "regress", "depvar": "wage", "wtype": "fweight", "wexp": "= town"}, "fweight"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_sentence(said: dict[str, Any], expected: str, tmp_path: Path) -> None:
    folder = write(tmp_path / "made", said, ["age", "_cons"], [0.2, 1.0], [0.1, 0.2])
    with pytest.raises(DivulgeError, match=re.escape(expected)):
        read_stata_results(folder)


def test_tables_and_equations_say_what_they_hold(tmp_path: Path) -> None:
    lines = "e\tcmd\ttabulate\ne\tmissing\tinclude\nvariable\trace\nvariable\tunion\n"
    (tmp_path / "results.txt").write_text(lines, encoding="utf-8")
    spec = read_stata_results(tmp_path)
    assert spec == {"kind": "crosstab", "variables": ["race", "union"], "compute": True, "missing": "include"}
    # Equations are called by labels of values, and the data hold the values.
    lines = "e\tcmd\tmlogit\ne\tdepvar\tplan\ne\tbaseout\t1\ne\tN\t50\nclass\tNone\t1\nclass\tSome_more\t2\n"
    lines += "b\tNone:o._cons\t0\t0\nb\tSome_more:_cons\t0.25\t0.1\n"
    (tmp_path / "results.txt").write_text(lines, encoding="utf-8")
    assert read_stata_results(tmp_path)["released"] == {"plan=2 & Intercept": "0.2500", "n": "50"}
    lines = "e\tcmd\tcox\ne\tdepvar\t_t\ne\tN\t50\nb\tmain:age\t0.2\t0.1\nb\ttvc:age\t0.1\t.\n"
    (tmp_path / "results.txt").write_text(lines, encoding="utf-8")
    with pytest.raises(DivulgeError, match="change with time"):
        read_stata_results(tmp_path)


def test_broken_file_is_refused_without_its_contents(tmp_path: Path) -> None:
    (tmp_path / "results.txt").write_text("e\tcmd\tregress\nb\tSECRET\tno number\t1\n", encoding="utf-8")
    with pytest.raises(DivulgeError, match="line 2") as caught:
        read_stata_results(tmp_path)
    assert "SECRET" not in str(caught.value)


def test_help_names_every_option_and_programs_end() -> None:
    ado = (ROOT / "stata" / "divulge.ado").read_text(encoding="utf-8")
    code = "\n".join(line for line in ado.splitlines() if not line.lstrip().startswith("*"))
    assert len(re.findall(r"^program define", code, re.M)) == len(re.findall(r"^end$", code, re.M)) == 3
    assert code.count("{") == code.count("}")
    assert code.count("file open") == code.count("file close")
    assert code.count("preserve") == code.count("restore")
    syntax = re.search(r"syntax \[,(.*?)\]", code, re.S)
    assert syntax is not None
    options = {word.lower() for word in re.findall(r"\b([A-Za-z]+)(?:\(|\b)", syntax[1])} - {
        "string",
        "integer",
        "real",
    }
    help_text = (ROOT / "stata" / "divulge.sthlp").read_text(encoding="utf-8")
    shown = {a + b for a, b in re.findall(r"\{opt (\w+):?(\w*)", help_text)}
    assert options == shown
    package = (ROOT / "stata" / "divulge.pkg").read_text(encoding="utf-8")
    assert all((ROOT / "stata" / line[2:]).exists() for line in package.splitlines() if line.startswith("f "))
