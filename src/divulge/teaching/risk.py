"""What teaching data give away about the people behind the figures, for a custodian who has these people's data.

Two looks. TCAP with every variable as target and the others as keys, for people in the data, people outside it, and
data that did see the original (Elliot, Little & Allmendinger 2024, Tables 10 and 11). And the marginal risk: the same
outputs recomputed on random halves of the original, teaching data made from each, people in against people out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from divulge.assess import Listener, assess, plan
from divulge.comparators import Cart
from divulge.designs import RepeatedHalves
from divulge.errors import MissingColumnsError
from divulge.measures import calibrated, measure_targets
from divulge.record import dumps, to_plain, write_text
from divulge.scenario import Scenario, granted_by
from divulge.settings import Choice
from divulge.spec import Inputs
from divulge.synthesisers import Descent
from divulge.table import Table, align
from divulge.teaching.make import Dataset

SPLITS = 30
"""Halves for the marginal risk where the spec names no design: as for any assessment, enough to tell one exposed person
from chance."""


@dataclass(frozen=True)
class _Line:
    """TCAP of one comparison, for each target; None where the intruder is certain of nobody."""

    name: str
    values: tuple[float | None, ...]

    @property
    def mean(self) -> float | None:
        known = [v for v in self.values if v is not None]
        return float(np.mean(known)) if known else None


@dataclass(frozen=True)
class Risk:
    """Tables 10 and 11 for these data, and the record of the assessment behind the marginal risk."""

    targets: tuple[str, ...]
    raw: tuple[_Line, ...]
    calibrated: tuple[_Line, ...]
    record: dict[str, Any]

    def as_json(self) -> dict[str, Any]:
        def plain(lines: Sequence[_Line]) -> list[dict[str, Any]]:
            return [
                {"comparison": line.name, "mean": line.mean, **dict(zip(self.targets, line.values, strict=True))}
                for line in lines
            ]

        return to_plain(
            {
                "targets": self.targets,
                "tcap": plain(self.raw),
                "calibrated": plain(self.calibrated),
                "verdict": self.record["verdict"],
                "reasons": self.record["reasons"],
                "risk": self.record["risk"],
                "exposed": self.record["exposure"]["exposed"],
                "splits": self.record["splits"],
            }
        )

    def write(self, folder: Path, name: str) -> list[Path]:
        """The tables as Markdown and JSON."""
        files = [folder / f"{name}-simulated-risk.md", folder / f"{name}-simulated-risk.json"]
        write_text(files[0], _risk_page(self))
        write_text(files[1], dumps(self.as_json()))
        return files


def assess_dataset(
    data: Dataset, original: Table, holdout: Table | None = None, *, workers: int = 1, listener: Listener | None = None
) -> Risk:
    """Measure what the first version gives away about the people of the original, and of the holdout."""
    teaching = data.versions[0].table
    extra = set(data.extra)
    names = tuple(n for n in data.schema.names if n not in extra)
    for what, table in (("original", original), ("holdout", holdout)):
        absent = [] if table is None else [n for n in names if n not in table.schema]
        if absent:
            raise MissingColumnsError(f"the {what} has no column {', '.join(map(repr, absent))}.")
    tables = align(teaching, original, *([] if holdout is None else [holdout]), names=names)
    teaching, people = tables[0], tables[1]
    general = Cart().synthesise(people, people.n_rows, np.random.default_rng(data.seed))
    pairs = [("original → original", people, people), ("original → teaching data", people, teaching)]
    if holdout is not None:
        pairs.append(("holdout → teaching data", tables[2], teaching))
    pairs.append(("original → synthetic data that saw it (CART)", people, general))
    raw, adjusted = [], []
    baseline: list[float] = []
    for name, who, synthetic in pairs:
        found = [_tcap(who, synthetic, names, target) for target in names]
        raw.append(_Line(name, tuple(value for value, _ in found)))
        adjusted.append(_Line(name, tuple(None if v is None else calibrated(v, b) for v, b in found)))
        if not baseline:
            baseline = [base for _, base in found]
    raw.append(_Line("baseline", tuple(baseline)))
    return Risk(names, tuple(raw), tuple(adjusted), _record(data, people, names, workers, listener))


def _tcap(people: Table, synthetic: Table, names: tuple[str, ...], target: str) -> tuple[float | None, float]:
    keys = [n for n in names if n != target]
    found = measure_targets(people, synthetic, keys, [target], measures=["TCAP"])[0]["TCAP"]
    return found.value if found.is_defined else None, float(found.baseline or 0.0)


def _record(
    data: Dataset, people: Table, names: tuple[str, ...], workers: int, listener: Listener | None
) -> dict[str, Any]:
    knows = granted_by(data.assessment.scenarios)
    scenarios = tuple(Scenario(tuple(n for n in names if n != t), t, knows=knows) for t in names)
    # Whole counts as well as estimates: the search of the class, not that of a verdict in a hurry.
    assessment = replace(
        data.assessment,
        data=Path("original"),
        holdout=None,
        scenarios=scenarios,
        design=data.assessment.design or RepeatedHalves(splits_wanted=SPLITS, curve=False),
        synthesiser=Choice(Descent, {}),
    )
    new, before = (tuple(t.released for t in targets) for targets in (data.targets, data.earlier))
    inputs = Inputs(people.schema, people, people.n_rows, new, earlier=before)
    return assess(plan(assessment, inputs), workers=workers, listener=listener, alone=False).record


def _risk_page(risk: Risk) -> str:
    """The two looks as Markdown."""
    parts = [
        "# What the teaching data give away",
        "For the custodian: this page rests on the original data. Judge it as any other output before it is passed on.",
        "## TCAP, every variable as target",
        "How often an intruder who knows all other variables of a person, and speaks only where the data leave no "
        "doubt, is right about this one (Elliot, Little & Allmendinger 2024, Tables 10 and 11).",
        _grid(risk, risk.raw),
        "Calibrated: 0 is guessing from the distribution of the target, 1 is certainty.",
        _grid(risk, risk.calibrated),
        "## Marginal risk",
        f"The figures recomputed on random halves of the original ({risk.record['splits']['used']} splits), synthetic "
        "data made from each, and people who were in compared with people who were not. What is learnt about both "
        f"alike is statistics. Verdict: **{risk.record['verdict']}**.",
        "\n".join(f"- {reason}" for reason in risk.record["reasons"]),
        _marginal(risk),
    ]
    return "\n\n".join(parts) + "\n"


def _grid(risk: Risk, lines: Sequence[_Line]) -> str:
    rows = [
        f"| | {' | '.join(risk.targets)} | mean |",
        "|---|" + "---:|" * (len(risk.targets) + 1),
        *(f"| {line.name} | {' | '.join(shown(v) for v in (*line.values, line.mean))} |" for line in lines),
    ]
    return "\n".join(rows)


def _marginal(risk: Risk) -> str:
    rows = ["| inferring | marginal risk | 95 % interval | exposed |", "|---|---:|---:|---:|"]
    for one in risk.record["risk"]:
        mean = one["marginal_risk"]
        interval = "" if not mean else f"{mean['interval'][0]:.4f} to {mean['interval'][1]:.4f}"
        value = "" if not mean else f"{mean['value']:.4f}"
        rows.append(f"| {one['target']} from the others | {value} | {interval} | {one['exposed']:,} |")
    return "\n".join(rows)


def shown(value: float | None) -> str:
    """A figure to three decimals, as the paper has it; "none" where the intruder is certain of nobody."""
    return "none" if value is None else f"{value:.3f}"
