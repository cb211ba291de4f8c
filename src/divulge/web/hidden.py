"""What a file holds that looking at it does not show: rows behind a pivot table, hidden sheets, bytes after a picture.

For files that may leave without an assessment. Whoever approves of one sees its picture or its text, and would approve
of the rest unseen. Known by the bytes of the file, never by its name. Found in the process that reads the file for its
page, within its limits.
"""

from __future__ import annotations

import re
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from divulge.web.pictures import MOST_PAGES, kind_of

_MOST = 64 << 20  # bytes of a file that are looked through
_MOST_PART = 16 << 20  # bytes of a part of an archive
_LONGEST_NOTE = 200  # characters of a note that are shown
_MOST_CHUNK = 1 << 16  # bytes of a note that are unfolded
_FEWEST_BYTES = 300  # of such a part: Word writes an empty one of 262 bytes into every document
_FEWEST_BLANKS = 200  # at ends of lines: programs leave some, and fewer carry little

_SHOWN_CHUNKS = frozenset(
    {b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"cHRM", b"gAMA", b"iCCP", b"sBIT", b"sRGB", b"bKGD", b"hIST"}
    | {b"pHYs", b"sPLT", b"tIME", b"cICP", b"acTL", b"fcTL", b"fdAT"}
)
"""Of a PNG, what draws it (PNG, third edition, section 11). The others are notes, or anything at all."""

_OFFICE_PARTS = (
    (r"pivotCache/pivotCacheRecords", "the rows behind a pivot table"),
    (r"(embeddings|oleObjects?)/", "another file embedded in it"),
    (r"vbaProject\.bin$", "macros"),
    (r"externalLinks/", "values copied from another workbook"),
    (r"(comments|threadedComments)[^/]*(/[^/]+)?\.xml$", "comments"),
    (r"customXml/item\d+\.xml$", "data of its own beside the document"),
    (r"xl/model/", "a data model, which holds whole tables"),
    (r"connections\.xml$", "connections to data elsewhere"),
)
"""Parts of office documents (ECMA-376) that a page does not show, and what they are."""

_OFFICE_MARKS = (
    (r"<(?:\w+:)?sheet\b[^>]*\bstate=\"(?:hidden|veryHidden)\"", "hidden sheet", "hidden sheets"),
    (r"<(?:\w+:)?row\b[^>]*\bhidden=\"(?:1|true)\"", "hidden row", "hidden rows"),
    (r"<(?:\w+:)?col\b[^>]*\bhidden=\"(?:1|true)\"", "hidden range of columns", "hidden ranges of columns"),
    (r"<w:vanish\b(?![^>]*val=\"(?:0|false)\")", "piece of hidden text", "pieces of hidden text"),
    (r"<w:(?:del|moveFrom)\b", "deleted piece that is kept", "deleted pieces that are kept"),
)

_TEXT_MARKS = (
    (rb"<!--.*?-->", "comments that are not shown"),
    (rb"<script\b.*?</script", "script, which may hold data"),
    (rb"<metadata\b.*?</metadata", "metadata"),
    (rb"\bdata:[\w/+.;=-]*base64,[A-Za-z0-9+/=\s]+", "content folded into addresses (data:)"),
)
_HIDING = re.compile(
    rb"display\s*[:=]\s*[\"']?none|visibility\s*[:=]\s*[\"']?hidden|opacity\s*[:=]\s*[\"']?0(?:\.0+)?\b(?!\.)", re.I
)


def find_hidden(path: Path) -> list[str]:
    """What is in a file beside what its viewer shows, a sentence each; empty where nothing is found."""
    kind = kind_of(path)
    with path.open("rb") as file:
        content = file.read(_MOST)
    found = list(_looks().get(kind or "", _of_others)(content, path))
    if path.stat().st_size > _MOST:
        found.append(f"Only its first {_MOST >> 20} MB were looked through.")
    return found


def _looks() -> dict[str, Callable[[bytes, Path], Iterator[str]]]:
    unknown = ("image/gif", "image/webp")
    return {
        "image/png": _of_png,
        "image/jpeg": _of_jpeg,
        "application/pdf": _of_pdf,
        "image/svg+xml": _of_text,
        **dict.fromkeys(unknown, _of_other_picture),
    }


def _of_png(content: bytes, _: Path) -> Iterator[str]:
    at = 8
    while at + 8 <= len(content):
        length, name = struct.unpack(">I4s", content[at : at + 8])
        body = content[at + 8 : at + 8 + length]
        at += 12 + length
        if name in (b"tEXt", b"zTXt", b"iTXt"):
            yield f"The picture holds a note: {_note(name, body)}"
        elif name not in _SHOWN_CHUNKS:
            yield f"The picture holds {length:,} bytes that draw nothing ({name.decode('latin-1')!r})."
        if name == b"IEND":
            break
    yield from _after(len(content) - at)


def _note(name: bytes, body: bytes) -> str:
    """The text of a note in a PNG, as far as it is shown."""
    word, _, rest = body.partition(b"\0")
    folded = name == b"zTXt" or (name == b"iTXt" and rest[:1] == b"\1")
    if name == b"iTXt":
        rest = rest[2:].partition(b"\0")[2].partition(b"\0")[2]
    elif name == b"zTXt":
        rest = rest[1:]
    if folded:
        with suppress(zlib.error):
            rest = zlib.decompressobj().decompress(rest, _MOST_CHUNK)
    text = rest.decode("utf-8" if name == b"iTXt" else "latin-1", errors="replace")
    more = f" … ({len(text):,} characters)" if len(text) > _LONGEST_NOTE else ""
    return f"{word.decode('latin-1')}: {text[:_LONGEST_NOTE]}{more}"


