"""The record of an assessment: figures, counts and names of variables as plain data, never a row of the data."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from divulge import __version__
from divulge.assess.arithmetic import Arithmetic
from divulge.assess.blamed import blame_section
from divulge.assess.decision import Added, Decisions, emergent_section
from divulge.assess.passes import PassResult, ScenarioRisk
from divulge.assess.plan import Plan
from divulge.assess.splits.cluster import versions
from divulge.assess.statistics.contrasts import MeasureRisk
from divulge.assess.statistics.intervals import Mean
from divulge.contributions.blame import fewest_told
from divulge.measures import FAMILIES
from divulge.objective import Embedding, Reproduction
from divulge.policy import Decision, Policy
from divulge.record import FORMAT_VERSION, to_plain
from divulge.table import Table

_NOT_EMBEDDED = "Not every released figure was reproduced in the synthetic data, so this figure understates the risk."
"""The sentence without which no figure of an output that was not embedded may be shown."""

_BINS = (-1.0, -0.1, -0.05, -0.02, -0.01, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Bounds of the classes in which exposures are counted."""


@dataclasses.dataclass(frozen=True)
class Source:
    """What the record says of where it comes from. spec: its digest and text; data: the digest of the data."""

    spec: Mapping[str, str]
    data: str
    seconds: float


def make_record(
    ready: Plan, arithmetic: Arithmetic, results: Sequence[PassResult], decisions: Decisions, source: Source
) -> dict[str, Any]:
    """Everything that a reader needs. results: all outputs together, each alone, the earlier ones."""
    together = results[0]
    data = ready.assessment.source
    record = {
        "format_version": FORMAT_VERSION,
        "divulge": __version__,
        "verdict": decisions.overall.verdict,
        "reasons": decisions.overall.reasons,
        "settle": decisions.overall.settle,
        "sensitivity": decisions.turn,
        "outputs": [_output_section(i, ready, arithmetic, results, decisions.alone[i]) for i in range(ready.n_new)],
        "rules": arithmetic.rules_section(),
        "audit": arithmetic.audit_section(),
        "risk": [_scenario_section(s, together, ready) for s in together.scenarios],
        "meanings": _meanings_section(together),
        "exposure": _exposure_section(together, ready.table, ready.policy),
        "emergent": emergent_section(results, ready.table) if len(results) > 1 else None,
        "cumulative": _cumulative_section(ready, results, decisions.added) if ready.earlier.is_known else None,
        "embedding": _embedding_section(together.whole),
        "trajectory": together.trajectory,
        "rows": ready.table.n_people,
        "design": {"kind": ready.design.kind, **dataclasses.asdict(ready.design)},
        "splits": {"used": together.n_splits, "failed": list(together.failed), "silent": together.n_silent},
        "synthesiser": {"kind": ready.synthesiser.kind, **dataclasses.asdict(ready.synthesiser)},
        "policy": ready.policy,
        "seed": ready.assessment.seed,
        "spec": source.spec,
        "data": {"name": "" if data is None else data.name, "digest": source.data},
        "versions": versions(),
        "timings": {"seconds": source.seconds, "passes": [dict(r.seconds) for r in results]},
    }
    if ready.table.people is not None and not ready.is_sampled:
        is_exact = all(s.is_exact for result in results for s in result.scenarios)
        record["condensed"] = {
            "different_rows": ready.table.n_rows,
            "people": ready.table.n_people,
            "risk": "exact" if is_exact else "expected",
        }
    if ready.why_rows and not ready.is_sampled:
        record["row_by_row"] = {"people": ready.table.n_people, "why": ready.why_rows}
    plain: dict[str, Any] = to_plain(record)
    return plain


