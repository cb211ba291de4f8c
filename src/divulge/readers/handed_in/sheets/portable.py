"""PDF files with text: the lines of each page as they stand on it. Pages without text are pictures."""

from __future__ import annotations

from pathlib import Path

from divulge.readers.handed_in.sheets.boxes import with_boxes
from divulge.readers.handed_in.sheets.ruled import drawn, is_set, plain
from divulge.readers.handed_in.sheets.sheet import Document, Lines

SUFFIXES = (".pdf",)

_PAGES = 200
"""Pages that are looked at; a longer PDF is a book."""


def read(path: Path, name: str) -> Document:
    """The text of a PDF file."""
    try:
        import pdfplumber
    except ImportError:
        return Document(name, reason="a PDF file, which the package pdfplumber reads: install divulge[readers]")
    texts: list[str] = []
    unread = []
    try:
        with pdfplumber.open(path) as book:
            for number, page in enumerate(book.pages[:_PAGES], 1):
                widths = sorted(float(c["width"]) for c in page.chars if c["text"].strip())
                density = widths[len(widths) // 2] if widths else 4.5
                shown = drawn(page, max(density, 1.0))
                if shown is None and is_set(page):
                    shown = plain(page, max(density, 1.0))
                elif shown is None:
                    laid_out = page.extract_text(layout=True, x_density=max(density, 1.0), y_density=11) or ""
                    shown = [t for t in laid_out.splitlines() if t.strip()]
                texts += [t.rstrip() for t in shown] + [""]
                if not any(t.strip() for t in shown):
                    unread.append(f"page {number}: a picture, or empty")
                page.close()
            if len(book.pages) > _PAGES:
                unread.append(f"pages after {_PAGES}")
    except Exception as error:  # the library raises whatever its parts raise on a broken file
        return Document(name, reason=f"a PDF file that cannot be opened ({type(error).__name__})")
    if not any(t.strip() for t in texts):
        return Document(name, reason="a PDF file without text: pictures of pages")
    return Document(name, tuple(with_boxes(Lines(tuple(texts)))), unread=tuple(unread))
