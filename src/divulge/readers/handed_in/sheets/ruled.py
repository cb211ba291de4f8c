"""Pages of a PDF as lines of text in which ruled tables are drawn with + - |, as programs draw them on a console."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

_NEAR = 2.0
"""Points within which two rules are the same."""

Box = tuple[float, float, float, float]


def drawn(page: Any, density: float) -> list[str] | None:
    """The lines of a page with its ruled tables drawn; None where it has none. density: the width of a letter."""
    tables = [t for t in page.find_tables() if len(t.rows) > 1 and len({c[0] for c in t.cells}) > 1]
    if not tables:
        return None
    words = page.extract_words(keep_blank_chars=False, x_tolerance=1.5)
    out: list[tuple[float, str]] = []
    for table in tables:
        box: Box = table.bbox
        inside = [w for w in words if _inside(w, box)]
        out += [(box[1] + k * 1e-3, text) for k, text in enumerate(_table(page, box, inside, density))]
    rest = [w for w in words if not any(_inside(w, t.bbox) for t in tables)]
    out += [
        (line[0]["top"] - (not text) * 1e-3, text)
        for line, shown in _spaced(_lines(rest), density, 0.7 if is_set(page) else 1.0)
        for text in shown
    ]
    return [text for _, text in sorted(out, key=lambda o: o[0])]


def plain(page: Any, density: float) -> list[str]:
    """The lines of a page without ruled tables: words of a text one space apart, columns at their places."""
    lines = _lines(page.extract_words(keep_blank_chars=False, x_tolerance=1.5))
    # Narrow letters need less room than their number says: places stand closer than letters.
    return [text for _, shown in _spaced(lines, density, 0.7) for text in shown]


def is_set(page: Any) -> bool:
    """Whether letters differ in width, as in print and not on a console."""
    widths = Counter(round(c["width"] / (c["size"] or 1.0), 2) for c in page.chars if c["text"] in "ilfjtmw")
    return bool(widths) and widths.most_common(1)[0][1] < 0.7 * widths.total()


def _spaced(
    lines: list[list[dict[str, Any]]], density: float, scale: float
) -> Iterator[tuple[list[dict[str, Any]], list[str]]]:
    """Lines with their texts, after an empty one where the page leaves room, or a table follows its title."""
    ends = [line[0]["bottom"] for line in lines]
    gaps = [b - a for a, b in pairwise(ends)]
    usual = sorted(gaps)[len(gaps) // 2] if gaps else 0.0
    last = ""
    for line, gap in zip(lines, [0.0, *gaps], strict=True):
        text = _placed(line, 0.0, density, scale)
        is_new = _columns(last) == 1 and _columns(text) > 2
        yield line, [""] * (scale < 1 and (is_new or gap > 1.5 * usual)) + [text]
        last = text


def _columns(text: str) -> int:
    return len(re.split(r"\s{2,}", text.strip())) if text.strip() else 0


def _inside(word: dict[str, Any], box: Box) -> bool:
    x, y = (word["x0"] + word["x1"]) / 2, (word["top"] + word["bottom"]) / 2
    return bool(box[0] <= x <= box[2] and box[1] <= y <= box[3])


def _lines(words: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Words line by line, from left to right."""
    out: list[list[dict[str, Any]]] = []
    for word in sorted(words, key=lambda w: (w["bottom"], w["x0"])):
        if out and abs(out[-1][0]["bottom"] - word["bottom"]) < 3:
            out[-1].append(word)
        else:
            out.append([word])
    return [sorted(line, key=lambda w: w["x0"]) for line in out]


def _placed(line: list[dict[str, Any]], left: float, density: float, scale: float = 1.0) -> str:
    text, end = "", -1e9
    for word in line:
        # Letters differ in width: words that stand one space apart stay so.
        is_next = word["x0"] - end < 1.2 * density
        at = 0 if is_next else round((word["x0"] - left) / (density * scale))
        text = text.ljust(max(at, len(text) + (1 if is_next or scale == 1.0 else 2) * bool(text))) + word["text"]
        end = word["x1"]
    return text


def _table(page: Any, box: Box, words: list[dict[str, Any]], density: float) -> list[str]:
    """A table as a box: a rule where the page has one, then the lines of text between."""
    edges = [e for e in page.edges if e["top"] >= box[1] - _NEAR and e["bottom"] <= box[3] + _NEAR]
    upright = [e for e in edges if e["orientation"] == "v"]
    level = [e for e in edges if e["orientation"] == "h"]
    cuts = _apart([e["x0"] for e in upright]) or [box[0], box[2]]
    cuts = [*([box[0]] if cuts[0] - box[0] > 6 else []), *cuts, *([box[2]] if box[2] - cuts[-1] > 6 else [])]
    rules = _apart([e["top"] for e in level] + [box[1], box[3]])
    lines = _lines(words)
    # Proportional letters may need more room than there is between two rules.
    tight = min(density, *((b - a) / (_width(lines, a, b) + 2) for a, b in pairwise(cuts)))
    at = [round((x - cuts[0]) / tight) for x in cuts]
    out: list[tuple[float, str]] = []
    for y in rules:
        covered = [_is_ruled(level, y, (a + b) / 2) for a, b in pairwise(cuts)]
        drawn_at = [("-" if on else " ") * (j - i - 1) for on, (i, j) in zip(covered, pairwise(at), strict=True)]
        sides = [False, *covered, False]
        corners = ["+" if sides[k] or sides[k + 1] else "|" for k in range(len(cuts))]
        out.append((y, "".join(c + d for c, d in zip(corners, [*drawn_at, ""], strict=True))))
    for line in lines:
        middle = (line[0]["top"] + line[0]["bottom"]) / 2
        text = _placed(line, cuts[0] - tight, tight).ljust(at[-1] + 1)
        bars = {at[k] for k, x in enumerate(cuts) if k in (0, len(cuts) - 1) or _is_upright(upright, x, middle)}
        out.append((middle, "".join("|" if k in bars and c == " " else c for k, c in enumerate(text))))
    return [text for _, text in sorted(out, key=lambda o: o[0])]


def _width(lines: list[list[dict[str, Any]]], left: float, right: float) -> int:
    """How many letters the longest text between two rules has."""
    inner = ([w["text"] for w in line if left <= w["x0"] and w["x1"] <= right + _NEAR] for line in lines)
    return max((len(" ".join(texts)) for texts in inner), default=0)


def _apart(places: list[float]) -> list[float]:
    out: list[float] = []
    for place in sorted(places):
        if not out or place - out[-1] > _NEAR:
            out.append(place)
    return out


def _is_ruled(level: list[dict[str, Any]], y: float, x: float) -> bool:
    return any(abs(e["top"] - y) <= _NEAR and e["x0"] <= x <= e["x1"] for e in level)


def _is_upright(upright: list[dict[str, Any]], x: float, y: float) -> bool:
    return any(abs(e["x0"] - x) <= _NEAR and e["top"] <= y <= e["bottom"] for e in upright)
