"""Bytes of a delimited file as blocks of whole rows in UTF-8: encoding, delimiter, header, where rows end.

What the fields mean is decided elsewhere.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from divulge.errors import DuplicateColumnsError, EmptyFileError, HeaderOnlyError, NotATableError, UndecodableError

BLOCK_BYTES = 16 << 20
"""Large enough that parsing outweighs the cost of a block, small enough that a few in flight fit in 500 MB."""
FIRST_BYTES = 1 << 20
"""The first block is parsed alone, to see which columns are nearly all distinct; so it is short."""
_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_BYTES = 1 << 16
_SAMPLE_ROWS = 100
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NOT_TABLES = re.compile(rb'<!doctype|<html|<\?xml|\{\s*"|\[\s*\{|%PDF-|\x89PNG|PK\x03\x04|\$FL2@', re.IGNORECASE)


@dataclass(frozen=True)
class Layout:
    """How a delimited file is written: its encoding, delimiter and column names, and where its rows begin."""

    path: Path
    encoding: str
    delimiter: str
    names: tuple[str, ...]
    header_bytes: int
    header_lines: int

    def row_blocks(self) -> Iterator[bytes]:
        """The rows below the header in blocks: each is cut at a newline behind an even number of quotes."""
        skip, rest = self.header_bytes, b""
        for chunk in utf8_chunks(self.path, self.encoding, FIRST_BYTES):
            block = rest + chunk if rest else chunk
            if skip:
                block, skip = block[skip:], 0
            cut = _last_row_end(block)
            if cut:
                # A view costs no copy, and pyarrow reads it as it is.
                yield block[:cut]
            rest = block[cut:]
        if rest.count(b'"') % 2:
            _check_quotes(self)
        if rest.strip(b"\r\n"):
            yield rest


def read_layout(path: Path, delimiter: str | None, encoding: str | None) -> Layout:
    """Look at the beginning of a file: its encoding, delimiter and header."""
    with path.open("rb") as file:
        start = file.read(_SAMPLE_BYTES)
    encoding = _checked_encoding(path, encoding) if encoding else _guess_encoding(start)
    text = _first_block(path, encoding)
    blank = len(text) - len(text.lstrip(b"\r\n"))
    if not text.strip():
        raise EmptyFileError("the file has no text in it.", where=str(path), hint="Was the export interrupted?")
    _check_is_text(path, text)
    if delimiter is None:
        delimiter = _guess_delimiter(text[blank:])
    end = _row_end(text, blank)
    header = text[blank:end]
    names = next(csv.reader(io.StringIO(_decoded(path, header).strip("\r\n"), newline=""), delimiter=delimiter))
    _check_names(path, names)
    if not text[end:].strip(b"\r\n"):
        raise HeaderOnlyError(
            f"the file has a header of {len(names)} columns and no rows.",
            where=str(path),
            hint="Export it again with its rows.",
        )
    named = tuple(n if n else f"column_{i + 1}" for i, n in enumerate(names))
    return Layout(path, encoding, delimiter, named, end, text[:end].count(b"\n"))


def _first_block(path: Path, encoding: str) -> bytes:
    return next(utf8_chunks(path, encoding, FIRST_BYTES), b"")


def _checked_encoding(path: Path, encoding: str) -> str:
    try:
        name = codecs.lookup(encoding).name
    except LookupError:
        raise UndecodableError(
            f"there is no encoding {encoding!r}.", where=str(path), hint="Try utf-8, cp1252, latin-1 or utf-16."
        ) from None
    # A mark at the beginning is not part of the first column's name, whether it was announced or not.
    return "utf-8-sig" if name == "utf-8" else name


def _guess_encoding(start: bytes) -> str:
    """By the mark at the beginning; otherwise UTF-8, until bytes are met that are not (see `plausible_cp1252`)."""
    for mark, name in _MARKS:
        if start.startswith(mark):
            return name
    return "utf-8-sig"


def _not_text(path: Path) -> NotATableError:
    return NotATableError(
        "this is not a table in text: it holds bytes that no text has.",
        where=str(path),
        hint="Give a CSV, Parquet, SPSS, Stata or SAS file with its usual ending.",
    )


def _check_is_text(path: Path, text: bytes) -> None:
    if _NOT_TABLES.match(text.lstrip()):
        raise NotATableError(
            "this is not a delimited table: it begins like another kind of file (HTML, XML, JSON, PDF, an archive).",
            where=str(path),
            hint="Export the table as CSV, or give the file its own ending (.parquet, .sav, .dta, .sas7bdat).",
        )
    sample = np.frombuffer(text[:_SAMPLE_BYTES], np.uint8)
    controls = (sample < 32) & ~np.isin(sample, [9, 10, 12, 13])
    # A stray control character happens in exports; of random bytes one in nine is one.
    if controls.mean() > 0.05:
        raise _not_text(path)


def utf8_chunks(path: Path, encoding: str, first: int = BLOCK_BYTES) -> Iterator[bytes]:
    """The file as pieces of UTF-8, not cut at rows yet."""
    with path.open("rb") as file:
        size = first
        if encoding == "utf-8-sig":
            start = file.read(len(codecs.BOM_UTF8))
            chunk = (b"" if start == codecs.BOM_UTF8 else start) + file.read(size)
            # Old Macintosh files end lines in a carriage return alone; they are small, so they are read whole.
            if b"\r" in chunk and b"\n" not in chunk:
                chunk = (chunk + file.read()).replace(b"\r", b"\n")
            while chunk:
                yield chunk
                chunk = file.read(BLOCK_BYTES)
            return
        decoder = codecs.getincrementaldecoder(encoding)()
        while raw := file.read(size):
            size = BLOCK_BYTES
            yield _transcoded(path, decoder, raw, final=False)
        yield _transcoded(path, decoder, b"", final=True)


def _transcoded(path: Path, decoder: codecs.IncrementalDecoder, raw: bytes, final: bool) -> bytes:
    try:
        return decoder.decode(raw, final).encode("utf-8")
    except UnicodeError:
        raise undecodable(path) from None


def undecodable(path: Path) -> UndecodableError:
    return UndecodableError(
        "the file holds bytes that are not text in the encoding tried.",
        where=str(path),
        hint="Name the encoding (--encoding cp1252, latin-1, utf-16, shift_jis …), or export the file as UTF-8.",
    )


def _decoded(path: Path, raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise undecodable(path) from None


def plausible_cp1252(path: Path) -> bool:
    """Whether a file that is not UTF-8 reads as Western European text: high bytes mostly beside ASCII letters.

    Cyrillic, Greek or Japanese text in older encodings has high bytes beside high bytes, and is refused.
    """
    high = beside = 0
    undefined = np.isin(np.arange(256), [0x81, 0x8D, 0x8F, 0x90, 0x9D])
    undefined |= (np.arange(256) < 32) & ~np.isin(np.arange(256), [9, 10, 12, 13])
    letters = np.array([chr(b).isalnum() or chr(b) in ' ,;\t"' if b < 128 else False for b in range(256)])
    with path.open("rb") as file:
        while raw := file.read(BLOCK_BYTES):
            data = np.frombuffer(raw, np.uint8)
            if undefined[data].any():
                return False
            is_high, is_letter = data >= 128, letters[data]
            near = np.zeros(len(data), dtype=bool)
            near[1:] |= is_letter[:-1]
            near[:-1] |= is_letter[1:]
            high += int(is_high.sum())
            beside += int((is_high & near).sum())
    # Nine in ten: words such as "naïve", "Łódź" in Latin letters keep well above, other scripts stay below a half.
    return high > 0 and beside >= 0.9 * high


def _guess_delimiter(text: bytes) -> str:
    """The delimiter that cuts the first rows into the same number of fields; the most fields win. Quote-aware."""
    sample = text[:_SAMPLE_BYTES]
    if len(text) > len(sample) and b"\n" in sample:
        sample = sample[: sample.rindex(b"\n") + 1]
    decoded = sample.decode("utf-8", errors="replace")
    best, best_score = ",", (0.0, 0)
    for delimiter in _DELIMITERS:
        rows = csv.reader(io.StringIO(decoded, newline=""), delimiter=delimiter)
        lengths = [len(row) for row, _ in zip(rows, range(_SAMPLE_ROWS), strict=False) if row]
        if not lengths or lengths[0] < 2:
            continue
        usual = Counter(lengths).most_common(1)[0][0]
        agreeing = sum(n == lengths[0] for n in lengths) / len(lengths)
        if usual < 2:
            continue
        score = (round(agreeing, 2), lengths[0])
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _check_names(path: Path, names: list[str]) -> None:
    counts = Counter(n for n in names if n)
    twice = [n for n, count in counts.items() if count > 1]
    if twice:
        places = [[str(i + 1) for i, n in enumerate(names) if n == name] for name in twice]
        # A file without a header has data in its first row: names that are numbers are not repeated here.
        shown = [
            f"columns {' and '.join(p)}" + ("" if any(c.isdigit() for c in n[:1]) else f" ({n!r})")
            for n, p in zip(twice, places, strict=True)
        ]
        raise DuplicateColumnsError(
            f"column names must differ, but these have the same: {'; '.join(shown[:5])}.",
            where=str(path),
            hint="Rename them in the first row. If the file has no header, add one.",
        )


def _row_end(text: bytes, start: int) -> int:
    """Where the row that begins at `start` ends: behind the first newline outside quotes."""
    end, quotes = start, 0
    while True:
        newline = text.find(b"\n", end)
        if newline < 0:
            return len(text)
        quotes += text.count(b'"', end, newline)
        end = newline + 1
        if quotes % 2 == 0:
            return end


def _check_quotes(layout: Layout) -> None:
    """Raise where a quoted field is never closed: the rest of the file would be taken for its text.

    Called where the number of quotes is odd, which a quote inside an unquoted field (5" pipe) may explain as well.
    """
    rows = csv.reader(_lines(layout), delimiter=layout.delimiter, strict=True)
    last = 0
    try:
        for _ in rows:
            last = rows.line_num
    except csv.Error as error:
        # The other complaint is about text behind a closing quote, which pyarrow takes as it is.
        if "unexpected end" in str(error) or "field limit" in str(error):
            line = layout.header_lines + last + 1
            raise NotATableError(
                f"a quote opened in the row that begins in line {line:,} is never closed.",
                where=str(layout.path),
                hint="Close it, or double it where it is part of the text.",
            ) from None


def _lines(layout: Layout) -> Iterator[str]:
    """The lines below the header, with their ends."""
    skip, rest = layout.header_bytes, b""
    for chunk in utf8_chunks(layout.path, layout.encoding, FIRST_BYTES):
        lines = (rest + chunk[skip:]).split(b"\n")
        skip, rest = 0, lines.pop()
        for line in lines:
            yield line.decode("utf-8", errors="replace") + "\n"
    if rest:
        yield rest.decode("utf-8", errors="replace")


def _last_row_end(block: bytes) -> int:
    """Behind the last newline that has an even number of quotes before it; 0 where there is none."""
    quotes = int(np.count_nonzero(np.frombuffer(block, np.uint8) == 34))
    end = len(block)
    while True:
        newline = block.rfind(b"\n", 0, end)
        if newline < 0:
            return 0
        quotes -= block.count(b'"', newline, end)
        if quotes % 2 == 0:
            return newline + 1
        end = newline
