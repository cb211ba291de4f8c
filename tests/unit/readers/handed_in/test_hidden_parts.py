"""What a workbook or a document does not show is found with its place, and never repeated."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from divulge.readers.handed_in.candidates.vocabulary import Vocabulary
from divulge.readers.handed_in.finds import Find, find_in
from divulge.readers.handed_in.sheets import open_document
from tests.support.handed_in import document, workbook

USER = "C:\\Use" + "rs\\jdoe"


def finds(path: Path) -> list[Find]:
    return list(find_in(open_document(path), Vocabulary()))


def rewritten(path: Path, **parts: str) -> Path:
    """A packed file with some of its parts exchanged; a double underscore stands for a slash, one for a dot."""
    with zipfile.ZipFile(path) as archive:
        held = {n: archive.read(n).decode() for n in archive.namelist()}
    held |= {name.replace("__", "/").replace("_", "."): text for name, text in parts.items()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in held.items():
            archive.writestr(name, text)
    return path


STYLES = (
    '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="{code}"/></numFmts><fonts><font/><font>{font}</font>'
    '</fonts><fills><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>'
    '<fill><patternFill patternType="solid">{fill}</patternFill></fill></fills>'
    '<cellXfs><xf/><xf numFmtId="{number}" fontId="1" fillId="{fill_id}"/></cellXfs></styleSheet>'
)
SHEET = (
    '<worksheet>{cols}<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>town</t></is></c></row>'
    '<row r="2"{row}><c r="A2" t="inlineStr"><is><t>Bath</t></is></c><c r="B2" s="1"><v>4711</v></c></row>'
    "</sheetData></worksheet>"
)


def styled(folder: Path, code: str = "0", font: str = "", fill: str | None = None, **of_sheet: str) -> Path:
    """A workbook whose cell B2 has a number format, the colour of a font and the colour of a fill."""
    path = workbook(folder / "t.xlsx", {"A1": "town"})
    styles = STYLES.format(code=code, number="170", font=font, fill=fill or "", fill_id="0" if fill is None else "2")
    sheet = SHEET.format(**{"cols": "", "row": "", **of_sheet})
    return rewritten(path, xl__styles_xml=styles, xl__worksheets__sheet1_xml=sheet)


PAINTED = Find("a cell of sheet 'Table' written in the colour of the background, B2", 2)


@pytest.mark.parametrize(
    ("font", "fill", "is_found"),
    [
        ('<color rgb="FFFFFFFF"/>', None, True),
        ('<color rgb="FFFEFEFE"/>', None, True),
        ('<color theme="0"/>', None, True),
        ('<color indexed="9"/>', None, True),
        ('<color rgb="FF1F4E78"/>', '<fgColor rgb="FF1F4E78"/>', True),
        ("", '<fgColor rgb="FF000000"/>', True),
        ('<color theme="0"/>', '<fgColor theme="0" tint="-0.5"/>', False),
        ('<color rgb="FFFFFFFF"/>', '<fgColor rgb="FF1F4E78"/>', False),
        ('<color rgb="FF808080"/>', None, False),
        ("", None, False),
    ],
)
def test_text_in_the_colour_of_its_cell_is_found(font: str, fill: str | None, is_found: bool, tmp_path: Path) -> None:
    found = finds(styled(tmp_path, font=font, fill=fill))
    assert (PAINTED in found) is is_found
    assert "4711" not in str(found)


def test_white_heads_of_a_table_with_a_style_are_no_secret(tmp_path: Path) -> None:
    path = styled(tmp_path, font='<color rgb="FFFFFFFF"/>')
    sheet = SHEET.format(cols="", row="").replace("</worksheet>", "<tableParts><tablePart/></tableParts></worksheet>")
    link = '<Relationships><Relationship Type="x/table" Target="../tables/table1.xml"/></Relationships>'
    parts = {"xl/worksheets/_rels/sheet1.xml.rels": link, "xl/tables/table1.xml": '<table ref="A2:B4"/>'}
    rewritten(path, xl__worksheets__sheet1_xml=sheet)
    assert PAINTED in finds(path)
    with zipfile.ZipFile(path, "a") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    assert PAINTED not in finds(path)


@pytest.mark.parametrize(
    ("code", "is_found"),
    [
        (";;;", True),
        (";;", True),
        ("&quot;&quot;;&quot;&quot;", True),
        (";-0", True),
        ("0;-0;;@", False),
        ("0.0", False),
        ("&quot;none&quot;;;", False),
    ],
)
def test_a_number_that_its_format_does_not_show_is_found(code: str, is_found: bool, tmp_path: Path) -> None:
    told = Find("a cell of sheet 'Table' that the format shows as nothing, B2", 2)
    assert (told in finds(styled(tmp_path, code=code))) is is_found


@pytest.mark.parametrize(
    ("given", "told", "line"),
    [
        ({"row": ' hidden="1"'}, "row 2; 2 filled cells", 2),
        ({"row": ' ht="0" customHeight="1"'}, "row 2; 2 filled cells", 2),
        ({"cols": '<cols><col min="2" max="3" hidden="1"/></cols>'}, "columns B–C; 1 filled cells", 0),
        ({"cols": '<cols><col min="5" max="16384" hidden="true"/></cols>'}, "columns E–XFD; all empty", 0),
    ],
)
def test_hidden_rows_and_columns_are_told_by_their_place(
    given: dict[str, str], told: str, line: int, tmp_path: Path
) -> None:
    assert Find(f"hidden rows or columns in sheet 'Table': {told}", line) in finds(styled(tmp_path, **given))


def test_a_very_hidden_sheet_is_told_apart(tmp_path: Path) -> None:
    (found,) = finds(workbook(tmp_path / "t.xlsx", {"A1": "a", "B1": 3}, "veryHidden"))
    assert found.what == "a very hidden sheet, which the menu does not offer, 'Table'"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (f"'{USER}\\[b.xlsx]S'!$A$1", "a path with the name of a user or a server, in a defined name"),
        ("'Z:\\trial\\[b.xlsx]S'!$A$1", "a path, in a defined name"),
        ("&quot;j.doe@example.org&quot;", "an e-mail address, in a defined name"),
        ("Table!$A$1:$B$4", None),
    ],
)
def test_a_defined_name_with_a_path_or_an_address_is_found(text: str, what: str | None, tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", {"A1": "a", "B1": 3})
    book = zipfile.ZipFile(path).read("xl/workbook.xml").decode()
    names = f'<definedNames><definedName name="x" hidden="1">{text}</definedName></definedNames></workbook>'
    found = finds(rewritten(path, xl__workbook_xml=book.replace("</workbook>", names)))
    assert [f.what for f in found] == ([what] if what else [])
    assert "jdoe" not in str(found)


def linked(path: Path, part: str, kind: str, target: str) -> Path:
    link = f'<Relationships><Relationship Type="x/{kind}" Target="{target}" TargetMode="External"/></Relationships>'
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(part, link)
    return path


def test_a_link_to_another_workbook_is_found_with_its_path(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", {"A1": "a", "B1": 3})
    part = "xl/externalLinks/_rels/externalLink1.xml.rels"
    found = [f.what for f in finds(linked(path, part, "externalLinkPath", f"file:///{USER}\\b.xlsx"))]
    assert "a path with the name of a user or a server, in a link" in found
    assert "links to other files, with copies of their cells" in found


@pytest.mark.parametrize(
    ("kind", "target", "told"),
    [
        ("attachedTemplate", f"file:///{USER}\\Normal.dotm", ["a path with the name of a user or a server, in a link"]),
        ("hyperlink", "mailto:j.doe@example.org", ["an e-mail address, in a link"]),
        ("hyperlink", "https://example.org/paper", []),
        ("image", "https://example.org/a.png", ["links to other files"]),
    ],
)
def test_links_of_a_document_are_looked_at(kind: str, target: str, told: list[str], tmp_path: Path) -> None:
    path = document(tmp_path / "t.docx", "<w:p><w:r><w:t>kept</w:t></w:r></w:p>")
    found = finds(linked(path, "word/_rels/document.xml.rels", kind, target))
    assert sorted(f.what for f in found) == told


@pytest.mark.parametrize(
    ("part", "place"),
    [
        ("word/header1.xml", "a header"),
        ("word/footer2.xml", "a footer"),
        ("word/footnotes.xml", "a footnote"),
        ("word/endnotes.xml", "an endnote"),
        ("word/comments.xml", "a comment"),
    ],
)
def test_a_name_and_an_address_beside_the_text_are_found_in_their_place(part: str, place: str, tmp_path: Path) -> None:
    path = document(tmp_path / "t.docx", "<w:p><w:r><w:t>kept</w:t></w:r></w:p>")
    runs = "<w:r><w:t>Prepared by Jane </w:t></w:r><w:r><w:t>Doe</w:t><w:tab/><w:t>j.doe@example.org</w:t></w:r>"
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(part, f"<w:x xmlns:w='w'><w:p>{runs}</w:p></w:x>")
    found = finds(path)
    assert {Find(f"{w}, in {place}", 0) for w in ("the name of a person", "an e-mail address")} <= set(found)
    assert "Doe" not in str(found)


def test_a_text_box_is_read_apart_and_once(tmp_path: Path) -> None:
    box = "<w:txbxContent><w:p><w:r><w:t>Contact: Jane Doe, room 4</w:t></w:r></w:p></w:txbxContent>"
    both = (
        f"<m:AlternateContent xmlns:m='m'><m:Choice>{box}</m:Choice><m:Fallback>{box}</m:Fallback></m:AlternateContent>"
    )
    path = document(tmp_path / "t.docx", f"<w:p/><w:p><w:r><w:t>See</w:t></w:r><w:r>{both}</w:r></w:p>")
    assert finds(path) == [Find("the name of a person", 2)]
    assert [b.texts for b in open_document(path).blocks] == [("",), ("See",), ("Contact: Jane Doe, room 4",)]


@pytest.mark.parametrize(
    ("named", "value", "what"),
    [
        ("_AuthorEmail", "j.doe@example.org", "an e-mail address, in a custom property"),
        ("_AuthorEmailDisplayName", "Doe, Jane", "the name of a person, in the properties of the file"),
        ("Checked by", "Jane Doe", "the name of a person, in the properties of the file"),
        ("Label", "Official Sensitive", None),
    ],
)
def test_a_custom_property_is_looked_at(named: str, value: str, what: str | None, tmp_path: Path) -> None:
    path = document(tmp_path / "t.docx", "<w:p><w:r><w:t>kept</w:t></w:r></w:p>")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(
            "docProps/custom.xml", f'<Properties><property name="{named}"><v>{value}</v></property></Properties>'
        )
    assert [f.what for f in finds(path)] == ([what] if what else [])


@pytest.mark.parametrize(
    ("paragraph", "is_found"),
    [
        ("<w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r>", True),
        ('<w:pPr><w:pStyle w:val="Off"/></w:pPr><w:r><w:t>secret</w:t></w:r>', True),
        ('<w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>shown</w:t></w:r>', False),
        ("<w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr><w:r><w:t>shown</w:t></w:r>", False),
    ],
)
def test_hidden_text_is_found_on_its_line(paragraph: str, is_found: bool, tmp_path: Path) -> None:
    path = document(tmp_path / "t.docx", f"<w:p/><w:p/><w:p>{paragraph}</w:p>")
    base = '<w:style w:styleId="Gone"><w:rPr><w:vanish/></w:rPr></w:style>'
    styles = f'<w:styles xmlns:w="w">{base}<w:style w:styleId="Off"><w:basedOn w:val="Gone"/></w:style></w:styles>'
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("word/styles.xml", styles)
    assert (Find("hidden text", 3) in finds(path)) is is_found


def test_a_broken_part_beside_the_text_is_unread_and_the_rest_is_read(tmp_path: Path) -> None:
    path = document(tmp_path / "t.docx", "<w:p><w:r><w:t>kept</w:t></w:r></w:p>")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("word/footnotes.xml", "<w:f")
    read = open_document(path)
    assert [b.texts for b in read.blocks] == [("kept",)]
    assert read.unread == ("its part word/footnotes.xml is broken",)