def _output_section(
    number: int, ready: Plan, arithmetic: Arithmetic, results: Sequence[PassResult], decision: Decision
) -> dict[str, Any]:
    """One output: what it is, whether it was embedded, its own verdict."""
    output, together = ready.outputs[number], results[0]
    own = results[1 + number] if len(results) > 1 else together
    at = own.outputs.index(number)
    reproduction = own.whole.outputs[at]
    with_all = together.whole.outputs[together.outputs.index(number)]
    held = reproduction.held
    following = {"following": int((~held).sum())} if not held.all() else {}
    return {
        "number": number + 1,
        "name": output.name,
        "kind": output.kind,
        "description": output.describe(),
        "statbarn": {"name": output.statbarn, "iri": output.statbarn.iri},
        "variables": output.uses(ready.table.schema),
        "verdict": decision.verdict,
        "reasons": decision.reasons,
        "settle": decision.settle,
        "status": str(own.whole.outcome),
        "sentence": own.whole.outcome.sentence,
        "figures": int(held.sum()),
        **following,
        "reproduced": reproduction.n_reproduced,
        "reproduced_together": with_all.n_reproduced,
        "tested": round(own.near[at] * len(held)) - int((~held).sum()),
        "precision": reproduction.target.released.precision.describe(),
        "digits": {"printed": ready.printed[number].precision.describe(), **ready.digits[number].as_json()},
        "mae": reproduction.mae,
        "splits": {"reproduced": own.in_splits[at], "mae": own.mae_in_splits[at]},
        "values": _values(reproduction),
        "grid": output.grid(ready.table.schema),
        "exposed": ready.table.count(own.at_risk),
        "rules": [f.as_json() for f in own.findings],
        "blame": blame_section(number, ready, arithmetic, own),
        "risk": [_brief_section(s, own, ready.table) for s in own.scenarios],
    }


def _values(reproduction: Reproduction) -> list[dict[str, Any]]:
    """Figure by figure: what is released, and what the synthetic data give."""
    r = reproduction
    found: list[dict[str, Any]] = [
        {"label": label, "released": released, "value": value, "reproduced": bool(agrees)}
        for label, released, value, agrees in zip(r.labels, r.released, r.values, r.as_printed, strict=True)
    ]
    for i in np.flatnonzero(~r.held).tolist():
        found[i]["searched"] = False
    errors = r.target.released.se
    if errors is not None and r.se is not None:
        for i in np.flatnonzero(np.isfinite(errors)).tolist():
            found[i] |= {"se_released": float(errors[i]), "se": float(r.se[i])}
    return found


def _meanings_section(result: PassResult) -> dict[str, str]:
    """What each measure of the record says, in a sentence."""
    found = {name for risk in result.scenarios for name in (*risk.measures, *risk.sweep)}
    return {m.name: m.summary for family in FAMILIES for m in family.measures if m.name in found}


def _embedding_section(whole: Embedding) -> dict[str, Any]:
    """The search on all rows. The steps stand for time, which would make two records of one run differ."""
    return {
        "status": str(whole.outcome),
        "sentence": whole.outcome.sentence,
        "proposals": whole.proposals,
        "accepted": whole.accepted,
        "trace": [{"steps": p.steps, "discrepancy": p.discrepancy} for p in whole.trace],
    }


def _brief_section(risk: ScenarioRisk, result: PassResult, table: Table) -> dict[str, Any]:
    """One scenario: the marginal risk."""
    return {
        "scenario": risk.scenario.describe(),
        "target": risk.scenario.target,
        "keys": risk.scenario.keys,
        "knows": risk.scenario.knows,
        "tolerance": risk.tolerance,
        "marginal_risk": None if risk.marginal_risk is None else _mean_section(risk.marginal_risk),
        "at": "full size" if risk.is_exact else "half size",
        "exposed": table.count(risk.exposed),
        "caveats": [] if result.whole.is_complete else [_NOT_EMBEDDED],
    }


def _scenario_section(risk: ScenarioRisk, result: PassResult, ready: Plan) -> dict[str, Any]:
    """One scenario: the marginal risk, and every measure for people in and people out."""
    wanted = ready.wanted
    section = _brief_section(risk, result, ready.table) | {
        "measures": {n: _measure(m) for n, m in risk.measures.items() if wanted is None or n in wanted},
        "sweep": {n: _measure(m) for n, m in risk.sweep.items()},
        "key_sizes": risk.scenario.key_sizes,
        "folds": {n: t for n, t in risk.folds.items() if wanted is None or n in wanted or n in risk.sweep},
        "curve": None,
        "holdout": None,
        "epsilon": risk.epsilon,
    }
    if result.holdout:
        figures = result.holdout[result.scenarios.index(risk)]
        section["holdout"] = {
            n: {"original": f.original, "holdout": f.holdout, "difference": f.original - f.holdout}
            for n, f in figures.items()
            if wanted is None or n in wanted
        }
    if risk.curve is not None:
        section["curve"] = {
            "points": [
                {"part": p.part, "rows": p.n_rows, "marginal_risk": _mean_section(p.risk)} for p in risk.curve.points
            ],
            "at_full_size": risk.curve.at_full_size,
            "interval": [risk.curve.low, risk.curve.high],
        }
    return section


