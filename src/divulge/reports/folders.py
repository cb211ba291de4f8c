"""What was found about a folder, in words and as a table: for the screen, and for files that SACRO-Viewer shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from divulge.record import csv_text, no_formula

MARKS = {"release": "may be released", "review": "needs a closer look", "refuse": "should not be released"}


def comment(entry: Mapping[str, Any]) -> str:
    """One comment on an output, to stand beside it."""
    if entry["verdict"] is None:
        return f"Divulge: not assessed. {sentence(entry['reason'])}"
    said = [f"Divulge: {str(entry['verdict']).upper()} ({MARKS[entry['verdict']]}).", *entry["reasons"]]
    return " ".join([*said, agreement(entry), *entry["notes"]])


def agreement(entry: Mapping[str, Any]) -> str:
    """Whether the figures are what the data give."""
    n, ok = entry["figures"], entry["agreeing"]
    if ok == n:
        return f"All {n:,} figures agree with the data."
    named = ", ".join(entry["disagreeing"]) + (", …" if n - ok > len(entry["disagreeing"]) else "")
    return f"{n - ok:,} of {n:,} figures are not what the data give: {named}."


def sentence(text: str) -> str:
    """With a capital in front."""
    return text[:1].upper() + text[1:]


def summary_csv(record: Mapping[str, Any]) -> str:
    """One line for each output of the folder."""
    rows = [["output", "type", "ACRO", "Divulge", "people exposed", "figures", "agree with the data", "why"]]
    for e in record["acro"]["outputs"]:
        why = sentence(e["reason"]) if e["verdict"] is None else " ".join(e["reasons"])
        exposed = "" if e["exposed"] is None else e["exposed"]
        counts = ["", ""] if e["verdict"] is None else [e["figures"], e["agreeing"]]
        row = [e["name"], e["type"], e["status"], e["verdict"] or "not assessed", exposed, *counts, why]
        rows.append([no_formula(cell) if isinstance(cell, str) else cell for cell in row])
    return csv_text(rows)


def summary_text(record: Mapping[str, Any]) -> str:
    """The whole in plain Markdown."""
    acro = record["acro"]
    lines = [
        f"# {str(record['verdict']).upper()}: {acro['folder']}",
        "",
        f"Divulge {record['divulge']} on {len(acro['outputs'])} outputs of ACRO {acro['version']}, "
        f"{record['rows']:,} people. For the output checker; not to be released.",
        "",
        *(f"- {reason}" for reason in record["reasons"]),
        "",
    ]
    for e in acro["outputs"]:
        lines += [f"## {e['name']} ({e['method'] or e['type']})", ""]
        if e["verdict"] is None:
            lines += [f"Not assessed. {sentence(e['reason'])}", ""]
            continue
        lines += [f"{str(e['verdict']).upper()}: {MARKS[e['verdict']]}. ACRO said: {e['status']}.", ""]
        lines += [f"- {text}" for text in [*e["reasons"], agreement(e), *e["notes"]]]
        if e["settle"]:
            lines += [f"- What would settle it: {step}" for step in e["settle"]]
        lines.append("")
    return "\n".join(lines)
