"""The picture of the house: parts of the package by what they import, drawn from the source itself as SVG."""

from __future__ import annotations

import ast
from html import escape
from pathlib import Path

import divulge

SOURCE = Path(divulge.__file__).parent

_LEFT_OUT = {"__init__", "__main__", "errors", "record"}
"""Entry points, and the two files that every part stands on: arrows to them would say nothing."""

_WIDTH, _HEIGHT, _GAP_X, _GAP_Y, _MARGIN = 150, 64, 34, 46, 34
_APART = 6
"""Between arrows that go through the same gap."""


def parts() -> dict[str, Path]:
    """The parts of the package by name: folders, and files at its top."""
    found = {p.stem if p.is_file() else p.name: p for p in sorted(SOURCE.iterdir()) if _is_part(p)}
    return {name: path for name, path in found.items() if name not in _LEFT_OUT}


def _is_part(path: Path) -> bool:
    return path.suffix == ".py" or (path / "__init__.py").exists()


def imports() -> dict[str, set[str]]:
    """For every part the other parts that its files import."""
    known = parts()
    found: dict[str, set[str]] = {name: set() for name in known}
    for name, path in known.items():
        for file in [path] if path.is_file() else path.rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                modules = [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
                modules += [a.name for a in node.names] if isinstance(node, ast.Import) else []
                named = {m.split(".")[1] for m in modules if m.startswith("divulge.")}
                found[name] |= (named & known.keys()) - {name}
    return found


def levels(arrows: dict[str, set[str]]) -> dict[str, int]:
    """How high each part stands: one above the highest part that it imports."""
    found: dict[str, int] = {}

    def level(name: str) -> int:
        if name not in found:
            found[name] = 1 + max((level(n) for n in sorted(arrows[name])), default=-1)
        return found[name]

    for name in arrows:
        level(name)
    return found


def direct(arrows: dict[str, set[str]]) -> set[tuple[str, str]]:
    """The arrows that no chain of others implies (the transitive reduction), so that the picture stays readable."""
    reach: dict[str, set[str]] = {}

    def below(name: str) -> set[str]:
        if name not in reach:
            reach[name] = arrows[name].union(*(below(n) for n in arrows[name]))
        return reach[name]

    return {
        (name, target)
        for name, targets in arrows.items()
        for target in targets
        if not any(target in below(other) for other in targets - {target})
    }


def rooms(path: Path) -> list[str]:
    """The folders inside a part that are rooms, or the part itself: their docstring begins with ROOM."""
    inits = [path / "__init__.py", *sorted(path.glob("*/__init__.py"))] if path.is_dir() else []
    return [p.parent.name for p in inits if _docstring(p).startswith("ROOM")]


def _docstring(path: Path) -> str:
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""


def sentence(path: Path) -> str:
    """What a part says of itself in its first line."""
    said = _docstring(path if path.is_file() else path / "__init__.py").split("\n")[0]
    return said.removeprefix("ROOM. ").rstrip(".")


def house_svg() -> str:
    """docs/house.svg: a box for every part, rooms marked, arrows from each part down to what it imports."""
    arrows, known = imports(), parts()
    height = levels(arrows)
    top = max(height.values())
    rows = [[n for n in known if height[n] == top - r] for r in range(top + 1)]
    widest = max(len(row) for row in rows) * (_WIDTH + _GAP_X) - _GAP_X
    place: dict[str, tuple[float, float]] = {}
    for r, row in enumerate(rows):
        # Under the middle of what points to it, so that few arrows cross.
        above = {n: [place[a][0] for a, b in direct(arrows) if b == n and a in place] for n in row}
        row.sort(key=lambda n: (sum(above[n]) / len(above[n]) if above[n] else widest / 2, n))
        left = _MARGIN + (widest - len(row) * (_WIDTH + _GAP_X) + _GAP_X) / 2
        for c, name in enumerate(row):
            place[name] = (left + c * (_WIDTH + _GAP_X), _MARGIN + r * (_HEIGHT + _GAP_Y))
    size = widest + 2 * _MARGIN, _MARGIN * 2 + len(rows) * (_HEIGHT + _GAP_Y) - _GAP_Y
    lines = _arrows(sorted(direct(arrows)), place)
    boxes = [_box(name, known[name], *place[name]) for name in known]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]:.0f} {size[1]:.0f}" role="img" '
            'font-family="sans-serif">',
            "<title>The parts of Divulge and what each imports</title>",
            '<rect width="100%" height="100%" fill="#ffffff"/>',
            *lines,
            *boxes,
            "</svg>",
            "",
        ]
    )


def _arrows(pairs: list[tuple[str, str]], place: dict[str, tuple[float, float]]) -> list[str]:
    """The arrows as SVG. A long one goes through the gaps between boxes, never behind one."""
    gaps: dict[float, list[float]] = {}
    for x, y in place.values():
        gaps.setdefault(y, []).extend((x - _GAP_X / 2, x + _WIDTH + _GAP_X / 2))
    taken: dict[tuple[float, float], int] = {}
    drawn = []
    for a, b in pairs:
        x, end = place[a][0] + _WIDTH / 2, place[b][0] + _WIDTH / 2
        points = [(x, place[a][1] + _HEIGHT)]
        between = sorted(y for y in gaps if place[a][1] < y < place[b][1])
        for k, y in enumerate(between):
            straight = x + (end - x) / (len(between) + 1 - k)
            x = min(gaps[y], key=lambda gap: abs(gap - straight))
            beside = taken[x, y] = taken.get((x, y), -1) + 1
            x += _APART * ((beside + 1) // 2) * (-1) ** beside
            points += [(x, y), (x, y + _HEIGHT)]
        drawn.append(_arrow([*points, (end, place[b][1] - 7)]))
    return drawn


def _arrow(points: list[tuple[float, float]]) -> str:
    """One arrow from the bottom of a box to the top of another, straight down beside the boxes that it passes."""
    (x, y), *rest = points
    curve = f"M{x:.0f},{y:.0f}"
    for x2, y2 in rest:
        middle = (y + y2) / 2
        curve += f" C{x:.0f},{middle:.0f} {x2:.0f},{middle:.0f} {x2:.0f},{y2:.0f}"
        x, y = x2, y2
    head = f"M{x - 4:.0f},{y - 1:.0f} L{x:.0f},{y + 7:.0f} L{x + 4:.0f},{y - 1:.0f} Z"
    return f'<path d="{curve}" fill="none" stroke="#7a8794" stroke-width="1.2"/><path d="{head}" fill="#7a8794"/>'


def _box(name: str, path: Path, x: float, y: float) -> str:
    inside = rooms(path)
    fill = "#d7ebe4" if inside else "#eef1f4"
    title = name if path.is_file() else f"{name}/"
    second = ", ".join(f"{r}/" for r in inside if r != name) if inside else ""
    second = second or ("room" if inside else "")
    text = (
        f'<text x="{x + _WIDTH / 2:.0f}" y="{y + (29 if second else 38):.0f}" text-anchor="middle" font-size="17" '
        f'fill="#16202a">{escape(title)}</text>'
    )
    if second:
        words = second if second == "room" else f"room: {second}"
        text += (
            f'<text x="{x + _WIDTH / 2:.0f}" y="{y + 50:.0f}" text-anchor="middle" font-size="12" '
            f'fill="#2f5d4e">{escape(words)}</text>'
        )
    return (
        f'<g><title>{escape(sentence(path))}</title><rect x="{x:.0f}" y="{y:.0f}" width="{_WIDTH}" '
        f'height="{_HEIGHT}" rx="6" fill="{fill}" stroke="#5b6b7a"/>{text}</g>'
    )