def _mean_section(mean: Mean) -> dict[str, Any]:
    """A mean over splits with its interval."""
    return {"value": mean.value, "interval": [mean.low, mean.high], "splits": mean.n}


def _measure(m: MeasureRisk) -> dict[str, Any]:
    return {
        "original": m.original,
        "holdout": m.holdout,
        "difference": m.difference.value,
        "interval": [m.difference.low, m.difference.high],
        "anonymeter": m.anonymeter,
        "baseline": m.baseline,
        "calibrated": m.calibrated,
    }


def _exposure_section(result: PassResult, table: Table, policy: Policy) -> dict[str, Any]:
    """How many are exposed, how exposures are spread, and which groups stand out; groups below a size are not shown."""
    n, n_exposed = table.n_people, table.count(result.at_risk)
    section: dict[str, Any] = {
        "exposed": n_exposed,
        "tested": result.has_contrast,
        "by_rules": table.count(result.named_by_rules),
        "share": n_exposed / n if n else 0.0,
        "delta": policy.delta,
        "false_discoveries": policy.false_discoveries,
        "power": result.power,
        "scenarios": [],
        "groups": _groups(result, table, policy.smallest_group),
        "smallest_group": policy.smallest_group,
    }
    for risk in result.scenarios:
        counts, _ = np.histogram(risk.exposures, bins=_BINS, weights=table.people)
        section["scenarios"].append(
            {
                "scenario": risk.scenario.describe(),
                "exposed": table.count(risk.exposed),
                "bounds": list(_BINS),
                "counts": counts.tolist(),
            }
        )
    return section


def _groups(result: PassResult, table: Table, smallest: int) -> list[dict[str, Any]]:
    """Values of the variables among whose people exposure is common: at least `smallest` exposed people each, and among
    those who are left."""
    names = dict.fromkeys(n for risk in result.scenarios for n in risk.scenario.variables)
    groups: list[dict[str, Any]] = []
    for name in names:
        variable = table.schema[name]
        if variable.kind == "numeric":
            continue
        all_counts = table.frequencies(name)
        counts = table.tally(table[name], variable.n_codes, result.at_risk)
        for code in np.flatnonzero(counts >= fewest_told(counts.tolist(), int(counts.sum()), smallest)):
            share = counts[code] / all_counts[code]
            groups.append(
                {
                    "variable": name,
                    "value": variable.display[code],
                    "exposed": int(counts[code]),
                    "people": int(all_counts[code]),
                    "share": float(share),
                }
            )
    return sorted(groups, key=lambda g: -g["share"])[:20]


def _cumulative_section(ready: Plan, results: Sequence[PassResult], added: Sequence[Added]) -> dict[str, Any]:
    """What the record says of earlier releases: which, the risk of everything, and what the new outputs add."""
    together, earlier, count = results[0], ready.earlier, ready.table.count
    section: dict[str, Any] = {
        "releases": list(dict.fromkeys(one.release for one in earlier.kept)),
        "outputs": len(earlier),
        "left_out": [{"release": out.release, "why": out.why} for out in earlier.left_out],
        "marginal_risk": max((s.marginal_risk.value for s in together.scenarios if s.marginal_risk), default=None),
        "exposed": count(together.at_risk),
        "earlier": None,
        "adds": None,
        "scenarios": [],
    }
    if not earlier.kept:
        return section
    before = results[-1]
    section["scenarios"] = [
        {
            "scenario": one.now.scenario.describe(),
            "marginal_risk": one.risk_now,
            "earlier": one.risk_before,
            "adds": one.value,
            "interval": [one.low, one.high],
            "exposed": count(one.now.exposed & ~one.before.exposed),
            "epsilon": None if one.now.epsilon is None else one.now.epsilon.lower_bound,
            "epsilon_earlier": None if one.before.epsilon is None else one.before.epsilon.lower_bound,
        }
        for one in added
    ]
    section["marginal_risk"] = max((one.risk_now for one in added), default=None)
    section["earlier"] = {
        "marginal_risk": max((one.risk_before for one in added), default=None),
        "exposed": count(before.at_risk),
    }
    section["adds"] = {
        "marginal_risk": max((one.value for one in added), default=None),
        "exposed": count(together.at_risk & ~before.at_risk),
    }
    return section
