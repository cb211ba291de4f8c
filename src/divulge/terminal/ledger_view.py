"""How `divulge ledger` shows submissions, on a screen and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table as Grid

from divulge.terminal.screen import screen

if TYPE_CHECKING:
    from divulge.ledger.model import Submission, TrailEntry

_MOST_FIGURES = 20  # figures of an output that the screen shows; --json has them all


def as_json(submission: Submission) -> dict[str, Any]:
    """A submission in a list."""
    return {
        "number": submission.id,
        "title": submission.title,
        "state": submission.state,
        "verdict": submission.verdict,
        "author": submission.author.name,
        "project": submission.project.name,
        "dataset": submission.dataset.name,
        "version": submission.version,
        "replaces": submission.replaces_id,
        "submitted": submission.created_at.isoformat(),
        "checkers": [a.person.name for a in submission.assignments],
        "decisions": len(submission.decisions),
    }


def details(submission: Submission, history: Sequence[TrailEntry], seen: Sequence[TrailEntry]) -> dict[str, Any]:
    """A submission with everything about it. seen: who looked at what of it, and who took what away."""
    release = submission.release
    return {
        **as_json(submission),
        "purpose": submission.purpose,
        "fingerprint": submission.dataset.fingerprint,
        "outputs": [
            {"number": o.number, "name": o.name, "kind": o.kind, "document": o.document, "figures": o.figures}
            for o in submission.outputs
        ],
        "uploads": [{"name": u.name, "sha256": u.digest, "size": u.size} for u in submission.uploads],
        "assessments": [
            {"verdict": a.verdict, "risk": a.risk, "adds": a.adds, "exposed": a.exposed, "at": a.at.isoformat()}
            for a in submission.assessments
        ],
        "decisions": [
            {"checker": d.person.name, "choice": d.choice, "reason": d.reason, "at": d.at.isoformat()}
            for d in submission.decisions
        ],
        "release": None if release is None else {"at": release.at.isoformat(), "manifest": release.manifest},
        "history": [
            {"number": e.number, "at": e.at.isoformat(), "person": e.person, "action": e.action, **_what(e)}
            for e in history
        ],
        "views": [{"at": e.at.isoformat(), "person": e.person, "action": e.action, **_what(e)} for e in seen],
    }


def listing(submissions: Sequence[Submission]) -> Grid:
    grid = Grid(box=None, pad_edge=False)
    for name in ("number", "submitted", "state", "verdict", "author", "data", "title"):
        grid.add_column(name, justify="right" if name == "number" else "left")
    for s in submissions:
        day = f"{s.created_at:%Y-%m-%d}"
        grid.add_row(str(s.id), day, s.state, s.verdict or "", s.author.name, s.dataset.name, s.title)
    return grid


def show_details(found: dict[str, Any]) -> None:
    version = f" (version {found['version']})" if found["version"] > 1 else ""
    screen.show(f"{found['number']}: {found['title']}{version}")
    screen.show(
        f"{found['state']}; by {found['author']}, about {found['dataset']}, submitted {found['submitted'][:10]}"
    )
    for assessment in found["assessments"]:
        adds = "" if assessment["adds"] is None else f", of which this adds {assessment['adds']:.4f}"
        risk = "" if assessment["risk"] is None else f"; marginal risk {assessment['risk']:.4f}{adds}"
        screen.show(
            f"Assessed {assessment['at'][:10]}: {assessment['verdict']}{risk}; {assessment['exposed']:,} exposed"
        )
    for decision in found["decisions"]:
        screen.show(f"{decision['checker']}: {decision['choice']}. {decision['reason']}")
    for output in found["outputs"]:
        screen.show("")
        screen.show(f"Output {output['number']} ({output['kind']}) {output['name']}".rstrip())
        figures = output["figures"] or []
        grid = Grid(box=None, pad_edge=False, show_header=False)
        for figure in figures[:_MOST_FIGURES]:
            grid.add_row(figure["label"], "suppressed" if figure["value"] is None else figure["value"])
        screen.show(grid)
        if len(figures) > _MOST_FIGURES:
            screen.show(f"and {len(figures) - _MOST_FIGURES:,} more")
    screen.show("")
    for entry in found["history"]:
        screen.show(f"{entry['number']:>6}  {entry['at'][:19].replace('T', ' ')}  {entry['person']}: {entry['action']}")


def _what(entry: TrailEntry) -> dict[str, Any]:
    # Digests of rows are for `verify`, not for people.
    return {"details": {name: value for name, value in json.loads(entry.details).items() if name != "rows"}}
