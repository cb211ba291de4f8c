"""Figures in running text: `N = 20,000. Mean age in the sample: 38.63 (SD 13.68)`, a line a group in a letter."""

from __future__ import annotations

import re
from dataclasses import dataclass

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.numbers import Printed, parse_number
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.candidates.tables import stated_condition
from divulge.readers.handed_in.candidates.vocabulary import Vocabulary
from divulge.readers.handed_in.sheets import Block, Lines

_NUMBER = r"(-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?)(\s?%)?"
_SIZE = re.compile(rf"\b[nN]\s*=\s*{_NUMBER}")
_MEAN = re.compile(
    rf"\b(mean|average|median)\s+([A-Za-z_][\w ]*?)\s*(?:was|is|of|:|=|in the sample:?|\s)\s*{_NUMBER}"
    rf"(?:\s*\((?:SD|sd)\s*=?\s*{_NUMBER}\))?",
    re.I,
)
_UNIT = re.compile(rf"{_NUMBER}\s+([a-z]+)(?:/[a-z]+|\s+per\s+[a-z]+)")
_SHARE = re.compile(rf"([a-z]\w*(?: \w+)*)\s+{_NUMBER}")
_ENDS = re.compile(
    r"^\s*(?:the )?(highest|largest|top|lowest|smallest)(?: \d+)? ([a-z_]\w*?)s?\s*[:=]\s*((?:-?[\d.,]+[ ,;]*)+)$", re.I
)


@dataclass(frozen=True)
class _Found:
    what: str
    of: str | None
    printed: Printed
    line: int


class Prose:
    """Sentences and lines of letters, captions and notes with figures in them."""

    name = "prose"

    def read(self, block: Block, session: Session) -> list[Candidate]:
        """The figures that sentences state."""
        if not isinstance(block, Lines) or len(block.texts) > 400:
            return []
        words = session.vocabulary
        found = (_grouped(block, words) or _compared(block, words) or _told(block, words, session)) + _ends(
            block, words
        )
        return [session.signed(c, self.name) for c in found]


def _number(text: str, percent: str | None) -> Printed | None:
    return parse_number(f"{text}%" if percent else text)


def _line_figures(text: str, line: int, words: Vocabulary) -> list[_Found]:
    """What one line states: n, means with the variable they name, shares in per cent."""
    out: list[_Found] = []
    taken: list[tuple[int, int]] = []

    def take(match: re.Match[str], what: str, of: str | None, number: str, percent: str | None) -> None:
        printed = _number(number, percent)
        if printed is not None and not any(a < match.end() and match.start() < b for a, b in taken):
            out.append(_Found(what, of, printed, line))

    for match in _SIZE.finditer(text):
        take(match, "n", None, match[1], match[2])
        taken.append(match.span())
    for match in _MEAN.finditer(text):
        if not words.variables_like(match[2].split(" in ")[0]):
            continue
        what = "median" if match[1].casefold() == "median" else "mean"
        of = match[2].split(" in ")[0].strip()
        take(match, what, of, match[3], match[4])
        if match[5]:
            second = parse_number(match[5])
            if second is not None:
                out.append(_Found("sd", of, second, line))
        taken.append(match.span())
    for match in _UNIT.finditer(text):
        if words.variables_like(match[3]):
            take(match, "mean", match[3], match[1], match[2])
            taken.append(match.span())
    for match in _SHARE.finditer(text):
        if match[3]:
            take(match, "percentage", match[1].strip(), match[2], match[3])
            taken.append(match.span())
    return out


def _grouped(block: Lines, words: Vocabulary) -> list[Candidate]:
    """Lines that begin with the label of a group and state the same things of each."""
    rows = []
    for i, text in enumerate(block.texts):
        match = re.match(r"^\s*[-•*]?\s*([A-Z][A-Za-z]+)\s*[:,]?\s{1,}(.*\d.*)$", text)
        if match is None:
            continue
        stated = _line_figures(match[2], block.line(i), words)
        if len(stated) >= 2:
            rows.append((match[1], stated))
    if len(rows) < 2 or not words.with_levels([r[0] for r in rows]):
        return []
    figures = [
        Figure(f"{group}: {f.what}" + (f" {f.of}" if f.of else ""), f.what, f.printed, f.line, f.of, (("row0", group),))
        for group, stated in rows
        for f in stated
    ]
    figures += _gap(block, figures)
    lines = (min(f.line for f in figures), max(f.line for f in figures))
    names = tuple(dict.fromkeys(f.of for f in figures if f.of))
    return [Candidate("cells", "means", lines, tuple(figures), variables=names, by=("row0",), statistic="running text")]


