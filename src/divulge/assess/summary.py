"""What was found, as sections of the record: figures, counts and names of variables, never a row of the data."""

from __future__ import annotations

from typing import Any

import numpy as np

from divulge.assess.passes import AttackRisk, PassResult
from divulge.assess.statistics.contrasts import MeasureRisk
from divulge.assess.statistics.intervals import Mean
from divulge.measures import FAMILIES
from divulge.objective import Embedding, Reproduction
from divulge.outputs import Output
from divulge.policy import Decision, Policy
from divulge.table import Schema, Table

NOT_EMBEDDED = "Not every released figure was reproduced in the synthetic data, so this figure understates the risk."
"""The sentence without which no figure of an output that was not embedded may be shown."""

BINS = (-1.0, -0.1, -0.05, -0.02, -0.01, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Bounds of the classes in which exposures are counted."""


def output_section(
    number: int,
    output: Output,
    own: PassResult,
    together: PassResult,
    decision: Decision,
    schema: Schema,
    wanted: frozenset[str] | None,
) -> dict[str, Any]:
    """One output: what it is, whether it was embedded, its own verdict."""
    at = own.outputs.index(number)
    reproduction = own.whole.outputs[at]
    with_all = together.whole.outputs[together.outputs.index(number)]
    agrees = reproduction.agrees
    return {
        "number": number + 1,
        "name": output.name,
        "kind": output.kind,
        "description": output.describe(),
        "statbarn": {"name": output.statbarn, "iri": output.statbarn.iri},
        "variables": output.uses(schema),
        "verdict": decision.verdict,
        "reasons": decision.reasons,
        "settle": decision.settle,
        "status": str(own.whole.outcome),
        "sentence": own.whole.outcome.sentence,
        "figures": len(agrees),
        "reproduced": int(agrees.sum()),
        "reproduced_together": int(with_all.agrees.sum()),
        "precision": reproduction.target.released.precision.describe(),
        "mae": reproduction.mae,
        "splits": {"reproduced": own.in_splits[at], "mae": own.mae_in_splits[at]},
        "values": _values(reproduction),
        "grid": output.grid(schema),
        "exposed": int(own.at_risk.sum()),
        "rules": [{"rule": f.rule, "sentence": f.sentence, "people": f.n_people} for f in own.findings],
        "risk": [attack_section(a, own, wanted, brief=True) for a in own.attacks],
    }


def _values(reproduction: Reproduction) -> list[dict[str, Any]]:
    """Figure by figure: what is released, and what the synthetic data give."""
    r = reproduction
    return [
        {"label": label, "released": released, "value": value, "reproduced": bool(agrees)}
        for label, released, value, agrees in zip(r.labels, r.released, r.values, r.agrees, strict=True)
    ]


def embedding_section(whole: Embedding) -> dict[str, Any]:
    """The search on all rows. The steps stand for time, which would make two records of one run differ."""
    return {
        "status": str(whole.outcome),
        "sentence": whole.outcome.sentence,
        "proposals": whole.proposals,
        "accepted": whole.accepted,
        "trace": [{"steps": p.steps, "discrepancy": p.discrepancy} for p in whole.trace],
    }


def attack_section(
    found: AttackRisk, result: PassResult, wanted: frozenset[str] | None, brief: bool = False
) -> dict[str, Any]:
    """One scenario: the marginal risk, and every measure for people in and people out."""
    section: dict[str, Any] = {
        "scenario": found.attack.describe(),
        "target": found.attack.target,
        "keys": found.attack.keys,
        "knows": found.attack.knows,
        "tolerance": found.tolerance,
        "marginal_risk": None if found.marginal_risk is None else mean_section(found.marginal_risk),
        "exposed": int(found.exposed.sum()),
        "caveats": [] if result.whole.is_complete else [NOT_EMBEDDED],
    }
    if brief:
        return section
    section |= {
        "measures": {n: _measure(m) for n, m in found.measures.items() if wanted is None or n in wanted},
        "sweep": {n: _measure(m) for n, m in found.sweep.items()},
        "key_sizes": found.attack.key_sizes,
        "folds": {n: t for n, t in found.folds.items() if wanted is None or n in wanted or n in found.sweep},
        "curve": None,
        "holdout": None,
    }
    if result.holdout:
        figures = result.holdout[result.attacks.index(found)]
        section["holdout"] = {
            n: {"original": f.original, "holdout": f.holdout, "difference": f.original - f.holdout}
            for n, f in figures.items()
            if wanted is None or n in wanted
        }
    if found.curve is not None:
        section["curve"] = {
            "points": [
                {"part": p.part, "rows": p.n_rows, "marginal_risk": mean_section(p.risk)} for p in found.curve.points
            ],
            "at_full_size": found.curve.at_full_size,
            "interval": [found.curve.low, found.curve.high],
        }
    return section


def meanings_section(result: PassResult) -> dict[str, str]:
    """What each measure of the record says, in a sentence."""
    found = {name for attack in result.attacks for name in (*attack.measures, *attack.sweep)}
    return {m.name: m.summary for family in FAMILIES for m in family.measures if m.name in found}


def mean_section(mean: Mean) -> dict[str, Any]:
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


def exposure_section(result: PassResult, table: Table, policy: Policy) -> dict[str, Any]:
    """How many are exposed, how exposures are spread, and which groups stand out; groups below a size are not shown."""
    n = table.n_rows
    section: dict[str, Any] = {
        "exposed": int(result.at_risk.sum()),
        "by_rules": int(np.sum([f.people for f in result.findings]) if result.findings else 0),
        "share": float(result.at_risk.mean()) if n else 0.0,
        "delta": policy.delta,
        "false_discoveries": policy.false_discoveries,
        "can_find_one": result.can_find_one,
        "scenarios": [],
        "groups": _groups(result, table, policy.smallest_group),
        "smallest_group": policy.smallest_group,
    }
    for found in result.attacks:
        counts, _ = np.histogram(found.exposures, bins=BINS)
        section["scenarios"].append(
            {
                "scenario": found.attack.describe(),
                "exposed": int(found.exposed.sum()),
                "bounds": list(BINS),
                "counts": counts.tolist(),
            }
        )
    return section


def _groups(result: PassResult, table: Table, smallest: int) -> list[dict[str, Any]]:
    """Values of the variables among whose people exposure is common: at least `smallest` exposed people each."""
    names = dict.fromkeys(n for a in result.attacks for n in a.attack.variables)
    groups: list[dict[str, Any]] = []
    for name in names:
        variable = table.schema[name]
        if variable.kind == "numeric":
            continue
        all_counts = table.frequencies(name)
        counts = np.bincount(table[name][result.at_risk], minlength=variable.n_codes)
        for code in np.flatnonzero(counts >= smallest):
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
