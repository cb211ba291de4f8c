r"""LaTeX and plain TeX: `tabular` and `\halign` as grids, everything else as lines. Nothing is typeset or run."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

from divulge.readers.handed_in.sheets.decoding import decode
from divulge.readers.handed_in.sheets.sheet import Block, Document, Grid, Lines, Remark, grid_of

SUFFIXES = (".tex", ".ltx")

_BEGIN = re.compile(r"\\begin\{(tabular\*?|tabularx|tabulary|longtable|array|supertabular|xltabular)\}")
_RULES = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot|centering|small|footnotesize)\b"
    r"|\\(?:cline|cmidrule)(?:\([^)]*\))?\{[^}]*\}|\\addlinespace(?:\[[^\]]*\])?|\\\[[^\]]*\]|\\noalign\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}"
    r"|\\(?:v|h)space\*?\{[^}]*\}|\\label\{[^}]*\}"
)
_WRAPPED = re.compile(
    r"\\(?:textbf|textit|emph|text|mbox|textrm|mathrm|textsc|underline|makecell|thead|right|centre|num|mathit|rm|sym"
    r"|textsuperscript|multirow(?:\[[^]]*\])?\{[^}]*\}(?:\[[^]]*\])?\{[^}]*\}|cell)\{([^{}]*)\}"
)
_SIGNS = (
    (r"$-$", "-"),
    (r"\(", ""),
    (r"\)", ""),
    (r"\textminus", "-"),
    (r"\%", "%"),
    (r"\&", "\x03"),
    (r"\_", "_"),
    (r"\$", "$"),
    (r"\#", "#"),
    ("~", " "),
    ("---", "–"),
    ("--", "–"),
    (r"\,", ""),
    (r"\;", " "),
    (r"\ ", " "),
    (r"\quad", " "),
    (r"\times", "×"),
    (r"\textless", "<"),
    (r"\textgreater", ">"),
    (r"\textasteriskcentered", "*"),
    (r"\ast", "*"),
    (r"\leq", "≤"),
    (r"\geq", "≥"),
    (r"{\the\textfont2\char\"02}", "×"),
    (r"\textrm", ""),
    (r"\\textfont2", ""),
)


def _plain(text: str) -> str:
    """A cell or a line without its commands."""
    text = re.sub(r"\{\\the\\textfont2\\char\"02\}", "×", text)
    text = re.sub(r"\\textrm\{e--(\d+)\}", r"e-\1", text)
    text = re.sub(r"\\textrm\{e\+?(\d+)\}", r"e+\1", text)
    text = re.sub(r"\$?\^\{\s*\}\$?", "", text)
    for sign, shown in _SIGNS:
        text = text.replace(sign, shown)
    for _ in range(5):  # commands hold one another, never deeper than this
        bare = _WRAPPED.sub(r"\1", text)
        bare = re.sub(r"\^\{?(\*+|2)\}?", lambda m: "²" if m[1] == "2" else m[1], bare)
        if bare == text:
            break
        text = bare
    text = re.sub(r"\\(log|ln|exp|sqrt)\b\s*\{?\(?\{?\s*([\w.]+)\s*\}?\)?\}?", r"\1(\2)", text)
    text = re.sub(r"\\[a-zA-Z]+\*?(?:\[[^\]]*\])?", " ", text)
    return re.sub(r"[{}$\\]", "", text).replace("\x03", "&").strip()


def read(path: Path, name: str) -> Document:
    """A LaTeX file."""
    source, odd = decode(path.read_bytes())
    remarks = [Remark(odd)] if odd else []
    for command in (r"\write18", r"\input", r"\include{", r"\openin"):
        if command in source:
            remarks.append(Remark(f"the command {command}, which was not followed"))
    lines = enumerate(source.split("\n"), 1)
    remarks += islice((Remark("a comment in the source", i) for i, t in lines if _COMMENT.search(t)), 20)
    texts = [re.sub(r"(?<!\\)%.*$", "", t) if not re.search(r"\d\s*%\s*(&|\\\\)", t) else t for t in source.split("\n")]
    text = "\n".join(texts)
    return Document(name, tuple(blocks_of(text)), tuple(remarks))


_COMMENT = re.compile(
    r"(?:^|(?<![\\\d\s])\s+)%\s*(?!(?:Table|latex table|Date|Generated|generated|Requires|End of)\b)[A-Za-z]\w+\W.*\w"
)
"""What somebody wrote beside the text; programs name themselves, the date and the packages that they need."""

_EQUATION = re.compile(
    r"\\widehat\{\s*(?:\\rm|\\mathrm)?\s*\{?(?P<response>[\w.\\]+)\}?\s*\}\s*&?=(?P<right>.*?)\\end\{", re.DOTALL
)
_TERM = re.compile(
    r"(?P<sign>[+-]?)\s*\\underset\{\((?P<error>[\d.,]+)\)\}\{(?P<value>[\d.,]+)\}(?:\s*\\,\s*\\(?:mbox|mathrm|text)\{(?P<name>[^{}]*)\})?"
)


def _equation(text: str) -> Grid | None:
    """An equation with standard errors under its coefficients, as gretl writes it, as a table of coefficients."""
    found = _EQUATION.search(text)
    if found is None:
        return None
    rows: list[tuple[int, list[str]]] = [(text.count("\n", 0, found.start()) + 1, ["", "Coefficient", "Std. Error"])]
    for term in _TERM.finditer(found["right"]):
        line = text.count("\n", 0, found.start("right") + term.start()) + 1
        sign = "-" if term["sign"] == "-" else ""
        rows.append((line, [_plain(term["name"] or "const"), sign + term["value"], term["error"]]))
    said = (f"Dependent variable: {_plain(found['response'])}",)
    size = re.search(r"[TNn]\s*=\s*(\d+)", text[found.end() :])
    return grid_of(rows, before=said, after=(f"N = {size[1]}",) if size else ()) if len(rows) > 2 else None


def blocks_of(text: str) -> list[Block]:
    """The tables of a source, and the lines around them."""
    blocks: list[Block] = []
    place = 0
    equation = _equation(text)
    if equation is not None:
        blocks.append(equation)
    for start, end, body, columns in [*_tabulars(text), *_haligns(text)]:
        between = text[place:start]
        blocks += _said(between, text.count("\n", 0, place) + 1)
        grid = _grid(body, text.count("\n", 0, start) + 1, columns)
        if grid is not None:
            before = [t for b in blocks[-4:] if isinstance(b, Lines) for t in b.texts if t.strip()]
            follow = re.match(r".{0,400}?(?=\\begin\{|\\section|\\bf |$)", text[end : end + 400], re.DOTALL)
            after = [_plain(t) for t in (follow[0] if follow else "").split("\n")]
            blocks.append(Grid(grid.rows, grid.spans, tuple(before[-4:]), tuple(t for t in after if t)))
        place = end
    return blocks + _said(text[place:], text.count("\n", 0, place) + 1)


def _said(text: str, line: int) -> list[Block]:
    shown = [_plain(t) for t in text.split("\n")]
    return [Lines(tuple(shown), line)] if any(shown) else []


def _tabulars(text: str) -> list[tuple[int, int, str, str]]:
    found = []
    for match in _BEGIN.finditer(text):
        close = text.find(rf"\end{{{match[1]}}}", match.end())
        if close < 0:
            close = len(text)
        inner = match.end()
        columns = ""
        for _ in range(2 if match[1] in ("tabular*", "tabularx", "tabulary") else 1):
            while inner < close and text[inner : inner + 1] == "[":
                inner = text.find("]", inner) + 1 or close
            group, inner = _group(text, inner, close)
            columns = group or columns
        if inner <= close:
            found.append((match.start(), close, text[inner:close], columns))
    return found


def _group(text: str, at: int, end: int) -> tuple[str, int]:
    """What stands in the braces that open at a place, and where they close."""
    if text[at : at + 1] != "{":
        return "", at
    depth = 0
    for i in range(at, end):
        depth += (text[i] == "{") - (text[i] == "}")
        if depth == 0:
            return text[at + 1 : i], i + 1
    return "", end


def _haligns(text: str) -> list[tuple[int, int, str, str]]:
    r"""PSPP's TeX: rows end in \cr, \multispan joins columns."""
    found = []
    for match in re.finditer(r"\\halign\{", text):
        close = text.find("% End of", match.end())
        close = text.find("\n}\n", match.end()) if close < 0 else close
        close = len(text) if close < 0 else close
        body = text[match.end() : close]
        body = re.sub(r"\n", " ", body)
        first = body.find(r"\cr")
        body = re.sub(
            r"\\multispan\{?(\d+)\}?\\span(?:\\[a-z]*size[^A-Za-z\\]*|=?[\d.]*\\hsize|\\advance|\\psppcolumnspace|\s|[\d.])*",
            lambda m: rf"\multicolumn{{{int(m[1]) + 1}}}{{c}}",
            body[first + 3 :],
        )
        found.append((match.start(), close, body.replace(r"\cr", r"\\"), ""))
    return found


