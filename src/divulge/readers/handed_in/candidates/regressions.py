"""Tables of coefficients: one model with a column for each statistic, or several models side by side."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure, Term
from divulge.readers.handed_in.candidates.numbers import CellFigures
from divulge.readers.handed_in.candidates.statistic_names import column_word, fit_word, statistic_word
from divulge.readers.handed_in.candidates.structure import Body, Structure
from divulge.readers.handed_in.candidates.vocabulary import Vocabulary

RATIOS = {
    "odds ratio": "logistic",
    "hazard ratio": "cox",
    "rate ratio": "poisson",
    "relative risk ratio": "multinomial",
}
_MAIN = {"coefficient", *RATIOS}
_BESIDE = {"standard error", "t", "z", "p-value", "lower 95%", "upper 95%", "Wald", "beta", "df"}
_NUMBERED = re.compile(
    r"^\(?(?:\d{1,2}|[IVX]{1,4})\)$|^(?:Model|Modell|M|Spec\.?|Column)\s?\(?\d{1,2}\)?[:.]?.*$", re.I
)
KINDS = (
    (r"logit|logistic|odds|\bOR\b", "logistic"),
    (r"probit", "probit"),
    (r"poisson|incidence|\bIRR\b", "poisson"),
    (r"negative binomial|negbin", "negative-binomial"),
    (r"\bcox\b|hazard|proportional hazards|\bHR\b", "cox"),
    (r"ordered|ordinal|proportional odds", "ordered"),
    (r"multinomial", "multinomial"),
    (r"mixed|multilevel|random intercept|hierarchical", "mixed"),
    (r"\bOLS\b|linear|least squares", "linear"),
)


def _kind_in(text: str) -> str | None:
    """The kind of model that a text speaks of, or None."""
    return next((kind for pattern, kind in KINDS if re.search(pattern, text, re.IGNORECASE)), None)


def is_regression(table: Structure, words: Vocabulary) -> bool:
    """Whether a table holds coefficients."""
    heads = _heads(table)
    main = [h for h in heads if h in _MAIN]
    beside = [h for h in heads if h in _BESIDE]
    pairs = any(cell is not None and len(cell.inner) == 2 for b in table.body for cell in b.cells)
    if main and (beside or pairs or any(h in RATIOS for h in main)):
        return True
    return _is_side_by_side(table)


def _heads(table: Structure) -> list[str | None]:
    """What the columns are; Beta alone is a coefficient, beside one it is a standardised one."""
    heads = [column_word(c[-1]) if c else None for c in table.columns]
    return heads if set(heads) & _MAIN else ["coefficient" if h == "beta" else h for h in heads]


def _is_side_by_side(table: Structure) -> bool:
    heads = [c[-1] if c else "" for c in table.columns]
    rows = [b for b in table.body if not b.is_heading]
    under = [b for b in rows if not b.path[-1] and any(c is not None and c.alone for c in b.cells)]
    numbered = bool(heads) and all(_NUMBERED.match(h) for h in heads if h) and any(heads)
    starred = any(c is not None and c.main is not None and c.main.stars for b in rows for c in b.cells)
    inside = any(
        c is not None and len(c.inner) == 1 and c.main is not None and c.main.decimals >= 2
        for b in rows
        for c in b.cells
    )
    fits = any(fit_word(b.path[-1]) for b in rows)
    constant = any(re.match(r"^\(?(?:const|intercept|_cons)", b.path[-1], re.I) for b in rows)
    if any(statistic_word(h) for h in heads if h) and not (under and fits):
        return False
    return (
        (len(under) >= 2)
        or (numbered and (starred or inside) and (fits or constant))
        or (starred and fits and constant)
    )


def is_fit_table(table: Structure) -> bool:
    """A table of statistics of a model and nothing else, as broom's glance() gives."""
    heads = [fit_word(c[-1]) if c else None for c in table.columns]
    return not table.stubs and len(heads) >= 2 and all(heads) and len(table.body) == 1


def read_fit(table: Structure) -> list[Candidate]:
    """The statistics of a model whose coefficients stand in the table before."""
    body = table.body[0]
    figures = [
        Figure(word, word, cell.main, body.line)
        for path, cell in zip(table.columns, body.cells, strict=True)
        if cell is not None and cell.main is not None and (word := fit_word(path[-1])) is not None
    ]
    return [Candidate("other", "fit", table.lines, tuple(figures))]


