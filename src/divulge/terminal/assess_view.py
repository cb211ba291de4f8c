"""How `divulge assess` tells an output checker what to do and why."""

from __future__ import annotations

from typing import Any

from rich.table import Table as Grid

from divulge.reports.blocks import Source, plain
from divulge.reports.sections.verdict import summary, would_be_found
from divulge.terminal.screen import screen

_N_NAMED = 3
"""How many figures of a finding are named."""


def show(record: dict[str, Any]) -> None:
    """The verdict first, then why, then each output, then the figures behind it."""
    seen = summary(Source(record))
    screen.show(plain(seen.subject))
    screen.show(f"{seen.verdict.upper()}: {seen.sentence}")
    for line in (seen.about, seen.reconciled):
        if line:
            screen.show(plain(line))
    for reason in record["reasons"]:
        screen.show(f"  - {reason}")
    screen.show("What to do:")
    for step in seen.advice:
        screen.show(f"  - {plain(step)}")
    screen.show("")
    screen.show(_outputs(record))
    for output in record["outputs"]:
        if output["reproduced"] < output["figures"]:
            screen.show(f"{_name(output)}: {output['sentence']}")
        for sentence in (output.get("digits") or {}).get("sentences", ()):
            screen.show(f"{_name(output)}: {sentence}")
    screen.show("")
    _rules(record)
    if "condensed" in record:
        screen.show(_CONDENSED[record["condensed"]["risk"]])
    if "sampled" in record:
        screen.show(_sampled(record["sampled"]))
    if "row_by_row" in record:
        screen.show(f"Assessed row by row, which takes long with so many people: {record['row_by_row']['why']}.")
    screen.show(f"Risk, on {record['splits']['used']} splits (in: people in the data; out: people who were not)")
    screen.show(_risks(record))
    for risk in record["risk"]:
        _folds(risk)
        _holdout(risk)
    for caveat in dict.fromkeys(c for risk in record["risk"] for c in risk["caveats"]):
        screen.show(caveat)
    _exposure(record)
    for finding in record.get("findings", ()):
        screen.show(f"Mind: {finding['sentence']}")
    if record["cumulative"] is not None:
        _cumulative(record["cumulative"])


def _sampled(told: dict[str, Any]) -> str:
    """Who was searched for, and how precisely that tells of everybody."""
    return (
        f"Risk is that of {told['drawn']:,} people drawn of {told['people']:,} ({told['why']}), among whom each counts "
        f"for more than in the whole; the choice of people adds {told['precision']:.3f} to either side. The "
        f"{told['suspects']:,} who may be exposed in the whole were all looked at."
    )


_CONDENSED = {
    "exact": "Risk and exposure are exact: everything is counts, so nothing was searched for.",
    "expected": "Risk and exposure rest on how many people of each combination the counts make an intruder expect; "
    "nothing was searched for.",
}
"""What is said where people who are alike were held once, by what the record says of the risk."""


def _name(output: dict[str, Any]) -> str:
    return str(output["name"] or f"Output {output['number']}")


def _outputs(record: dict[str, Any]) -> Grid:
    grid = Grid("output", "verdict", "figures reproduced", "exposed", box=None, pad_edge=False)
    for output in record["outputs"]:
        figures = f"{output['reproduced']:,} of {output['figures']:,} at {output['precision']}"
        about = f"{_name(output)} ({output['kind']}): {output['description']}"
        grid.add_row(about, output["verdict"], figures, _exposed(record, output))
    return grid


def _exposed(record: dict[str, Any], part: dict[str, Any]) -> str:
    """How many are exposed by a part of the record, as reports have it: a dash where nobody would have been found."""
    is_known = part["exposed"] or part.get("verdict") == "release" or would_be_found(Source(record))
    return f"{part['exposed']:,}" if is_known else "–"


