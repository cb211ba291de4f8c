"""Calls of R that fit models: their function, formula and arguments, and what these say of the model."""

from __future__ import annotations

import re
from dataclasses import replace

from divulge.readers.handed_in.candidates.candidate import Candidate
from divulge.readers.handed_in.candidates.descriptives import kind_of
from divulge.readers.handed_in.candidates.expressions import as_condition, split_arguments
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.sheets import Lines

_KINDS = {
    "lm": "linear",
    "rlm": "linear",
    "svyglm": "linear",
    "glm.nb": "negative-binomial",
    "polr": "ordered",
    "clm": "ordered",
    "multinom": "multinomial",
    "coxph": "cox",
    "svycoxph": "cox",
    "lmer": "mixed",
    "glmer": "mixed",
    "lme": "mixed",
    "feols": "linear",
    "felm": "linear",
    "plm": "linear",
    "svyolr": "ordered",
    "nls": "other",
    "survreg": "other",
    "aov": "other",
    "gam": "other",
    "zeroinfl": "other",
    "lm_robust": "linear",
    "ivreg": "other",
    "rq": "other",
    "geeglm": "other",
}
_FAMILIES = {
    "binomial": "logistic",
    "quasibinomial": "logistic",
    "poisson": "poisson",
    "quasipoisson": "poisson",
    "gaussian": "linear",
}


def model_in(command: str, session: Session) -> Candidate | None:
    """The model that a statement names: `coef(summary(m3))`, where the session made m3 and did not print it."""
    made = [session.objects.get(name, "") for name in re.findall(r"[A-Za-z][\w.]*", command)]
    for text in (*made, *_calls_in(command)):
        function, formula, given = parse_call(text)
        if formula is not None and (function in _KINDS or function == "glm"):
            return described(function, formula, given, session)
    return None


def model_told(text: str, session: Session) -> Candidate | None:
    """The model that a call in some text fits, as far as the call says; None where there is none."""
    for call in _calls_in(" ".join(text.split())):
        function, formula, given = parse_call(call)
        if formula is not None:
            return described(function, formula, given, session)
    return None


def _calls_in(command: str) -> list[str]:
    """The calls inside a statement that may fit a model: `coef(summary(lm(y ~ x, d)))`."""
    out = []
    for match in re.finditer(r"(?<![\w.])([a-z][\w.]*)\(", command):
        if match[1] not in _KINDS and match[1] != "glm":
            continue
        depth, end = 0, match.end() - 1
        while end < len(command):
            depth += (command[end] == "(") - (command[end] == ")")
            end += 1
            if depth == 0:
                break
        out.append(command[match.start() : end])
    return out


def parse_call(text: str) -> tuple[str, str | None, dict[str, str]]:
    """A call as its function, its formula and its other arguments."""
    joined = " ".join(text.split())
    match = re.match(r"^(?:\w+::)?([\w.]+)\((.*)\)\s*$", joined)
    if match is None:
        return "", None, {}
    formula, given = None, {}
    for part in split_arguments(match[2]):
        named = re.match(r"^([\w.]+)\s*=\s*(.*)$", part)
        if named is not None and named[1] == "formula":
            formula = named[2]
        elif named is not None and "~" not in part.partition("=")[0]:
            given[named[1]] = named[2]
        elif "~" in part and formula is None:
            formula = part
        elif re.match(r"^(?:binomial|poisson|gaussian|quasi\w*|Gamma)\b", part):
            given["family"] = part
    return match[1], formula, given


def call_at(block: Lines, i: int, end: int) -> tuple[str, int]:
    first = block.texts[i].removeprefix("Call:").strip()
    held = [first] if first else []
    j = i + 1
    while j < end and (block.texts[j].strip() or not held):
        held.append(block.texts[j].strip())
        j += 1
        if "".join(held).count("(") == "".join(held).count(")") and "(" in "".join(held):
            break
    return " ".join(held), j


def described(function: str, formula: str | None, given: dict[str, str], session: Session) -> Candidate:
    """What a call says of the model that it fits."""
    family = re.search(r"[A-Za-z]\w*", given.get("family", "")) if function in ("glm", "svyglm", "glmer") else None
    kind = _KINDS.get(function) or ("linear" if function == "glm" else "other")
    if family is not None and function != "glmer":
        kind = _FAMILIES.get(family[0], "other")
        if "probit" in given.get("family", ""):
            kind = "probit"
    subset = given.get("subset")
    return Candidate(
        "model",
        kind,
        (0, 0),
        (),
        formula=formula,
        where=as_condition(subset) if subset else _data_condition(given.get("data", ""), session),
        weights=_weights(function, given, session),
        errors="design-based" if function.startswith("svy") else None,
        fixed_effects=_absorbed(function, formula, given),
        statistic="coefficients and hazard ratios" if kind == "cox" else None,
        facts={"random": " + ".join(random)} if (random := re.findall(r"\([^()]*\|[^()]*\)", formula or "")) else {},
    )


def _absorbed(function: str, formula: str | None, given: dict[str, str]) -> tuple[str, ...]:
    """The variables whose effects a panel model takes out: the index of plm, or what stands after the bar."""
    if function == "plm" and "pooling" not in given.get("model", ""):
        index = re.findall(r"['\"]([\w.]+)['\"]", given.get("index", ""))
        both = "twoways" in given.get("effect", "")
        return tuple(index if both else index[1:2] if "time" in given.get("effect", "") else index[:1])
    if function in ("feols", "felm") and "|" in (formula or ""):
        return tuple(re.findall(r"[A-Za-z][\w.]*", (formula or "").split("|")[1]))
    return ()


def _data_condition(data: str, session: Session) -> str | None:
    match = re.match(r"^subset\(\w+,\s*(.+)\)$", data) or re.match(r"^\w+\[\s*(.+?)\s*,\s*\]$", data)
    return as_condition(match[1]) if match else None


def _weights(function: str, given: dict[str, str], session: Session) -> str | None:
    if function.startswith("svy"):
        design = session.objects.get(given.get("design", ""), "")
        found = re.search(r"weights\s*=\s*~\s*([\w.]+)", design)
        return found[1] if found else None
    weights = given.get("weights")
    return re.sub(r"^\w+\$", "", weights) if weights else None


def of_parts(candidate: Candidate, parts: dict[str, str], where: str | None) -> Candidate:
    """aggregate() with `c(m = mean(x), s = sd(x))`: columns `age.m`, `age.s`."""
    figures = []
    for f in candidate.figures:
        name = f.of or next((t for a, t in f.at if a.startswith("column")), "")
        of, _, part = name.rpartition(".")
        at = tuple((a, t) for a, t in f.at if not a.startswith("column"))
        if f.what in parts.values() and part not in parts:
            of, part = name, next(k for k, v in parts.items() if v == f.what)
        figures.append(replace(f, what=parts[part], of=of, at=at) if of and part in parts else f)
    shown = tuple(dict.fromkeys(f.of for f in figures if f.of))
    by = tuple(dict.fromkeys(a for f in figures for a, _ in f.at))
    kind = kind_of({f.what for f in figures})
    return replace(candidate, kind=kind, figures=tuple(figures), variables=shown, by=by, where=where, statistic=None)
