"""What the Stata command `divulge:` writes: results.txt with what was estimated, and the estimation sample.

Lines of words between tabs: `e name value`, `b name coefficient error`, `m name effect error`, `variable name`,
`decimals number`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, isfinite, nan
from pathlib import Path
from typing import Any

from divulge.errors import SpecError

_KINDS: Mapping[str, str] = {
    "regress": "linear",
    "areg": "fixed-effects",
    "xtreg": "fixed-effects",
    "ivregress": "two-stage",
    "mixed": "random-intercept",
    "qreg": "quantile-regression",
    "logit": "logistic",
    "logistic": "logistic",
    "probit": "probit",
    "cloglog": "cloglog",
    "poisson": "poisson",
    "nbreg": "negative-binomial",
    "ologit": "ordered-logit",
    "oprobit": "ordered-probit",
    "mlogit": "multinomial",
    "cox": "cox",
    "stcox": "cox",
}
_GLM: Mapping[tuple[str, str], str] = {
    ("gaussian", "identity"): "linear",
    ("bernoulli", "logit"): "logistic",
    ("bernoulli", "probit"): "probit",
    ("bernoulli", "complementary log-log"): "cloglog",
    ("poisson", "log"): "poisson",
    ("gamma", "log"): "gamma",
    ("inverse gaussian", "log"): "inverse-gaussian",
    **{("gamma", link): "gamma" for link in ("reciprocal", "identity")},
    **{("inverse gaussian", link): "inverse-gaussian" for link in ("reciprocal", "identity", "power(-2)")},
}
_LEAST_SQUARES = ("regress", "areg", "xtreg")
_VARIANCES = ("lns1_1_1", "lnsig_e")
"""The equations of mixed that hold a random intercept and what is left."""
_THRESHOLD = re.compile(r"^(cut\d+|lnalpha)$")
_LEVEL = re.compile(r"^(?P<level>-?\d+)(?P<how>[bon]*)\.(?P<name>.+)$")


@dataclass
class _Results:
    """The lines of results.txt, sorted."""

    said: dict[str, str] = field(default_factory=dict)
    figures: list[tuple[str, float, float]] = field(default_factory=list)
    effects: list[tuple[str, float, float]] = field(default_factory=list)
    variables: list[str] = field(default_factory=list)
    classes: dict[str, str] = field(default_factory=dict)
    """By the name of an equation of mlogit, the value of the response."""
    decimals: int = 4


def read_stata_results(folder: Path) -> dict[str, Any]:
    """The output as a spec has it. The folder holds results.txt and data.csv."""
    results = _read(folder / "results.txt")
    command = results.said.get("cmd", "")
    if command == "tabulate":
        missing = {"missing": "include"} if results.said.get("missing") == "include" else {}
        return {"kind": "crosstab", "variables": results.variables, "compute": True, **missing}
    kind = _kind(results)
    if results.said.get("offset"):
        raise SpecError("models with an offset or an exposure are not read.", where="results.txt")
    formula, labels = _formula(results, kind)
    if results.effects:
        return _margins(results, kind, formula, labels)
    fields: dict[str, Any] = {"kind": kind, "formula": formula}
    if kind in _FURTHER:
        fields |= _FURTHER[kind](results)
    fields |= _errors(results, command)
    weight = results.said.get("wexp", "").lstrip("= ").strip()
    if weight:
        if results.said.get("wtype") not in ("pweight", "aweight"):
            raise SpecError(
                f"weights of the type {results.said.get('wtype')!r} are not read.",
                where="results.txt",
                hint="Expand frequency weights (expand), or use pweights.",
            )
        fields["weights"] = weight
    released, decimals = _released(results, kind, labels)
    fields |= {"released": released, "decimals": decimals, "se_decimals": results.decimals}
    fields["statistics"] = ["se", "n"] if kind != "multinomial" else ["n"]
    return fields


def _margins(results: _Results, kind: str, formula: str, labels: Mapping[str, str]) -> dict[str, Any]:
    """What `margins, dydx()` left beside the model that the effects are of."""
    if kind not in ("logistic", "probit", "poisson") or _errors(results, "") or results.said.get("wexp"):
        raise SpecError(
            "marginal effects are read of logit, probit and poisson, without weights and with the model's own errors.",
            where="results.txt",
        )
    by_name = {full.rpartition(":")[2]: label for full, label in labels.items()}
    places = results.decimals
    released: dict[str, Any] = {
        label: {"coef": f"{value:.{places}f}", "se": f"{error:.{places}f}"}
        for full, value, error in results.effects
        if (label := by_name.get(full.rpartition(":")[2])) is not None and error > 0.0
    }
    decimals = [places] * len(released) + [0]
    released["n"] = results.said["N"]
    fields = {"kind": "marginal-effects", "formula": formula, "model": kind, "statistics": ["se", "n"]}
    return {**fields, "released": released, "decimals": decimals, "se_decimals": places}


def _read(path: Path) -> _Results:
    if not path.exists():
        raise SpecError("there is no results.txt.", where=str(path.parent), hint="Run `divulge: regress …` in Stata.")
    found = _Results()
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        words = line.split("\t")
        try:
            if words[0] == "e":
                found.said[words[1]] = words[2].strip()
            elif words[0] in ("b", "m"):
                place = found.figures if words[0] == "b" else found.effects
                place.append((_full_name(words[1].strip()), _number(words[2]), _number(words[3])))
            elif words[0] == "class":
                found.classes[words[1].strip()] = words[2].strip()
            elif words[0] == "variable":
                found.variables.append(words[1].strip())
            elif words[0] == "decimals":
                found.decimals = int(words[1])
        except (IndexError, ValueError):
            raise SpecError("a line cannot be read.", where=f"{path.name}, line {number}") from None
    return found


def _full_name(name: str) -> str:
    """Parameters that are equations of their own, as Stata 14 calls them: /lnalpha and /:lnalpha are lnalpha:_cons."""
    return f"{name.lstrip('/:')}:_cons" if name.startswith("/") else name


def _number(text: str) -> float:
    return nan if text.strip() == "." else float(text)


def _kind(results: _Results) -> str:
    command = results.said.get("cmd", "")
    if command == "glm":
        pair = results.said.get("varfunct", "").casefold(), results.said.get("linkf", "").casefold()
        if pair in _GLM:
            return _GLM[pair]
        command = f"glm with family {pair[0]} and link {pair[1]}"
    elif command in _KINDS:
        return _KINDS[command]
    raise SpecError(
        f"{command or 'a command that left no results'} is not a model that Divulge has a kind for.",
        where="results.txt",
        hint=f"It reads {', '.join(sorted({*_KINDS, 'glm', 'tabulate'}))}.",
    )


def _formula(results: _Results, kind: str) -> tuple[str, dict[str, str]]:
    """The formula, and for each of Stata's names that has a figure what Divulge calls it."""
    response = results.said.get("time", "_t") if kind == "cox" else results.said["depvar"]
    bases = _bases(results)
    terms: list[str] = []
    labels: dict[str, str] = {}
    has_constant = kind in ("cox", "ordered-logit", "ordered-probit")
    for full, _, error in results.figures:
        equation, _, name = full.rpartition(":")
        if equation in _VARIANCES or _THRESHOLD.match(equation):
            continue
        if equation == "tvc":
            raise SpecError("covariates that change with time (tvc) are not read.", where="results.txt")
        if name in ("_cons", "o._cons"):
            has_constant = True
            if name == "o._cons":  # of the base of mlogit
                continue
            if kind != "fixed-effects":  # the mean of the effects, which are not printed
                labels[full] = "Intercept"
            continue
        parts = name.split("#")
        term = _term(parts, bases)
        if term not in terms:
            terms.append(term)
        is_base = any((m := _LEVEL.match(p)) and ("b" in m["how"] or "o" in m["how"]) for p in parts)
        if not is_base and not name.startswith("o.") and error > 0.0:
            labels[full] = ":".join(_label(p, bases) for p in parts) if not _is_power(parts) else term
    listed = [*([] if has_constant else ["0"]), *terms] or ["1"]
    return f"{response} ~ {' + '.join(listed)}", labels