@dataclass
class _Model:
    """A model as its table is read."""

    figures: list[Figure] = field(default_factory=list)
    terms: list[Term] = field(default_factory=list)
    ratio: str | None = None


def read(table: Structure, words: Vocabulary) -> list[Candidate]:
    """The models of a table."""
    said = " ".join([*table.grid.before, *table.grid.after])
    response = _response(said, table)
    absorbed = re.search(r"Fixed effects:\s*((?:\w+\s*\+\s*)*\w+)(?!\S)", said) if "Dep. var" in said else None
    heads = _heads(table)
    if any(h in _MAIN for h in heads) and not _all_models(table, heads):
        groups = _groups(table, heads)
        models = {name: _one(table, columns, heads) for name, columns in groups.items()}
    else:
        models = {str(" ".join(c)): _column(table, j) for j, c in enumerate(table.columns)}
    out = []
    for name, model in models.items():
        terms = [t for t in model.terms if not t.is_reference]
        if not model.figures or not terms:
            continue
        logged = " ".join(c[-1] for c in table.columns if c and re.search(r"log\(\w+\)", c[-1]))
        if any(c[-1] == "exp(coef)" for c in table.columns if c):
            logged = "hazard"  # as coxph of R and lifelines call it
        kind = _kind_in(name) or _kind_in(said) or _kind_in(logged)
        certain = model.ratio is not None or kind is not None
        kind = RATIOS.get(model.ratio or "", kind or "linear") if model.ratio else kind or "linear"
        if model.ratio == "rate ratio" and _kind_in(said) == "negative-binomial":
            kind = "negative-binomial"
        facts = {} if certain else {"kind": "open"}
        out.append(
            Candidate(
                "model",
                kind,
                table.lines,
                tuple(model.figures),
                response=_own_response(name, response, words),
                terms=tuple(model.terms),
                errors="clustered" if re.search(r"Inference:\s*CRV", said) else None,
                fixed_effects=tuple(re.findall(r"[A-Za-z_][\w.]*", absorbed[1])) if absorbed is not None else (),
                column=name if len(models) > 1 else None,
                facts=facts,
                statistic=f"{model.ratio}s" if model.ratio else None,
            )
        )
    return out


def _all_models(table: Structure, heads: list[str | None]) -> bool:
    """Columns that all say `Coef.` above different models, with errors underneath."""
    under = any(not b.path[-1] and any(c is not None and c.alone for c in b.cells) for b in table.body)
    return under and all(h in _MAIN or h is None for h in heads)


def _groups(table: Structure, heads: list[str | None]) -> dict[str, list[int]]:
    """Columns of one model; a header above them names it where there are several."""
    groups: dict[str, list[int]] = {}
    several = sum(h in _MAIN for h in heads) > len({h for h in heads if h in _MAIN})
    for j, path in enumerate(table.columns):
        name = " / ".join(path[:-1]) if several and len(path) > 1 else ""
        groups.setdefault(name, []).append(j)
    return groups


def _response(said: str, table: Structure) -> str | None:
    heads = " ".join(t for c in table.columns for t in c)
    match = re.search(r"[Dd]ep(?:endent|\.)? ?[Vv]ar(?:iable|\.)?\s*[:=]\s*([\w.]+(?:\([\w.]+\))?)", f"{said} {heads}")
    if match is not None:
        return match[1].rstrip(".")
    match = re.match(r"^\s*(?:\(?Coefficients?|Variables in the Equation)\s*\(([\w.]+)\)", said)
    return match[1] if match else None


def _own_response(name: str, response: str | None, words: Vocabulary) -> str | None:
    if response is not None:
        return response
    return next((n for part in re.split(r"\s*/\s*|\s+", name) if (n := words.variable(part)) is not None), None)


def _labelled(body: Body) -> tuple[str, str | None]:
    text = body.path[-1]
    group = body.path[0] if len(body.path) > 1 and body.path[0] != text else None
    match = re.match(r"^([A-Za-z][\w .]*?):\s+(\S.*)$", text)
    if match is not None and group is None:
        return match[2], match[1]
    if group is not None and re.match(r"^(?:Step|Model)?\s*\d*$", group):
        return text, None
    return text, group


def _key(text: str, group: str | None) -> str:
    return f"{group}: {text}" if group else text