def _rules(record: dict[str, Any]) -> None:
    """What rules and arithmetic found, by the first figures; the report has them all, with the proofs."""
    found = [*record["audit"]["findings"], *record["rules"]["findings"]]
    screen.show(f"Rules and arithmetic (rule book: {record['rules']['profile']['title']})")
    for finding in found:
        named = ", ".join(finding["figures"][:_N_NAMED]) + (", …" if len(finding["figures"]) > _N_NAMED else "")
        screen.show(
            f"  {finding['severity']}: {finding['rule']}. {finding['sentence']}" + (f" {named}" if named else "")
        )
    if not found:
        screen.show("  No rule is broken, and nothing follows from the figures that they do not state.")
    screen.show("")


def _risks(record: dict[str, Any]) -> Grid:
    grid = Grid(box=None, pad_edge=False)
    for name in ("inferring", "marginal risk", "95 % interval", "at full size", "exposed", "TCAP in", "out"):
        grid.add_column(name, justify="left" if name == "inferring" else "right")
    for risk in record["risk"]:
        mean, curve = risk["marginal_risk"], risk["curve"]
        tcap = risk["measures"].get("TCAP", {})
        grid.add_row(
            risk["scenario"],
            _figure(mean and mean["value"]),
            "" if not mean else f"{_figure(mean['interval'][0])} to {_figure(mean['interval'][1])}",
            _figure(curve and curve["at_full_size"]),
            _exposed(record, risk),
            _figure(tcap.get("original")),
            _figure(tcap.get("holdout")),
        )
    return grid


HEADLINES = ("TCAP_sweep_zero", "TCAP", "DCAP")
"""Measures of which a table of folds is shown, the first that there is: the paper's is over subsets of keys."""


def _folds(risk: dict[str, Any]) -> None:
    """A row a fold, with means and standard deviations (Elliot et al., Table 5)."""
    name = next((n for n in HEADLINES if n in risk["folds"]), next(iter(risk["folds"]), None))
    if name is None:
        return
    screen.show("")
    grid = Grid(box=None, pad_edge=False)
    for heading in (f"{name}: {risk['scenario']}", "in", "out", "difference"):
        grid.add_column(heading, justify="right" if heading in ("in", "out", "difference") else "left")
    for row in risk["folds"][name]:
        grid.add_row(row["label"], *(_figure(row[key]) for key in ("original", "holdout", "difference")))
    screen.show(grid)


def _holdout(risk: dict[str, Any]) -> None:
    """The same figures on the holdout that the spec names."""
    for name in [n for n in HEADLINES if n in (risk["holdout"] or {})][:1]:
        found = risk["holdout"][name]
        values = (_figure(found[key]) or "undefined" for key in ("original", "holdout", "difference"))
        screen.show("{}, {}: {} in the data, {} in the holdout, difference {}.".format(risk["scenario"], name, *values))


def _cumulative(cumulative: dict[str, Any]) -> None:
    if cumulative["adds"] is not None:
        risk, before, adds = (_figure(v) for v in _cumulative_figures(cumulative))
        exposed = f"{cumulative['exposed']:,} exposed, {cumulative['adds']['exposed']:,} of them by this release"
        screen.show(f"With what was released before: marginal risk {risk} (before {before}, added {adds}); {exposed}")
    for name in cumulative["releases"]:
        screen.show(f"  embedded: {name}")
    for out in cumulative["left_out"]:
        screen.show(f"  left out: {out['release']}. {out['why']}")


def _cumulative_figures(cumulative: dict[str, Any]) -> tuple[float | None, float | None, float | None]:
    added = cumulative["adds"]["marginal_risk"]
    return cumulative["marginal_risk"], cumulative["earlier"]["marginal_risk"], added


def _exposure(record: dict[str, Any]) -> None:
    exposure = record["exposure"]
    if not exposure["exposed"]:
        return
    if exposure["groups"]:
        screen.show("Exposed most often:")
        for group in exposure["groups"][:5]:
            people = f"{group['exposed']:,} of {group['people']:,}"
            screen.show(f"  {group['variable']} = {group['value']}: {people} ({group['share']:.1%})")
    else:
        screen.show(f"Too few are exposed to say who without naming them (below {exposure['smallest_group']}).")


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