def _bases(results: _Results) -> dict[str, str]:
    """The reference of each category, where it is not the first level, which a formula means without a word."""
    levels = _levels(results)
    first = {name: min(int(m["level"]) for m in levels if m["name"] == name) for name in {m["name"] for m in levels}}
    return {m["name"]: m["level"] for m in levels if "b" in m["how"] and int(m["level"]) != first[m["name"]]}


def _levels(results: _Results) -> list[re.Match[str]]:
    parts = [part for name, _, _ in results.figures for part in name.rpartition(":")[2].split("#")]
    return [m for part in parts if (m := _LEVEL.match(part))]


def _is_power(parts: Sequence[str]) -> bool:
    return len(parts) > 1 and all(p.startswith("c.") for p in parts) and len(set(parts)) == 1


def _term(parts: Sequence[str], bases: Mapping[str, str]) -> str:
    if _is_power(parts):
        return f"I({parts[0][2:]}**{len(parts)})"
    return ":".join(_factor(part, bases) for part in parts)


def _factor(part: str, bases: Mapping[str, str]) -> str:
    found = _LEVEL.match(part)
    if found is None:
        return part.removeprefix("c.").removeprefix("o.")
    base = bases.get(found["name"])
    return f"C({found['name']}, Treatment('{base}'))" if base is not None else f"C({found['name']})"