def _of_jpeg(content: bytes, _: Path) -> Iterator[str]:
    """Segments up to the end of the picture (ISO/IEC 10918-1, annex B)."""
    at, notes = 2, 0
    while at + 2 <= len(content) and content[at] == 0xFF:
        marker = content[at + 1]
        if marker == 0xD9:
            at += 2
            break
        length = int.from_bytes(content[at + 2 : at + 4], "big")
        # JFIF, colours and Adobe's own draw it; Exif, XMP, comments and the others say something.
        notes += length if marker == 0xFE or (0xE1 <= marker <= 0xED and marker != 0xE2) else 0
        at += 2 + length
        if marker == 0xDA:
            rest = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]", re.DOTALL).search(content, at)
            at = rest.start() if rest is not None else len(content)
    if notes:
        yield f"The picture holds {notes:,} bytes of notes (Exif, comments), which are not shown."
    yield from _after(len(content) - at)


def _of_other_picture(_: bytes, __: Path) -> Iterator[str]:
    yield "A picture of this kind can hold notes and further pictures that are not shown. Ask for a PNG."


def _of_pdf(content: bytes, path: Path) -> Iterator[str]:
    n_pages, n_attached = _pdf_counts(path)
    if n_attached:
        yield f"{n_attached:,} {'file is' if n_attached == 1 else 'files are'} attached to it."
    if n_pages > MOST_PAGES:
        yield f"It has {n_pages:,} pages; {MOST_PAGES} are shown."
    if b"/JavaScript" in content or b"/JS" in content:
        yield "It holds script."
    if b"/OCProperties" in content:
        yield "It has layers, of which some may not be shown."
    if (n_versions := content.count(b"%%EOF")) > 2:
        yield f"It holds {n_versions - 1:,} earlier states of itself."
    yield from _after(len(content) - content.rfind(b"%%EOF") - 7)


def _pdf_counts(path: Path) -> tuple[int, int]:
    with suppress(Exception):
        # Whatever a broken file does to the library, the rest of it is looked at all the same.
        import pypdfium2

        with pypdfium2.PdfDocument(path) as document:
            return len(document), document.count_attachments()
    return 0, 0


def _of_others(content: bytes, path: Path) -> Iterator[str]:
    if content[:2] == b"PK" and zipfile.is_zipfile(path):
        return _of_archive(path)
    return _of_text(content, path) if b"\0" not in content[:4096] else iter(())


def _of_archive(path: Path) -> Iterator[str]:
    """Of an office document, its parts and what they mark as hidden."""
    broken = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError)
    with suppress(*broken), zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        for pattern, words in _OFFICE_PARTS:
            held = [n for n in names if re.search(pattern, n)]
            size = sum(archive.getinfo(n).file_size for n in held)
            if size > _FEWEST_BYTES:
                yield f"It holds {words} ({size:,} bytes)."
        counts = [0] * len(_OFFICE_MARKS)
        for name in names:
            if name.endswith(".xml") and re.match(r"xl/(workbook|worksheets/)|word/(document|header|footer)", name):
                with archive.open(name) as part:
                    text = part.read(_MOST_PART).decode("utf-8", errors="replace")
                counts = [n + len(re.findall(p, text)) for n, (p, _, _) in zip(counts, _OFFICE_MARKS, strict=True)]
        for n, (_, one, several) in zip(counts, _OFFICE_MARKS, strict=True):
            if n:
                yield f"It has {n:,} {one if n == 1 else several}."
        if archive.comment:
            yield f"The archive has a comment of {len(archive.comment):,} bytes."


def _of_text(content: bytes, _: Path) -> Iterator[str]:
    if re.search(rb"<(?:!doctype|html|svg|\?xml|body|table)\b", content[:4096], re.I):
        for pattern, words in _TEXT_MARKS:
            size = sum(len(m.group()) for m in re.finditer(pattern, content, re.I | re.DOTALL))
            if size:
                yield f"It holds {size:,} bytes of {words}."
        if n := len(_HIDING.findall(content)):
            yield f"{n:,} {'piece' if n == 1 else 'pieces'} of it {'is' if n == 1 else 'are'} styled as invisible."
    text = content.decode("utf-8", errors="ignore").lstrip("\ufeff")
    if n := sum(text.count(c) for c in set(text) if _is_unseen(c)):
        yield f"It holds {n:,} characters that nobody sees."
    n_blanks = sum(len(m.group()) for m in re.finditer(r"[ \t]+(?=\r?$)", text, re.MULTILINE))
    if n_blanks >= _FEWEST_BLANKS:
        yield f"{n_blanks:,} blanks that nobody sees stand at the ends of its lines."


def _is_unseen(c: str) -> bool:
    """Whether a character has no shape: joiners, tags, controls other than line ends, tabs and colours."""
    return unicodedata.category(c) in ("Cf", "Co", "Cn") or (c < " " and c not in "\t\n\r\f\x1b")


def _after(n_bytes: int) -> Iterator[str]:
    if n_bytes > 0:
        yield f"{n_bytes:,} bytes follow after its end, which no viewer shows."
