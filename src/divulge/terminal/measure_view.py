"""How `divulge measure` shows figures to people: the headline, a table with what was divided by what, the caveats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rich.table import Table as Grid

from divulge.measures import Estimate, Interval, Measured
from divulge.measures.contrast import Contrast
from divulge.terminal.screen import screen


def show(found: Sequence[Measured], table: list[dict[str, Any]] | None) -> None:
    """Several targets as one table, a single one with all its figures."""
    first = found[0]
    people = f"{first.n_original:,} people, {' + '.join(f'{n:,}' for n in first.n_synthetic)} synthetic rows"
    if first.n_holdout is not None:
        people += f", {first.n_holdout:,} people held out"
    screen.show(f"{people}. Known: {', '.join(first.keys)}.")
    if table:
        screen.show(_targets(table))
    if table and len(found) > 1:
        return
    _headline(first)
    screen.show(_figures(first))
    for line in _checks(first):
        screen.show(line)
    for caveat in dict.fromkeys(c for each in first.measures.values() for e in each for c in e.caveats):
        screen.note(f"Note: {caveat}")


def _headline(found: Measured) -> None:
    parts = []
    for name in ("TCAP", "TCAP_record"):
        if name in found.measures:
            figure = found[name]
            parts.append(f"{name} {_number(figure.value)} ({_counted(figure)})")
    if parts:
        screen.show(f"Target {found.target}: {', '.join(parts)}.")


def _figures(found: Measured) -> Grid:
    several, held = len(found.n_synthetic) > 1, found.n_holdout is not None
    grid = Grid(header_style="bold", pad_edge=False)
    grid.add_column("measure")
    for i in range(len(found.n_synthetic)):
        grid.add_column(f"file {i + 1}" if several else "value", justify="right")
    if several:
        grid.add_column("pooled", justify="right")
    grid.add_column("counted" + (" (file 1)" if several else ""), justify="right")
    grid.add_column("baseline", justify="right")
    grid.add_column("95 %" + (" (file 1)" if several else ""), justify="right")
    if held:
        grid.add_column("holdout", justify="right")
        grid.add_column("difference", justify="right")
    for name, each in found.measures.items():
        row = [name, *(_number(e.value) for e in each)]
        row += [""] * (1 + len(found.n_synthetic) - len(row))
        if several:
            row.append(_number(found.pooled[name].value) if name in found.pooled else "")
        row += [_counted(each[0]), _number(each[0].baseline), _interval(each[0].interval)]
        if held:
            row += [_number(found.holdout[name][0].value) if name in found.holdout else ""]
            row += [_difference(found.difference[name][0]) if name in found.difference else ""]
        grid.add_row(*row)
    return grid


def _targets(table: Sequence[dict[str, Any]]) -> Grid:
    grid = Grid(header_style="bold", pad_edge=False)
    names = [k for k in table[0] if k not in ("target", "checks")]
    grid.add_column("target")
    for name in names:
        grid.add_column(name, justify="right")
    grid.add_column("check")
    for row in table:
        grid.add_row(row["target"], *(_number(row.get(n)) for n in names), ", ".join(row["checks"]))
    return grid


def _checks(found: Measured) -> list[str]:
    if "DiSCO" not in found.measures:
        return []
    details = found["DiSCO"].details
    lines = []
    if one := details.get("one_way"):
        lines.append(
            f"One-way check: {one['share_of_DiSCO']:.0%} of DiSCO is {found.target} = {one['level']}, "
            f"which {one['share_of_people']:.0%} of all people have."
        )
    pairs = details.get("two_way") or []
    for pair in pairs[:3]:
        lines.append(
            f"Two-way check: {pair['share']:.0%} of people with {pair['key']} = {pair['level']} have "
            f"{found.target} = {pair['target_level']} ({pair['rows']:,} rows of DiSCO)."
        )
    if len(pairs) > 3:
        lines.append(f"… and {len(pairs) - 3} further pairs; --json lists all.")
    if excluded := details.get("excluded"):
        rows = {reason: n["original"] for reason, n in excluded.items() if reason != "remaining" and n["original"]}
        said = ", ".join(f"{n:,} for {reason}" for reason, n in rows.items())
        lines.append(
            f"Excluded from the attribute measures: {said or 'nobody'}; {excluded['remaining']['original']:,} remain."
        )
    return lines


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return "undefined" if math.isnan(value) else f"{value:.4f}"


def _counted(figure: Estimate) -> str:
    if figure.numerator is None or figure.denominator is None or figure.denominator == 1:
        return ""
    above = f"{figure.numerator:,.0f}" if float(figure.numerator).is_integer() else f"{figure.numerator:,.1f}"
    return f"{above} of {figure.denominator:,.0f}"


def _interval(interval: Interval | None) -> str:
    return "" if interval is None else f"{interval.low:.4f} to {interval.high:.4f}"


def _difference(contrast: Contrast) -> str:
    if math.isnan(contrast.value):
        return "undefined"
    shown = f"{contrast.value:+.4f}"
    return (
        shown
        if contrast.interval is None
        else f"{shown} ({contrast.interval.low:+.4f} to {contrast.interval.high:+.4f})"
    )