def _label(part: str, bases: Mapping[str, str]) -> str:
    found = _LEVEL.match(part)
    return _factor(part, bases) if found is None else f"{_factor(part, bases)}[T.{found['level']}]"


def _absorbed(results: _Results) -> dict[str, Any]:
    if results.said.get("cmd") == "xtreg" and results.said.get("model") != "fe":
        raise SpecError("xtreg is read with the option fe.", where="results.txt", hint="Use mixed for random effects.")
    return {"absorb": results.said.get("absvar") or results.said["ivar"]}


def _instrumented(results: _Results) -> dict[str, Any]:
    """What is exogenous, as Stata lists it: covariates and instruments, level by level."""
    if results.said.get("estimator", "2sls") != "2sls":
        raise SpecError("ivregress is read with the estimator 2sls.", where="results.txt")
    words = results.said["insts"].split()
    bases = {
        m["name"]: m["level"] for w in words for part in w.split("#") if (m := _LEVEL.match(part)) and "b" in m["how"]
    }
    terms = dict.fromkeys(_term(word.split("#"), bases) for word in words)
    return {"instruments": " + ".join(terms), "scale": "n-k" if results.said.get("small") else "n"}


def _levelled(results: _Results) -> dict[str, Any]:
    groups = results.said.get("ivars", "").split()
    if len(groups) != 1:
        raise SpecError("mixed is read with one random intercept, as in || town:.", where="results.txt")
    return {"group": groups[0], "likelihood": results.said.get("method", "ML").casefold()}


def _linked(results: _Results) -> dict[str, Any]:
    links = {"reciprocal": "inverse", "identity": "identity", "power(-2)": "inverse-squared"}
    link = links.get(results.said.get("linkf", "").casefold())
    return {} if link is None else {"link": link}


def _of_quantile(results: _Results) -> dict[str, Any]:
    """By how the density is estimated: qreg fits planes nearby, at the mean of the covariates or for every row."""
    density = "nid" if results.said.get("vce", "").casefold() == "robust" else "fitted"
    return {"quantile": float(results.said.get("q", "0.5")), "density": density}


def _survival(results: _Results) -> dict[str, Any]:
    """Time and event by the variables that stset was given where these say the same, else as stset made them."""
    fields: dict[str, Any] = {
        "event": results.said.get("failure", "_d"),
        "observed": results.said.get("failed", "1"),
        "ties": results.said.get("ties", "breslow").casefold(),
    }
    if results.said.get("strata"):
        fields["strata"] = results.said["strata"].split()
    if results.said.get("entry"):
        fields["entry"] = results.said["entry"]
    return fields


