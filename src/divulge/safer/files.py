"""Proposals as files: a spec to assess, the released tables, and a page with risk against loss."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import yaml

from divulge.record import make_folder, to_plain, write_bytes, write_text
from divulge.reports.proposals import proposals_page
from divulge.safer.propose import Mitigated, Proposal, summary
from divulge.safer.released_files import as_csv, as_excel, as_latex, layout
from divulge.spec import format_output, format_settings

_MOST_ROWS = 40
"""Rows of a released table that the page shows; the files have all."""

_FILES = ("data", "schema", "holdout", "policy")
"""What a spec names by its path, from where it stands."""


def write_proposals(found: Mitigated, document: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Write everything, and give what `divulge mitigate --json` prints. document: the spec as it was."""
    make_folder(folder)
    plain: dict[str, Any] = {
        "before": summary(found.before),
        "proposals": [],
        "tried": [_tried(one) for one in found.tried],
        "candidates": found.n_candidates,
        "seconds": found.seconds,
    }
    smallest = found.before["policy"]["smallest_group"]
    plain["blame"] = [blame.told_levels(smallest) for blame in found.blame]
    for number, proposal in enumerate(found.proposals, start=1):
        plain["proposals"].append(_write(found, proposal, number, document, folder))
    write_text(folder / "proposals.html", proposals_page(to_plain(plain)))
    plain["page"] = str(folder / "proposals.html")
    return plain


def _tried(one: Proposal) -> dict[str, Any]:
    told = {"sentence": one.sentence, "verdict": one.verdict, "reasons": one.after["reasons"]}
    return {**told, "loss": {"information": one.information}, "after": summary(one.after)}


def _write(found: Mitigated, proposal: Proposal, number: int, document: dict[str, Any], folder: Path) -> dict[str, Any]:
    spec = folder / f"proposal-{number}.yaml"
    text = yaml.safe_dump(to_plain(_document(found, proposal, document, folder)), sort_keys=False, allow_unicode=True)
    write_text(spec, f"# {proposal.sentence}\n{text}")
    tables, shown = list[str](), list[dict[str, Any]]()
    for step in proposal.steps:
        rows, notes = layout(step.made, step.printed, found.inputs.schema)
        shown.append({"rows": rows[: 1 + _MOST_ROWS], "more": max(0, len(rows) - 1 - _MOST_ROWS), "notes": notes})
        stem = folder / f"proposal-{number}-output-{step.output + 1}"
        write_text(stem.with_suffix(".csv"), as_csv(rows, notes))
        write_bytes(stem.with_suffix(".xlsx"), as_excel(rows, notes))
        write_text(stem.with_suffix(".tex"), as_latex(rows, notes))
        tables += [str(stem.with_suffix(suffix)) for suffix in (".csv", ".xlsx", ".tex")]
    lost = [name for step in proposal.steps for name in step.mitigation.loses(found.inputs.schema)]
    told = {**proposal.as_json(), "before": summary(found.before), "lost": list(dict.fromkeys(lost))}
    return {**told, "spec": str(spec), "tables": tables, "shown": shown}


def _document(found: Mitigated, proposal: Proposal, document: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The spec with the outputs of a proposal. Names of files are from where the new spec stands."""
    changed = dict(document)
    given = list(document["outputs"]) if isinstance(document["outputs"], list) else [document["outputs"]]
    for step in proposal.steps:
        given[step.output] = format_output(proposal.outputs[step.output])
    changed["outputs"] = given
    if proposal.design is not None and proposal.design != found.assessment.design:
        changed["design"] = format_settings(proposal.design)
    base = found.assessment.folder
    for name in _FILES:
        if isinstance(document.get(name), str):
            changed[name] = os.path.relpath(base / document[name], folder)
    return changed