def _one(table: Structure, columns: list[int], heads: list[str | None]) -> _Model:
    """One model: a row a term, a column a statistic."""
    model = _Model()
    for body in table.body:
        text, group = _labelled(body)
        cells = [(heads[j], body.cells[j], table.columns[j][-1] if table.columns[j] else "") for j in columns]
        filled = [c for _, c, _ in cells if c is not None]
        if not text or (body.is_heading and not any(c.main is not None or c.inner for c in filled)):
            continue
        fits = [fit_word(t) for t in text.split(" / ")]
        pair = next((c for c in filled if c.main is None and len(c.inner) == 2), None)
        if len(fits) == 2 and pair is not None and None not in fits:
            # `R2 / R2 adjusted` over `0.168 / 0.163`, as sjPlot has it
            shown = zip(fits, pair.inner, strict=True)
            model.figures += [Figure(str(what), str(what), number, body.line) for what, number in shown]
            continue
        fit = fit_word(text)
        if fit is not None and len(filled) == 1 and filled[0].main is not None:
            model.figures.append(Figure(fit, fit, filled[0].main, body.line))
            continue
        reference = any(c.is_reference for c in filled) or _is_one(cells)
        key = _key(text, group)
        if body.is_heading:
            continue
        model.terms.append(Term(text, group, reference or not filled))
        for head, cell, name in cells:
            if cell is not None and not (reference and head in _MAIN):
                model.figures += _cell_figures(cell, head or _other(name), key, body.line)
                if head in RATIOS:
                    model.ratio = model.ratio or head
    if any(f.what == "coefficient" for f in model.figures):
        model.ratio = None
    return model


def _is_one(cells: list[tuple[str | None, CellFigures | None, str]]) -> bool:
    """Whether a row is a reference that shows a ratio of 1 and nothing else."""
    filled = [(head, c) for head, c, _ in cells if c is not None]
    if len(filled) != 1 or len(cells) < 3 or filled[0][0] not in RATIOS:
        return False
    shown = filled[0][1]
    return shown.main is not None and shown.main.value == 1.0 and not shown.inner


def _other(name: str) -> str | None:
    word = statistic_word(name)
    return word if word in ("n", "mean") else None


def _cell_figures(cell: CellFigures, head: str | None, key: str, line: int) -> list[Figure]:
    out: list[Figure] = []
    if head is None and not (cell.main is None and len(cell.inner) == 2):
        return out  # two figures alone are an interval, whatever stands above them
    head = head or "interval"
    if cell.main is not None and not cell.is_reference:
        out.append(Figure(f"{key}: {head}", head, cell.main, line, key))
    if len(cell.inner) == 2:
        for what, number in zip(("lower 95%", "upper 95%"), cell.inner, strict=True):
            out.append(Figure(f"{key}: {what}", what, number, line, key))
    elif len(cell.inner) == 1 and head in _MAIN:
        out.append(Figure(f"{key}: standard error", "standard error", cell.inner[0], line, key))
    return out


_BASE = re.compile(r"^\d+b\.\w+$")
"""The base of a factor as Stata's esttab writes it, with a coefficient of 0."""


def _column(table: Structure, j: int) -> _Model:
    """One of several models side by side; a bracket under a coefficient is its standard error until the data say no."""
    model = _Model()
    last: str | None = None
    said = " ".join([*table.grid.before, *table.grid.after])
    bracket = (
        "t" if re.search(r"t[- ](?:statistics?|values?|ratios?) in (?:paren|brack)", said, re.I) else "standard error"
    )
    for body in table.body:
        cell = body.cells[j]
        text, group = _labelled(body)
        if text and cell is not None:
            last = _key(text, group)
        elif text:
            last = None
        if cell is None:
            continue
        fit = fit_word(text)
        if fit is not None and cell.main is not None:
            model.figures.append(Figure(fit, fit, cell.main, body.line))
            last = None
            continue
        if text and (cell.is_reference or _BASE.match(text)):
            last = None
            model.terms.append(Term(text, group, True))
            continue
        if last is None or body.is_heading:
            continue
        if text and cell.main is not None and not cell.main.is_suppressed:
            model.terms.append(Term(text, group))
            model.figures.append(Figure(f"{last}: coefficient", "coefficient", cell.main, body.line, last))
        whats = ("lower 95%", "upper 95%") if len(cell.inner) == 2 else (bracket,)
        for what, number in zip(whats, cell.inner, strict=False):
            model.figures.append(Figure(f"{last}: {what}", what, number, body.line, last))
    return model
