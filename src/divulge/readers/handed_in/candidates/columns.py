"""Columns of text that is aligned by spaces, as R, pandas and most consoles print tables."""

from __future__ import annotations

import re

from divulge.readers.handed_in.sheets.sheet import Grid, Lines, Row

_NUMBER = re.compile(r"^[<>]?\s?[-−]?(?:\d[\d,.]*|\.\d+)(?:[eE][-+]?\d+)?%?[*.]*$|^(?:NA|NaN|<NA>|\.|-|Inf)$")


def aligned(block: Lines, start: int, end: int, n_headers: int = 1, is_frame: bool = False) -> Grid | None:
    """The lines from start to end as a grid. Columns are parted where every line has a space.

    A part without figures below it belongs to the header at its right (`lower 95% CI` over one column).
    is_frame: a data frame of R, whose labels are set to the right and stand on every row.
    """
    texts = [block.texts[i] for i in range(start, end)]
    width = max((len(t) for t in texts), default=0)
    padded = [t.ljust(width) for t in texts]
    blank = [all(t[j] == " " for t in padded) for j in range(width)]
    pieces: list[tuple[int, int]] = []
    j = 0
    while j < width:
        if blank[j]:
            j += 1
            continue
        k = j
        while k < width and not blank[k]:
            k += 1
        pieces.append((j, k))
        j = k
    pieces = _merged(pieces, padded, n_headers, is_frame)
    if len(pieces) < 2:
        return None
    rows = [
        Row(tuple(t[a:b].strip() if i or a else t[a:b].rstrip() for a, b in pieces), block.line(start + i))
        for i, t in enumerate(padded)
    ]
    return Grid(tuple(rows))


def _merged(pieces: list[tuple[int, int]], texts: list[str], n_headers: int, is_frame: bool) -> list[tuple[int, int]]:
    body = texts[n_headers:]
    is_figure = [
        bool(body)
        and any(t[a:b].strip() for t in body)
        and all(_NUMBER.match(t[a:b].strip()) for t in body if t[a:b].strip())
        for a, b in pieces
    ]
    is_empty = [not any(t[a:b].strip() for t in body) for a, b in pieces]
    out: list[tuple[int, int]] = []
    held: int | None = None
    following = [*(p[0] for p in pieces[1:]), None]
    for (a, b), figure, empty, right in zip(pieces, is_figure, is_empty, following, strict=True):
        start = a if held is None else held
        if empty and out and held is None and a - out[-1][1] == 1 and right is not None and right - b > 1:
            out[-1] = (out[-1][0], b)  # the second word of a header that is set to the left
            continue
        if empty and out:
            held = start
            continue
        held = None
        if (
            not figure
            and len(out) == 1
            and not any(is_figure[: pieces.index((a, b))])
            and _one_label(out[0], (a, b), body, is_frame)
            and not (is_frame and texts[0][out[0][0] : out[0][1]].strip() and texts[0][a:b].strip())
        ):
            # Words of a row's label that happen to be aligned.
            out[0] = (out[0][0], b)
        else:
            out.append((start, b))
    if held is not None and out:
        out[-1] = (out[-1][0], pieces[-1][1])
    return _with_brackets(out, body)


def _with_brackets(pieces: list[tuple[int, int]], body: list[str]) -> list[tuple[int, int]]:
    """Columns in which a figure stands before what belongs to it: `0.64 (0.22, 1.41)`, `-1.4, 0.31`."""
    out = pieces[:1]
    for a, b in pieces[1:]:
        before = out[-1]
        filled = [t for t in body if t[before[0] : before[1]].strip()]
        bracketed = [t for t in filled if t[a:b].lstrip()[:1] in ("(", "[")]
        parted = [t for t in filled if re.search(r"\d,\s*$", t[before[0] : before[1]])]
        if len(out) > 1 and filled and len(filled) in (len(bracketed), len(parted)):
            out[-1] = (before[0], b)
        else:
            out.append((a, b))
    return out


def _one_label(first: tuple[int, int], second: tuple[int, int], body: list[str], is_frame: bool) -> bool:
    """Whether two columns of words are one label: never is one there without the other, and no gap is wide.

    Set to the left, a short label lacks the second; set to the right, as in a data frame of R, it lacks the first.
    """
    left = any(t[second[0] : second[1]].strip() and not t[first[0] : first[1]].strip() for t in body)
    right = any(t[first[0] : first[1]].strip() and not t[second[0] : second[1]].strip() for t in body)
    apart = (right or not left) if is_frame and left else left
    return not apart and second[0] - first[1] < 2


def split_row(text: str, n: int) -> tuple[str, list[str], str] | None:
    """A line as its label, its last n figures, and the stars after them; None where it has no n figures."""
    number = (
        r"(?:<\s?)?[-−+]?(?:\d+(?:,\d{3})*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?%?|NA|NaN|\.|\(empty\)|\(omitted\)|\(base\)"
    )
    pattern = rf"^(.*?)((?:(?:^|\s+)(?:{number})){{{n}}})\s*([*.†]{{0,3}})\s*$"
    match = re.match(pattern, text)
    if match is None:
        return None
    return match[1].strip(), re.findall(rf"(?:(?<=\s)|^)(?:{number})(?=\s|$)", match[2]), match[3]
