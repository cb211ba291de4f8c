"""Readings of tables in the words of a spec, and in a sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from divulge.readers.handed_in.candidates.candidate import Candidate
from divulge.readers.handed_in.matching.data import Data
from divulge.readers.handed_in.matching.hypotheses import Hypothesis
from divulge.readers.handed_in.matching.reading import Checked, Reading
from divulge.readers.handed_in.matching.statistics import fraction_of


def cell_reading(
    candidate: Candidate, hypothesis: Hypothesis, checked: tuple[Checked, ...], data: Data, base: int | None
) -> Reading:
    """The reading of a table under a hypothesis. base: the multiples to which its counts are rounded."""
    axes = {a.key: a.variable for a in hypothesis.axes}
    shown = list(dict.fromkeys(v for v in hypothesis.variables.values() if v is not None))
    rows = [v for k, v in axes.items() if not _is_column(k, candidate)]
    columns = [v for k, v in axes.items() if _is_column(k, candidate)]
    kind = candidate.kind
    if kind == "other":
        own = [hypothesis.variables.get(t) or axes.get(t) for t in candidate.variables]
        variables = tuple(dict.fromkeys(v for v in own if v is not None))
        by = tuple(v for k, v in axes.items() if k not in candidate.variables)
    elif kind in ("crosstab", "frequencies"):
        variables, by = tuple(rows), tuple(columns)
        if not variables:
            variables, by = by, ()
    else:
        variables, by = tuple(shown), tuple(axes.values())
    outputs = _outputs(candidate, hypothesis, variables, by, data) if checked else ()
    if base is not None:
        outputs = tuple({**o, "base": base} if o["kind"] == "crosstab" else o for o in outputs)
    facts = {} if any(a.by_order for a in hypothesis.axes) else {"labels": "known"}
    return Reading(
        candidate,
        kind,
        checked,
        variables,
        by,
        None,
        hypothesis.where,
        hypothesis.weights,
        outputs=outputs,
        facts=facts,
        meanings=hypothesis.meanings(data),
    )


def _is_column(key: str, candidate: Candidate) -> bool:
    return key in candidate.by or key.startswith("column")


def described(reading: Reading) -> str:
    """A reading in a few words."""
    what = " × ".join([*reading.variables, *reading.by]) or reading.formula or reading.kind
    return f"{reading.kind} of {what}" + (f" where {reading.where}" if reading.where else "")


def _outputs(
    candidate: Candidate, hypothesis: Hypothesis, variables: Sequence[str], by: Sequence[str], data: Data
) -> tuple[Mapping[str, Any], ...]:
    """The outputs that stand for a table in a spec."""
    common: dict[str, Any] = {}
    if hypothesis.where is not None:
        common["where"] = hypothesis.where
    if hypothesis.weights is not None:
        common["weights"] = hypothesis.weights
    if candidate.kind in ("crosstab", "frequencies"):
        counts = {
            "kind": "crosstab",
            "variables": [*variables, *by],
            **common,
            "compute": True,
            **_withheld(candidate, hypothesis, data),
            **_printed(candidate, hypothesis, data, ("count",)),
        }
        return (counts,)
    out: list[dict[str, Any]] = []
    groups = list(by)
    whats = {f.what for f in candidate.figures}
    numeric = [v for v in variables if data.is_numeric(v) and v not in groups]
    counted = [a.variable for a in hypothesis.axes if a.key in candidate.variables] if candidate.kind == "other" else []
    grouped = {"by": groups} if groups else {}
    numeric = [v for v in numeric if v not in counted]
    if numeric and whats & {"mean", "sd", "variance"}:
        out.append(
            {
                "kind": "means",
                "variables": numeric,
                **grouped,
                **common,
                "compute": True,
                "decimals": _decimals(candidate, "mean"),
                **_printed(candidate, hypothesis, data, ("mean",), numeric),
            }
        )
    quantiles = sorted({q for w in whats if (q := fraction_of(w)) is not None})
    if numeric and quantiles:
        out.append(
            {"kind": "position", "variables": numeric, "quantiles": quantiles, **grouped, **common, "compute": True}
        )
    if numeric and whats & {"minimum", "maximum"}:
        extremes = _printed(candidate, hypothesis, data, ("minimum", "maximum"), numeric)
        out.append({"kind": "extremes", "variables": numeric, **grouped, **common, "compute": True, **extremes})
    for name in counted:
        out.append(
            {
                "kind": "crosstab",
                "variables": [name, *groups],
                **common,
                "compute": True,
                **_withheld(candidate, hypothesis, data),
            }
        )
    if groups and not counted and "n" in whats:
        out.append({"kind": "crosstab", "variables": groups, **common, "compute": True})
    return tuple(out)


def _printed(
    candidate: Candidate, hypothesis: Hypothesis, data: Data, whats: Sequence[str], variables: Sequence[str] = ()
) -> dict[str, Any]:
    """The figures as they were printed, by the labels of a spec; totals are no figures of their own there."""
    axes = {a.key: a for a in hypothesis.axes}
    found: dict[str, str] = {}
    for figure in candidate.figures:
        of = hypothesis.variables.get(figure.of)
        if figure.what not in whats or (variables and of not in variables):
            continue
        held = [(axes[key], label) for key, label in figure.at if key in axes]
        if len(held) < len(axes) or any(label not in axis.codes for axis, label in held):
            continue
        cell = " & ".join(f"{a.variable}={data.texts(a.variable)[a.codes[label]]}" for a, label in held)
        named = [*([figure.what] if len(whats) > 1 else []), *([of] if variables and of else [])]
        label = " | ".join(part for part in (" ".join(named), cell) if part)
        if label in found:
            return {}
        found[label] = figure.printed.plain
    return {"released": found} if found else {}


def _decimals(candidate: Candidate, what: str) -> int:
    return max((f.printed.decimals for f in candidate.figures if f.what == what), default=2)


def _withheld(candidate: Candidate, hypothesis: Hypothesis, data: Data) -> dict[str, Any]:
    """The limit below which counts are withheld, where the file says it: `<10`."""
    hidden = [f.printed.text for f in candidate.figures if f.printed.is_suppressed]
    limits = [int(m[1]) for t in hidden if (m := re.match(r"^[<≤]\s*(\d+)$", t))]
    said = (
        re.search(r"(?:n\s*<|fewer than|less than|under|below)\s*(\d+)", " ".join(candidate.said), re.I)
        if hidden
        else None
    )
    limit = limits[0] if limits else int(said[1]) if said else None
    return {"threshold": limit} if limit else {}


def written_formula(candidate: Candidate) -> str | None:
    """A formula as far as the file says it, where there are no data to look names up in."""
    if candidate.shape not in ("model", "other") or not (candidate.terms or candidate.formula):
        return None
    if candidate.formula is not None:
        text = re.sub(r"\b(?:as\.)?factor\(", "C(", candidate.formula)
        return re.sub(r"^Surv\(\s*([\w.]+)\s*,\s*([\w.]+)[^)]*\)", r"\1, \2", text)
    names = []
    for term in candidate.terms:
        if re.match(r"^\(?(?:_cons|intercept|const)", term.text, re.I):
            continue
        names.append(f"C({term.group})" if term.group else term.text)
    random = [candidate.facts["random"]] if "random" in candidate.facts else []
    return f"{candidate.response or '?'} ~ {' + '.join([*dict.fromkeys(names), *random]) or '1'}"


def special_in(formula: str | None) -> str:
    """The parts of a formula that no kind has: strata, frailties, smooth terms, offsets."""
    found = re.findall(r"\b(strata|frailty|offset|s|te|ns|bs|poly|tt|pspline)\(", formula or "")
    return f"{found[0]}() in a formula" if found else ""