_FURTHER: Mapping[str, Callable[[_Results], dict[str, Any]]] = {
    "cox": _survival,
    "fixed-effects": _absorbed,
    "two-stage": _instrumented,
    "random-intercept": _levelled,
    "quantile-regression": _of_quantile,
    "gamma": _linked,
    "inverse-gaussian": _linked,
}


def _errors(results: _Results, command: str) -> dict[str, str]:
    """By which estimator Stata computed standard errors; pweights make them robust."""
    vce = results.said.get("vce", "").casefold()
    is_least = command in _LEAST_SQUARES
    if command == "qreg" and vce in ("", "iid", "robust"):
        return {}
    if vce in ("hc2", "hc3") and is_least:
        return {"errors": vce.upper()}
    if vce == "robust" and command == "ivregress":
        return {"errors": "HC1" if results.said.get("small") else "HC0"}
    if command == "xtreg" and vce in ("robust", "cluster"):
        # xtreg takes robust for clustered by panel, and counts no effects that lie within clusters.
        return {"errors": "cluster-nested", "cluster": results.said.get("clustvar") or results.said["ivar"]}
    if vce == "robust":
        return {"errors": "HC1" if is_least else "robust-ml"}
    if vce == "cluster":
        return {"errors": "cluster" if is_least else "cluster-ml", "cluster": results.said["clustvar"]}
    if vce in ("", "ols", "oim", "eim", "conventional", "unadjusted"):
        return {}
    raise SpecError(
        f"standard errors of the type vce({vce}) cannot be computed again, so they cannot be checked.",
        where="results.txt",
        hint="Use vce(robust), vce(cluster …) or the model's own.",
    )


def _of_classes(results: _Results, labels: Mapping[str, str]) -> dict[str, str]:
    """Coefficients of mlogit, compared with the least value of the response, whichever was Stata's base."""
    found: dict[str, dict[str, float]] = {}
    for full, value, _ in results.figures:
        equation = full.rpartition(":")[0]
        if full in labels:
            found.setdefault(results.classes.get(equation, equation), {})[labels[full]] = value
    base = results.said.get("baseout")
    if base is not None and all(_is_number(name) for name in (*found, base)):
        found[base] = dict.fromkeys(next(iter(found.values()), {}), 0.0)
        first = found.pop(min(found, key=float))
        found = {name: {k: v - first[k] for k, v in of.items()} for name, of in found.items()}
    response, places = results.said["depvar"], results.decimals
    return {f"{response}={name} & {k}": f"{v:.{places}f}" for name, of in found.items() for k, v in of.items()}


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False


def _released(results: _Results, kind: str, labels: Mapping[str, str]) -> tuple[dict[str, Any], list[int]]:
    """Figures by label, and with how many decimals each is printed."""
    if kind == "multinomial":
        of_classes = _of_classes(results, labels)
        return {**of_classes, "n": results.said["N"]}, [*[results.decimals] * len(of_classes), 0]
    released: dict[str, Any] = {}
    for full, value, error in results.figures:
        equation = full.rpartition(":")[0]
        label = labels.get(full)
        if kind.startswith("ordered-") and _THRESHOLD.match(equation):
            label = equation
        elif kind == "negative-binomial" and equation == "lnalpha":
            # d e^x = e^x dx
            label, value, error = "alpha", exp(value), exp(value) * error
        elif equation in _VARIANCES:
            # Logs of standard deviations.
            group = results.said.get("ivars", "").split()[0]
            label = f"variance of {group}" if equation == _VARIANCES[0] else "residual variance"
            value, error = exp(2.0 * value), float("nan")
        if label is None or not isfinite(value):
            continue
        places = results.decimals
        shown = f"{value:.{places}f}"
        released[label] = shown if not isfinite(error) else {"coef": shown, "se": f"{error:.{places}f}"}
    decimals = [results.decimals] * len(released) + [0]
    released["n"] = results.said["N"]
    return released, decimals
