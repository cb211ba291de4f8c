"""What a workbook or a document keeps beside what it shows is remarked on, each thing by its name."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from divulge.readers.handed_in.folder import read_folder
from divulge.readers.handed_in.sheets import open_document
from tests.support.handed_in import document, workbook


def remarks(path: Path) -> str:
    return "; ".join(r.what for r in open_document(path).remarks)


def with_part(path: Path, name: str, text: str = "<a/>") -> Path:
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(name, text)
    return path


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("xl/vbaProject.bin", "macros, which were not run"),
        ("xl/comments1.xml", "comments"),
        ("xl/threadedComments/threadedComment1.xml", "comments"),
        ("xl/embeddings/oleObject1.bin", "embedded files"),
        ("xl/charts/chart1.xml", "charts"),
        ("xl/media/image1.png", "pictures"),
        ("xl/pivotCache/pivotCacheRecords1.xml", "a pivot table with a copy of the rows behind it"),
        ("xl/externalLinks/externalLink1.xml", "links to other files"),
    ],
)
def test_part_of_a_workbook_is_remarked_on(part: str, said: str, tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", {"A1": "a", "B1": 3, "A2": "b", "B2": 4})
    assert said not in remarks(path)
    assert said in remarks(with_part(path, part))


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("word/vbaProject.bin", "macros, which were not run"),
        ("word/comments.xml", "comments"),
        ("word/embeddings/Microsoft_Excel_Worksheet.xlsx", "embedded workbooks or files"),
        ("word/media/image1.png", "pictures"),
    ],
)
def test_part_of_a_document_is_remarked_on(part: str, said: str, tmp_path: Path) -> None:
    path = document(tmp_path / "t.docx", "<w:p><w:r><w:t>kept</w:t></w:r></w:p>")
    assert said not in remarks(path)
    assert said in remarks(with_part(path, part))


@pytest.mark.parametrize(("text", "is_told"), [("Mean age 43.7 years", True), ("Page 3", False)])
def test_figures_of_a_footnote_are_remarked_on(text: str, is_told: bool, tmp_path: Path) -> None:
    path = document(tmp_path / "t.docx", "<w:p><w:r><w:t>kept</w:t></w:r></w:p>")
    with_part(path, "word/footnotes.xml", f"<w:f xmlns:w='w'><w:t>{text}</w:t></w:f>")
    assert ("footnotes" in remarks(path)) is is_told


def test_hidden_text_of_a_document_is_remarked_on(tmp_path: Path) -> None:
    body = "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r></w:p>"
    assert "hidden text" in remarks(document(tmp_path / "t.docx", body))


@pytest.mark.parametrize(("stored", "is_told"), [("12.345678", True), ("12.3", False)])
def test_digits_that_a_cell_keeps_and_does_not_show_are_remarked_on(stored: str, is_told: bool, tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", {"A1": "a", "B1": 3})
    styles = (
        '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="0.0"/></numFmts>'
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs></styleSheet>'
    )
    sheet = (
        '<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c>'
        f'<c r="B1" s="1"><v>{stored}</v></c></row></sheetData></worksheet>'
    )
    source = zipfile.ZipFile(path).read("xl/workbook.xml"), zipfile.ZipFile(path).read("xl/_rels/workbook.xml.rels")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", source[0])
        archive.writestr("xl/_rels/workbook.xml.rels", source[1])
        archive.writestr("xl/styles.xml", styles)
        archive.writestr("xl/worksheets/sheet1.xml", sheet)
    assert ("keep more digits than they show" in remarks(path)) is is_told


@pytest.mark.parametrize("name", ["a.gph", "a.svg", "a.emf"])
def test_drawing_that_carries_its_points_is_listed(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"x")
    assert "points" in str(open_document(tmp_path / name).reason)


@pytest.mark.parametrize("command", [". list in 1/5", "> head(d)", ">>> print(df)", ">>> df.head()", "> View(d)"])
def test_command_that_prints_rows_is_found(command: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(command + "\n", encoding="utf-8")
    (found,) = read_folder(tmp_path, None).files
    assert [f.what for f in found.finds] == ["a command that prints rows of data"]
