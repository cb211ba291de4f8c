"""Markdown: pipe tables as grids, everything else as lines; fences are left out, what stands in them is kept.

What knitr and reprex write is made the session that it was: code of R behind prompts, what it printed without `##`.
"""

from __future__ import annotations

import re
from pathlib import Path

from divulge.readers.handed_in.sheets.decoding import decode
from divulge.readers.handed_in.sheets.embedded import with_grids
from divulge.readers.handed_in.sheets.sheet import Document, Lines, Remark

SUFFIXES = (".md", ".rmd", ".qmd", ".markdown")

_FENCE = re.compile(r"^\s*(?:```+|~~~+)\s*(.*)$")
_CODE = re.compile(r"^\{?\.?[rR]\b(?!md)")
_PRINTED = re.compile(r"^\s*(?:##|#>)(?: |$)")


def read(path: Path, name: str) -> Document:
    """A Markdown file."""
    text, odd = decode(path.read_bytes())
    kept = tuple(_sessions([t.expandtabs(8) for t in text.splitlines()]))
    return Document(name, tuple(with_grids(Lines(kept))), (Remark(odd),) if odd else ())


def _sessions(texts: list[str]) -> list[str]:
    """The lines without fences, those of R as its console shows them. There are as many lines as before."""
    out: list[str] = []
    i = 0
    while i < len(texts):
        opened = _FENCE.match(texts[i])
        if opened is None:
            out.append(texts[i])
            i += 1
            continue
        end = next((k for k in range(i + 1, len(texts)) if _FENCE.match(texts[k])), len(texts))
        inside = texts[i + 1 : end]
        is_code = _CODE.match(opened[1]) is not None
        out += ["", *(_as_typed(inside) if is_code else _as_printed(inside))]
        if end < len(texts):
            after = next((t for t in texts[end + 1 :] if t.strip()), "")
            # No statement printed the prose that follows.
            out.append("> " if is_code and not _FENCE.match(after) else "")
        i = end + 1
    return out


def _as_printed(texts: list[str]) -> list[str]:
    if not any(texts) or not all(_PRINTED.match(t) for t in texts if t.strip()):
        return texts
    return [re.sub(r"^\s*(?:##|#>) ?", "", t) for t in texts]


def _as_typed(texts: list[str]) -> list[str]:
    """Lines of code behind R's prompts: one that is not ended yet is continued on the next."""
    out: list[str] = []
    depth, is_open = 0, False
    for text in texts:
        if text.startswith("#>") and not is_open:
            out.append(re.sub(r"^#> ?", "", text))
            continue
        code = re.sub(r"'[^']*'|\"[^\"]*\"", "''", text).partition("#")[0].rstrip()
        out.append(f"+ {text}" if is_open else f"> {text}" if text.strip() else "")
        depth += sum((c in "([{") - (c in ")]}") for c in code)
        is_open = depth > 0 or re.search(r"(?:%>%|\|>|%\w*%|[-+*/~,=]|<-|&|\|)$", code) is not None
    return out
