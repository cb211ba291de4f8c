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

_FILES = ("data", "schema", "holdout", "policy")
"""What a spec names by its path, from where it stands."""


def write_proposals(found: Mitigated, document: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Write everything, and give what `divulge mitigate --json` prints. document: the spec as it was."""
    make_folder(folder)
    plain: dict[str, Any] = {
        "before": summary(found.before),
        "proposals": [],
        "tried": [{"sentence": p.sentence, "verdict": p.verdict, "reasons": p.after["reasons"]} for p in found.tried],
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


def _write(found: Mitigated, proposal: Proposal, number: int, document: dict[str, Any], folder: Path) -> dict[str, Any]:
    spec = folder / f"proposal-{number}.yaml"
    text = yaml.safe_dump(to_plain(_document(found, proposal, document, folder)), sort_keys=False, allow_unicode=True)
    write_text(spec, f"# {proposal.sentence}\n{text}")
    tables = []
    for step in proposal.steps:
        rows, notes = layout(step.made, step.printed, found.inputs.schema)
        stem = folder / f"proposal-{number}-output-{step.output + 1}"
        write_text(stem.with_suffix(".csv"), as_csv(rows, notes))
        write_bytes(stem.with_suffix(".xlsx"), as_excel(rows, notes))
        write_text(stem.with_suffix(".tex"), as_latex(rows, notes))
        tables += [str(stem.with_suffix(suffix)) for suffix in (".csv", ".xlsx", ".tex")]
    return {**proposal.as_json(), "before": summary(found.before), "spec": str(spec), "tables": tables}


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
