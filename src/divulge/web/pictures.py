"""Files as pictures to look at: known by their first bytes, never by what they are called, and never run.

A picture that can hold script (SVG) is only ever shown as an image, and its address gives it no right to run or fetch
anything. Pages of a PDF are drawn by a process with a limit of time and memory.
"""

from __future__ import annotations

import io
from pathlib import Path

from divulge.errors import NotFoundError, UploadError
from divulge.web.parsing import within_limits

PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""An SVG may have styles; nothing else of it does anything."""

_STARTS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
)
_HEAD = 4096  # bytes in which an SVG says that it is one
MOST_PAGES = 30
"""Pages of a PDF that are drawn; the file itself has the rest."""

_WIDTH = 1200  # pixels of a page that is drawn: what a wide screen shows


def kind_of(path: Path) -> str | None:
    """The kind of a picture or a PDF (as a media type); None for any other file."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    for start, kind in _STARTS:
        if head.startswith(start):
            return kind
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    plain = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    is_svg = plain.startswith((b"<svg", b"<?xml", b"<!--", b"<!DOCTYPE svg")) and b"<svg" in head
    return "image/svg+xml" if is_svg else None


def count_pages(path: Path) -> int:
    """How many pages of a PDF are shown; 0 where it cannot be drawn."""
    return within_limits(_count_pages, str(path))


def draw_page(path: Path, number: int) -> bytes:
    """A page of a PDF as a picture (PNG)."""
    return within_limits(_draw_page, str(path), number)


def _count_pages(path: str) -> int:
    try:
        import pypdfium2
    except ImportError:
        # Without the extra `readers` a PDF is downloaded.
        return 0
    try:
        with pypdfium2.PdfDocument(path) as document:
            return min(len(document), MOST_PAGES)
    except pypdfium2.PdfiumError:
        return 0


def _draw_page(path: str, number: int) -> bytes:
    import pypdfium2

    try:
        with pypdfium2.PdfDocument(path) as document:
            if not 1 <= number <= min(len(document), MOST_PAGES):
                raise NotFoundError("there is no such page.")
            page = document[number - 1]
            drawn = page.render(scale=_WIDTH / max(1.0, page.get_width())).to_pil()
    except pypdfium2.PdfiumError:
        raise UploadError("the page cannot be drawn.") from None
    written = io.BytesIO()
    drawn.save(written, "PNG")
    return written.getvalue()
