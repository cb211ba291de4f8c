"""What a file holds beside what its viewer shows is said to whoever would approve of it."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from pathlib import Path

import pytest

from divulge.ledger import workflow
from divulge.ledger.proposals import Proposal
from divulge.web.hidden import find_hidden
from tests.support.service import OUTPUT, Service
from tests.web.test_pictures import pdf, png

ROWS = b"AGE,SEX,name\n" + b"40,F,Zebedee\n" * 50


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def _zipped(parts: dict[str, bytes], comment: bytes = b"") -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {"[Content_Types].xml": b"<Types/>", **parts}.items():
            archive.writestr(name, content)
        archive.comment = comment
    return packed.getvalue()


PLAIN_SHEET = b'<worksheet><sheetData><row r="1"><c><v>26</v></c></row></sheetData></worksheet>'
BOOK = b'<workbook><sheets><sheet name="Table" sheetId="1"/></sheets></workbook>'
JPEG = b"\xff\xd8\xff\xe0\x00\x04JF\xff\xda\x00\x04\x00\x00abc\xff\x00def\xff\xd9"

HIDING: dict[str, tuple[bytes, str]] = {
    "bytes after a picture": (png() + ROWS, "bytes follow after its end"),
    "a note in a picture": (png()[:33] + _chunk(b"tEXt", b"Title\0Zebedee") + png()[33:], "Title: Zebedee"),
    "a folded note": (png()[:33] + _chunk(b"zTXt", b"T\0\0" + zlib.compress(ROWS)) + png()[33:], "T: AGE,SEX,name"),
    "a chunk of one's own": (png()[:33] + _chunk(b"prIv", ROWS) + png()[33:], "draw nothing"),
    "bytes after a photograph": (JPEG + ROWS, "bytes follow after its end"),
    "a comment in a photograph": (JPEG[:2] + b"\xff\xfe\x00\x09Zebedee" + JPEG[2:], "bytes of notes"),
    "bytes after a PDF": (pdf() + ROWS, "bytes follow after its end"),
    "a hidden sheet": (
        _zipped({"xl/workbook.xml": BOOK.replace(b"/></", b'/><sheet state=\'x\' state="veryHidden" name="S"/></')}),
        "1 hidden sheet",
    ),
    "hidden rows": (
        _zipped({"xl/worksheets/sheet1.xml": PLAIN_SHEET.replace(b"<row ", b'<row hidden="1" ')}),
        "1 hidden row",
    ),
    "rows behind a pivot table": (_zipped({"xl/pivotCache/pivotCacheRecords1.xml": ROWS}), "rows behind a pivot table"),
    "comments in a workbook": (_zipped({"xl/comments1.xml": ROWS}), "comments"),
    "a file in a document": (_zipped({"word/embeddings/data.xlsx": ROWS}), "another file embedded"),
    "hidden text": (_zipped({"word/document.xml": b"<w:rPr><w:vanish/></w:rPr>Zebedee"}), "hidden text"),
    "what was deleted": (_zipped({"word/document.xml": b"<w:del w:id='1'>Zebedee</w:del>"}), "deleted piece"),
    "a comment of an archive": (_zipped({"a.txt": b"x"}, comment=b"Zebedee"), "comment of 7 bytes"),
    "a comment in a page": (b"<html><!-- Zebedee --><p>26</p></html>", "comments that are not shown"),
    "data of a drawing": (b"<html><script>data=[1,2,3]</script></html>", "script, which may hold data"),
    "invisible text": (b'<svg><text style="display:none">Zebedee</text></svg>', "styled as invisible"),
    "a folded file": (b'<svg><image href="data:text/plain;base64,WmViZWRlZQ=="/></svg>', "folded into addresses"),
    "characters without a shape": ("26 people\u200b\u200c\u200b".encode(), "3 characters that nobody sees"),
    "blanks at the ends of lines": (b"".join(b"26" + b" " * (i % 9) + b"\n" for i in range(99)), "blanks"),
}


@pytest.mark.parametrize("what", HIDING)
def test_what_is_not_shown_is_said(what: str, tmp_path: Path) -> None:
    content, words = HIDING[what]
    path = tmp_path / "file"
    path.write_bytes(content)
    assert words in " ".join(find_hidden(path)), what


HARMLESS = {
    "a picture": png(),
    "a photograph": JPEG,
    "a PDF": pdf(),
    "a workbook": _zipped({"xl/workbook.xml": BOOK, "xl/worksheets/sheet1.xml": PLAIN_SHEET}),
    "a page": b"<html><body><p>26 people</p></body></html>",
    "a log": b". tab sex\n\n  Female |   26   50.0\n  Male   |   26   50.0  \n",
    "a log with colours": b"\x1b[32mok\x1b[0m\n",
    "nothing": b"",
    "something else": b"\x00\x01\x02",
}


@pytest.mark.parametrize("what", HARMLESS)
def test_nothing_is_said_of_files_that_hide_nothing(what: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(HARMLESS[what])
    assert find_hidden(path) == []


@pytest.mark.parametrize("cut", range(0, 120, 7))
def test_broken_files_are_no_failure(cut: int, tmp_path: Path) -> None:
    path = tmp_path / "file"
    for content, _ in HIDING.values():
        path.write_bytes(content[: len(content) * cut // 120])
        find_hidden(path)


def test_checker_reads_it_above_the_picture(service: Service) -> None:
    with service.ledger.writing() as session:
        blob = service.ledger.store.put(png() + ROWS)
        proposal = Proposal("T", [dict(OUTPUT)], others=[("plot.png", blob, "Figure 1.")])
        made = workflow.submit(session, service.ids["rosa"], service.project, service.dataset, proposal)
        address = f"/submissions/{made.id}/files/{made.uploads[0].id}/view"
    page = service.client("chloe").get(address).text
    assert "There is more in this file than is shown here." in page
    assert f"{len(ROWS):,} bytes follow after its end" in page
