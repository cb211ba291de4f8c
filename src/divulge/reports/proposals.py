"""A page with proposals: what each does and costs, and a picture of risk against loss. Made from plain data alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from divulge.reports.marks import PALETTE

WIDTH, HEIGHT, EDGE = 560, 300, 56
"""Of the picture, in pixels."""

_STYLE = f"""
body {{ font: 16px/1.5 system-ui, sans-serif; color: {PALETTE["ink"]}; max-width: 46rem; margin: 2rem auto }}
body {{ padding: 0 1rem }}
h1 {{ font-size: 1.4rem }} h2 {{ font-size: 1.1rem; margin-top: 2rem }}
table {{ border-collapse: collapse }} td, th {{ padding: .2rem .8rem .2rem 0; text-align: left; vertical-align: top }}
th {{ white-space: nowrap }} .released td {{ text-align: right }} .released td:first-child {{ text-align: left }}
.released tr {{ border-bottom: 1px solid {PALETTE["line"]} }} summary {{ cursor: pointer; margin-top: .5rem }}
.soft {{ color: {PALETTE["soft"]} }} .release {{ color: {PALETTE["good"]} }} .review {{ color: {PALETTE["warn"]} }}
.refuse {{ color: {PALETTE["bad"]} }} svg {{ max-width: 100%; height: auto }}
"""


def proposals_page(found: Mapping[str, Any]) -> str:
    """The whole page, with nothing fetched from anywhere."""
    before, proposals = found["before"], found["proposals"]
    parts = [
        f"<h1>From <span class={before['verdict']}>{before['verdict']}</span> to release</h1>",
        "<ul>" + "".join(f"<li>{escape(reason)}</li>" for reason in before["reasons"]) + "</ul>",
        _picture(before, proposals, found["tried"])
        if proposals
        else "<p>No change was found with which it is released.</p>",
    ]
    if any(proposal["lost"] for proposal in proposals):
        parts.append("<p class=soft>The least loss first; a variable that is no longer told counts for more.</p>")
    for number, proposal in enumerate(proposals, start=1):
        parts += _proposal(number, proposal)
    if found["tried"]:
        parts.append("<h2>Assessed, and not released</h2><ul>")
        for one in found["tried"]:
            reasons = "".join(f"<li>{escape(reason)}</li>" for reason in one["reasons"])
            parts.append(f"<li>{escape(one['sentence'])} <b>{one['verdict']}</b><ul>{reasons}</ul></li>")
        parts.append("</ul>")
    body = "\n".join(parts)
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    head += f"<title>Proposals</title><style>{_STYLE}</style>"
    return f"<!doctype html>\n<html lang=en><head>{head}</head><body>\n{body}\n</body></html>\n"


def _proposal(number: int, proposal: Mapping[str, Any]) -> list[str]:
    after = proposal["after"]
    rows = [
        ("Verdict", f"<span class={after['verdict']}>{after['verdict']}</span>"),
        ("Exposed", f"{after['exposed']:,} (before: {proposal['before']['exposed']:,})"),
        ("Marginal risk", f"at most {_highest(after):.4f} (before: {_highest(proposal['before']):.4f})"),
        ("Information lost", f"{100 * proposal['loss']['information']:.1f} %"),
    ]
    rows += [("No longer told", escape(", ".join(proposal["lost"])))] if proposal["lost"] else []
    for loss in proposal["loss"]["outputs"]:
        rows += _losses(loss)
    rows.append(("How it is read", "; ".join(escape(step["reading"]) for step in proposal["steps"])))
    rows.append(("Files", ", ".join(_link(path) for path in [proposal["spec"], *proposal["tables"]])))
    lines = "".join(f"<tr><th>{name}</th><td>{text}</td></tr>" for name, text in rows)
    made = "".join(_released(one) for one in proposal["shown"])
    return [
        f"<h2>{number}. {escape(proposal['sentence'])}</h2>",
        f"<table>{lines}</table>",
        f"<details{' open' if number == 1 else ''}><summary>As it would be released</summary>{made}</details>"
        if made
        else "",
    ]


def _link(path: str) -> str:
    """A file that stands beside the page."""
    name = escape(path.replace("\\", "/").rsplit("/", 1)[-1])
    return f'<a href="{name}">{name}</a>'


def _released(shown: Mapping[str, Any]) -> str:
    """A released table, headers first, with what belongs below it."""
    head, *rows = ["".join(f"<td>{escape(text)}</td>" for text in row) for row in shown["rows"]]
    lines = f"<tr>{head.replace('td>', 'th>')}</tr>" + "".join(f"<tr>{row}</tr>" for row in rows)
    more = [f"{shown['more']:,} rows more are in the files."] if shown["more"] else []
    return f"<table class=released>{lines}</table>" + "".join(
        f"<p class=soft>{escape(note)}</p>" for note in [*shown["notes"], *more]
    )


def _losses(loss: Mapping[str, Any]) -> list[tuple[str, str]]:
    rows = [("Figures changed", f"{loss['changed']:,} of {loss['figures']:,}")]
    if loss["withheld"]:
        rows.append(("Withheld", f"{loss['withheld']:,} figures, {loss['withheld_value']:,.0f} in all"))
    if loss["mean_absolute"]:
        rows.append(("Mean change", f"{loss['mean_absolute']:.3g} ({100 * loss['mean_relative']:.1f} %)"))
    if loss["hellinger"] is not None:
        rows.append(("Hellinger utility", f"{loss['hellinger']:.4f}"))
    if loss["false_zeros"]:
        rows.append(("False zeros", f"{loss['false_zeros']:,}"))
    if loss["overlap"] is not None:
        rows.append(("Overlap of intervals", f"{100 * loss['overlap']:.0f} %"))
    if loss["signs"]:
        rows.append(("Changed signs", f"{loss['signs']:,}"))
    return rows


def _highest(part: Mapping[str, Any]) -> float:
    """The largest upper bound of the marginal risk."""
    bounds = [r["marginal_risk"]["interval"][1] for r in part["risk"] if r["marginal_risk"]]
    return max((b for b in bounds if b is not None), default=0.0)


def _picture(
    before: Mapping[str, Any], proposals: Sequence[Mapping[str, Any]], tried: Sequence[Mapping[str, Any]]
) -> str:
    """Across: the information lost. Upwards: the people exposed, or the marginal risk where nobody was. Rings
    are what was assessed and not released.

    A verdict goes by the people before it goes by the average, and so does the picture.
    """
    is_exposed = bool(before["exposed"])

    def risk(part: Mapping[str, Any]) -> float:
        return float(part["exposed"]) if is_exposed else _highest(part)

    points = [
        (0.0, risk(before), "as it was"),
        *((100 * p["loss"]["information"], risk(p["after"]), str(i)) for i, p in enumerate(proposals, start=1)),
    ]
    rings = [(100 * t["loss"]["information"], risk(t["after"])) for t in tried]
    every = [*((x, y) for x, y, _ in points), *rings]
    right, top = max(x for x, _ in every) or 1.0, max(y for _, y in every) or 1.0

    def place(x: float, y: float) -> tuple[float, float]:
        across = EDGE + x / right * (WIDTH - 2 * EDGE)
        return across, HEIGHT - EDGE - max(y, 0.0) / top * (HEIGHT - 2 * EDGE)

    drawn = [
        f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="4" fill="none" stroke="{PALETTE["soft"]}"/>'
        for cx, cy in (place(*ring) for ring in rings)
    ]
    for i, (x, y, name) in enumerate(points):
        cx, cy = place(x, y)
        colour = PALETTE["bad"] if i == 0 else PALETTE["good"]
        drawn.append(f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="5" fill="{colour}"/>')
        drawn.append(f'<text x="{cx + 9:.1f}" y="{cy - 7:.1f}" font-size="13">{escape(name)}</text>')
    front = " ".join("{:.1f},{:.1f}".format(*place(x, y)) for x, y, _ in sorted(points))
    upwards = f"people exposed (top: {top:,.0f})" if is_exposed else f"marginal risk, upper bound (top: {top:.4f})"
    axis = (
        f'<polyline points="{front}" fill="none" stroke="{PALETTE["line"]}" stroke-width="2"/>'
        f'<path d="M{EDGE} {EDGE / 2}V{HEIGHT - EDGE}H{WIDTH - EDGE / 2}" fill="none" stroke="{PALETTE["soft"]}"/>'
        f'<text x="{WIDTH / 2}" y="{HEIGHT - 14}" font-size="13" text-anchor="middle">information lost, % '
        f"(right end: {right:.1f})</text>"
        f'<text x="16" y="{EDGE / 2 - 8}" font-size="13">{upwards}{", rings: not released" if rings else ""}</text>'
    )
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="Risk against loss of each proposal">'
        f"{axis}{''.join(drawn)}</svg>"
    )
