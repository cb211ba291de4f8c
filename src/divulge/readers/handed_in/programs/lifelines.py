"""lifelines' print_summary(): the facts of the fit, then tables of coefficients that are wrapped to the screen."""

from __future__ import annotations

import re
from collections.abc import Iterator

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure, Term
from divulge.readers.handed_in.candidates.coefficients import rows_at
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.candidates.statistic_names import column_words
from divulge.readers.handed_in.sheets import Block, Lines

_FIT = {
    "number of observations": "n",
    "number of events observed": "events",
    "partial log-likelihood": "log-likelihood",
    "log-likelihood": "log-likelihood",
    "Concordance": "concordance",
    "Partial AIC": "AIC",
    "AIC": "AIC",
    "log-likelihood ratio test": "likelihood ratio chi-squared",
}


class Lifelines:
    """Summaries of lifelines: Cox and parametric survival models."""

    name = "lifelines"

    def read(self, block: Block, session: Session) -> list[Candidate]:
        """The summaries of a stretch of text."""
        if not isinstance(block, Lines):
            return []
        return [session.signed(c, self.name) for c in _models(block)]


def _models(block: Lines) -> Iterator[Candidate]:
    yield from _curves(block)
    starts = [i for i, t in enumerate(block.texts) if re.match(r"^<lifelines\.\w+", t)]
    for k, i in enumerate(starts):
        end = starts[k + 1] if k + 1 < len(starts) else len(block.texts)
        title = re.match(r"^<lifelines\.(\w+)", block.texts[i])
        kind = "cox" if title is not None and title[1].startswith("CoxPH") else "other"
        about, fit, last = _facts(block, i, end)
        figures, terms, rows_end = _rows(block, i, end)
        if figures:
            yield Candidate(
                "model",
                kind,
                (block.line(i), block.line(max(last, rows_end) - 1)),
                (*figures, *fit),
                terms=tuple(terms),
                statistic="coefficients and hazard ratios",
                facts={k: v for k, v in about.items() if k in ("duration", "event")},
            )


def _curves(block: Lines) -> Iterator[Candidate]:
    """`survival_function_`: a column of survival by time."""
    for i in range(len(block.texts) - 2):
        if block.texts[i].strip() != "KM_estimate" or block.texts[i + 1].strip() != "timeline":
            continue
        figures: list[Figure] = []
        j = i + 2
        while j < len(block.texts) and len(cells := block.texts[j].split()) == 2:
            number = parse_number(cells[1])
            if number is None or parse_number(cells[0]) is None:
                break
            figures.append(
                Figure(f"time {cells[0]}: survival", "survival", number, block.line(j), None, (("time", cells[0]),))
            )
            j += 1
        if figures:
            lines = (block.line(i), block.line(j - 1))
            yield Candidate("survival", "survival", lines, tuple(figures), statistic="life table")


def _facts(block: Lines, i: int, end: int) -> tuple[dict[str, str], list[Figure], int]:
    about: dict[str, str] = {}
    fit: list[Figure] = []
    last = i + 1
    for k in range(i, end):
        match = re.match(r"^\s*([A-Za-z][\w -]*?) = (.+?)\s*$", block.texts[k])
        if match is None:
            continue
        last = k + 1
        if match[1] in ("duration col", "event col"):
            about[match[1].split()[0]] = match[2].strip("'")
        what = _FIT.get(match[1])
        number = parse_number(match[2].split()[0])
        if what is not None and number is not None and not any(f.what == what for f in fit):
            fit.append(Figure(what, what, number, block.line(k)))
    return about, fit, last


def _rows(block: Lines, i: int, end: int) -> tuple[list[Figure], list[Term], int]:
    figures: list[Figure] = []
    terms: list[Term] = []
    k = last = i
    while k < end:
        words = _columns(block.texts[k])
        if words is None:
            k += 1
            continue
        rows, named, k = rows_at(block, k + 1, end, words)
        figures += rows
        terms += [t for t in named if t not in terms]
        last = max(last, k)
    return figures, terms, last


def _columns(text: str) -> list[str] | None:
    if re.match(r"^\s+cmp to\s+z\s+p\s+-log2\(p\)\s*$", text):
        return ["compared to", "z", "p-value", "-log2(p)"]
    words = column_words(text)
    if "cmp to" in text or not {"coefficient", "hazard ratio"} & set(words) or len(words) < 3:
        return None
    return words