def _grid(body: str, line: int, columns: str) -> Grid | None:
    joined = _joined_columns(columns)
    rows, spans = [], []
    at = line
    for chunk in re.split(r"\\\\(?:\s*\[-?[\d.]+\s*(?:em|ex|pt|mm|cm|in)\])?|\\tabularnewline", body):
        lead = len(chunk) - len(chunk.lstrip())
        start = at + chunk.count("\n", 0, lead)
        at += chunk.count("\n")
        bare = _RULES.sub(" ", chunk)
        if not bare.strip():
            continue
        cells: list[str] = []
        covered: list[int] = []
        for cell in re.split(r"(?<!\\)&", bare):
            match = re.match(r"\s*\\multicolumn\{(\d+)\}\{[^}]*\}", cell)
            n = min(int(match[1]), 60) if match else 1
            rest = cell[match.end() :] if match else cell
            indent = "   " if re.match(r"\s*(\\quad|\\hspace|~~|\\ \\ )", rest) else ""
            cells += [indent + _plain(rest)] + [""] * (n - 1)
            covered += [n] + [0] * (n - 1)
        if joined:
            cells, covered = _rejoined(cells, covered, joined)
        rows.append((start, cells))
        spans.append(covered)
    width = max((len(c) for _, c in rows), default=0)
    return grid_of(rows, spans=tuple((*s, *[1] * (width - len(s))) for s in spans))


def _joined_columns(columns: str) -> dict[int, str]:
    """Columns that are one number cut at its decimal point, as `r@{.}l` aligns them: the left ones, and the sign."""
    found, j = {}, 0
    for match in re.finditer(r"@\{([.,])\}|[lcrSdpmbX](?:\{[^}]*\})?", columns):
        if match[1]:
            found[j - 1] = match[1]
        else:
            j += 1
    return found


def _rejoined(cells: list[str], covered: list[int], joined: dict[int, str]) -> tuple[list[str], list[int]]:
    out, spans, j = [], [], 0
    while j < len(cells):
        if j in joined and j + 1 < len(cells):
            text = cells[j] if not cells[j + 1] else f"{cells[j].strip()}{joined[j]}{cells[j + 1].strip()}"
            out.append(text)
            spans.append(1)
            j += 2
        else:
            out.append(cells[j])
            spans.append(1)
            j += 1
    return out, spans