_SPREAD = rf"(?:\s+[a-z]+)?(?:\s*\(\s*(?:SD|sd|±)\s*[=:]?\s*{_NUMBER}\s*\))?"
_OF_GROUP = re.compile(
    rf"\b(mean|average|median)\s+([A-Za-z_][\w ]*?)\s+(?:of|among|for|in)\s+(?:the\s+)?([A-Za-z]+)\s+"
    rf"(?:was|is|were)\s+{_NUMBER}{_SPREAD}",
    re.I,
)
_AND_GROUP = re.compile(
    rf"[\s,;]*(?:and|but|versus|vs\.?|while|compared\s+(?:with|to))?\s*(?:that\s+)?(?:of|for|in|among)?\s*(?:the\s+)?"
    rf"([A-Za-z]+)\s+(?:(?:was|is|were)\s+)?{_NUMBER}{_SPREAD}",
    re.I,
)


def _compared(block: Lines, words: Vocabulary) -> list[Candidate]:
    """`The mean age of women was 46.5 (SD 18.1) and that of men 44.2`: a variable in groups, in one sentence."""
    text = "\n".join(block.texts)
    figures: list[Figure] = []
    of = ""
    for first in _OF_GROUP.finditer(text):
        what, of = "median" if first[1].casefold() == "median" else "mean", first[2].strip()
        parts = [(first[3], first[4], first[6], first.start(4))]
        end = first.end()
        while (more := _AND_GROUP.match(text, end)) is not None:
            parts.append((more[1], more[2], more[4], more.start(2)))
            end = more.end()
        if not words.variables_like(of) or not words.with_levels([p[0] for p in parts]):
            continue
        for group, number, spread, place in parts:
            line = block.line(text.count("\n", 0, place))
            for word, shown in ((what, number), ("sd", spread)):
                printed = parse_number(shown) if shown else None
                if printed is not None:
                    figures.append(Figure(f"{group}: {word} {of}", word, printed, line, of, (("row0", group),)))
    if len({f.at for f in figures}) < 2:
        return []
    lines = (min(f.line for f in figures), max(f.line for f in figures))
    kind = "position" if any(f.what == "median" for f in figures) else "means"
    names = tuple(dict.fromkeys(f.of for f in figures if f.of))
    return [Candidate("cells", kind, lines, tuple(figures), variables=names, by=("row0",), statistic="running text")]


def _ends(block: Lines, words: Vocabulary) -> list[Candidate]:
    """`highest incomes: 16000 15000 15000`: values of people at the end of a distribution."""
    out = []
    for i, text in enumerate(block.texts):
        match = _ENDS.match(text)
        if match is None or not words.variables_like(match[2]):
            continue
        what = "maximum" if match[1].casefold() in ("highest", "largest", "top") else "minimum"
        numbers = [n for t in re.split(r"[ ;]+", match[3].strip()) if (n := parse_number(t.rstrip(","))) is not None]
        figures = tuple(
            Figure(
                f"{match[1].casefold()} {match[2]} {k}", what if k == 1 else f"{what} {k}", n, block.line(i), match[2]
            )
            for k, n in enumerate(numbers, 1)
        )
        out.append(Candidate("cells", "extremes", (block.line(i), block.line(i)), figures, variables=(match[2],)))
    return out


def _gap(block: Lines, figures: list[Figure]) -> list[Figure]:
    """`The gap is 20.9 percentage points`: the difference of two of the percentages above."""
    for i, text in enumerate(block.texts):
        match = re.search(rf"{_NUMBER}\s+percentage points", text)
        number = parse_number(match[1]) if match else None
        if number is not None:
            return [Figure("gap", "difference of percentages", number, block.line(i))]
    return []


def _told(block: Lines, words: Vocabulary, session: Session) -> list[Candidate]:
    """Sentences between what other programs have read: a console prints some among its tables."""
    parts: list[list[int]] = [[]]
    for i, text in enumerate(block.texts):
        if session.explained(block.line(i), block.line(i)):
            parts.append([])
        elif not re.match(r"^(?:>|\+) ", text):
            parts[-1].append(i)
    found = []
    for kept in filter(None, parts):
        texts, numbers = tuple(block.texts[i] for i in kept), tuple(block.line(i) for i in kept)
        found += _sentences(Lines(texts, block.first, numbers), words)
    return found


def _sentences(block: Lines, words: Vocabulary) -> list[Candidate]:
    """Sentences about everybody, or about the rows that a condition in them names."""
    found = []
    for i, text in enumerate(block.texts):
        if len(text) < 400 and not re.search(r"\s{4,}\S+\s{4,}|\|", text):
            found += _line_figures(text, block.line(i), words)
    stated = [f for f in found if f.what in ("mean", "median", "sd")]
    if not stated:
        return []
    kept = [f for f in found if f.what in ("mean", "median", "sd", "n")]
    figures = tuple(Figure(f"{f.of}: {f.what}" if f.of else f.what, f.what, f.printed, f.line, f.of) for f in kept)
    names = tuple(dict.fromkeys(f.of for f in kept if f.of))
    kind = "position" if any(f.what == "median" for f in kept) else "means"
    lines = (min(f.line for f in kept), max(f.line for f in kept))
    where = stated_condition(tuple(block.texts), words)
    return [Candidate("cells", kind, lines, figures, variables=names, where=where)]
