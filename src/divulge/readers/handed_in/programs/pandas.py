"""What pandas prints of a series or a single statistic: value_counts(), describe(), quantile(), df.wage.mean()."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure, Term
from divulge.readers.handed_in.candidates.descriptives import kind_of
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.candidates.statistic_names import statistic_word
from divulge.readers.handed_in.sheets import Block, Lines

_END = re.compile(r"^Name: ([\w.]+)(?:, Length: \d+)?, dtype: \w+\s*$|^dtype: \w+\s*$")
_SCALAR = re.compile(r"(?:\w+)(?:\.(\w+)|\[['\"]([\w.]+)['\"]\])\.(mean|median|std|var|min|max|sum|count|nunique)\(\)")
_WORDS = {"std": "sd", "var": "variance", "min": "minimum", "max": "maximum", "count": "n"}


_ROW = re.compile(r"^ ?(\S+(?: \S+)*)\s{2,}(-?[\d.]+(?:e[-+]?\d+)?)\s*$")


class Pandas:
    """Series and single statistics of pandas."""

    name = "pandas"

    def read(self, block: Block, session: Session) -> list[Candidate]:
        """The series and statistics of a stretch of text."""
        if not isinstance(block, Lines):
            return []
        return [session.signed(c, self.name) for c in (*_series(block, session), *_scalars(block))]


def _series(block: Lines, session: Session) -> Iterator[Candidate]:
    for end, text in enumerate(block.texts):
        match = _END.match(text)
        if match is None:
            continue
        rows: list[tuple[str, str, int]] = []
        k = end - 1
        while k >= 0 and (row := _ROW.match(block.texts[k])) is not None:
            rows.insert(0, (row[1], row[2], block.line(k)))
            k -= 1
        crossed = _crossed(block, end, match[1])
        if crossed is not None and len(crossed.figures) > len(rows):
            yield crossed
            continue
        above = re.match(r"^([\w.]+)\s*$", block.texts[k]) if k >= 0 else None
        command = _command(block, k)
        model = _parameters(rows, command, session)
        if model is not None:
            yield replace(model, lines=(block.line(k + 1), block.line(end)))
            continue
        grouped = _grouped(rows, match[1], above[1] if above else None, command)
        if grouped is not None:
            yield replace(grouped, lines=(block.line(k), block.line(end)))
            continue
        found = _read(rows, match[1], above[1] if above else None) if rows else None
        if found is not None:
            kind, figures, names = found
            start = block.line(k if above else k + 1)
            yield Candidate("cells", kind, (start, block.line(end)), tuple(figures), variables=names)


def _command(block: Lines, k: int) -> str:
    """The last statement before a line."""
    prompts = (t for t in reversed(block.texts[: k + 1]) if re.match(r"^(?:>>> |In \[\d+\]: )", t))
    return next(prompts, "")


_STATISTIC = r"\.(mean|median|std|sum|min|max|var|count)\("
_CALLED = {"mean": "mean", "median": "median", "std": "sd", "sum": "sum", "min": "minimum", "max": "maximum"}
_CALLED |= {"var": "variance", "count": "n"}


def _grouped(rows: list[tuple[str, str, int]], name: str | None, index: str | None, command: str) -> Candidate | None:
    """One statistic of a variable by the values of another: `df.groupby('region')['wage'].mean()`."""
    called = re.findall(_STATISTIC, command)
    if name is None or index is None or name in ("count", "proportion") or all(statistic_word(r[0]) for r in rows):
        return None
    what = _CALLED[called[0]] if called else "mean"
    figures = tuple(
        Figure(f"{label}: {what}", what, n, line, name, ((index, label),))
        for label, text, line in rows
        if (n := parse_number(text)) is not None
    )
    return Candidate("cells", kind_of({what}), (0, 0), figures, variables=(name,), by=(index,)) if figures else None


_ASKED = {"params": "coefficient", "bse": "standard error", "pvalues": "p-value", "tvalues": "t"}
_RATIOS = {"logistic": "odds ratio", "poisson": "rate ratio"}


def _parameters(rows: list[tuple[str, str, int]], command: str, session: Session) -> Candidate | None:
    """What a session asks of a model that it did not print: `np.exp(model.params)`, `model.pvalues`."""
    asked = re.search(r"\b(\w+)\.(params|bse|pvalues|tvalues)\b", command)
    if asked is None or asked[1] not in session.objects:
        return None
    call = re.search(r"\b(\w+)\(\s*(?:formula\s*=\s*)?['\"]([^'\"]+~[^'\"]+)['\"]", session.objects[asked[1]])
    if call is None:
        return None
    names = {"ols": "linear", "logit": "logistic", "probit": "probit", "poisson": "poisson", "mnlogit": "multinomial"}
    kind = names.get(call[1].casefold(), "other")
    what = _RATIOS.get(kind, "exp(coefficient)") if "exp(" in command else _ASKED[asked[2]]
    figures = tuple(
        Figure(f"{label}: {what}", what, n, line, label)
        for label, text, line in rows
        if (n := parse_number(text)) is not None
    )
    terms = tuple(Term(label) for label, _, _ in rows)
    response = call[2].partition("~")[0].strip()
    return Candidate("model", kind, (0, 0), figures, response=response, formula=call[2], terms=terms)


def _crossed(block: Lines, end: int, name: str | None) -> Candidate | None:
    """Counts or one statistic by several variables (`groupby([...]).size()`): a level that stays is printed once."""
    k = end - 1
    while k >= 0 and re.match(r"^(?:\S.*?)?\s{2,}(?:\S.*?\s{2,})*-?\d+(?:\.\d+)?\s*$", block.texts[k]):
        k -= 1
    names = block.texts[k].split() if k >= 0 else []
    if len(names) < 2 or not all(re.fullmatch(r"[A-Za-z_][\w.]*", n) for n in names):
        return None
    starts = [m.start() for m in re.finditer(r"\S+", block.texts[k])]
    figures: list[Figure] = []
    held = [""] * len(names)
    for i in range(k + 1, end):
        number = parse_number(block.texts[i].split()[-1])
        cut = block.texts[i].rstrip()
        labels = cut[: cut.rindex(" ")]
        parts = [labels[a:b].strip() for a, b in zip(starts, [*starts[1:], None], strict=True)]
        first = next((j for j, p in enumerate(parts) if p), len(parts))
        held = [held[j] if j < first else parts[j] for j in range(len(names))]
        if number is None or not all(held):
            return None
        at = tuple(zip(names, held, strict=True))
        figures.append(Figure(" × ".join(held), "count", number, block.line(i), None, at))
    if len(figures) < 2:
        return None
    lines = (block.line(k), block.line(end))
    if name is not None and name not in ("count", "size") and any(f.printed.decimals for f in figures):
        called = re.findall(_STATISTIC, _command(block, k))
        what = _CALLED.get(called[0], "mean") if called else "mean"
        shown = tuple(replace(f, what=what, of=name, label=f"{f.label}: {what}") for f in figures)
        return Candidate("cells", kind_of({what}), lines, shown, variables=(name,), by=tuple(names))
    return Candidate("cells", "crosstab", lines, tuple(figures), variables=tuple(names[:1]), by=tuple(names[1:]))


def _read(
    rows: list[tuple[str, str, int]], name: str | None, index: str | None
) -> tuple[str, list[Figure], tuple[str, ...]] | None:
    """Counts or shares of values, or statistics and quantiles of a variable."""
    numbers = [(label, n, line) for label, text, line in rows if (n := parse_number(text)) is not None]
    if name in ("count", "proportion"):
        what = "count" if name == "count" else "percentage"
        key = index or "row0"
        figures = [
            Figure(f"{key}={label}", what, n, line, None, ((key, "Missing" if label == "NaN" else label),))
            for label, n, line in numbers
        ]
        return "frequencies", figures, (index,) if index else ()
    words = [statistic_word(label) for label, _, _ in numbers]
    if name is None or not all(words):
        return None
    figures = [
        Figure(f"{name}: {w}", w, n, line, name)
        for w, (_, n, line) in zip(words, numbers, strict=True)
        if w is not None
    ]
    return kind_of({f.what for f in figures}), figures, (name,)


def _scalars(block: Lines) -> Iterator[Candidate]:
    for i, text in enumerate(block.texts[:-1]):
        match = _SCALAR.search(text) if text.startswith(">>> ") else None
        shown = re.match(r"^(?:np\.\w+\()?(-?[\d.]+(?:e[-+]?\d+)?)\)?\s*$", block.texts[i + 1])
        number = parse_number(shown[1]) if match is not None and shown is not None else None
        if match is None or number is None:
            continue
        of, what = match[1] or match[2], _WORDS.get(match[3], match[3])
        figure = Figure(f"{of}: {what}", what, number, block.line(i + 1), of)
        yield Candidate("cells", kind_of({what}), (block.line(i + 1),) * 2, (figure,), variables=(of,))
