"""Files become lines and grids; what cannot be read says why, and nothing is ever executed."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path

import pytest

from divulge.readers.handed_in.folder import read_folder
from divulge.readers.handed_in.sheets import Grid, Lines, open_document
from divulge.readers.handed_in.sheets import text as plain_text
from divulge.readers.handed_in.sheets.formats import shown
from divulge.readers.handed_in.sheets.latex import _plain as plain_latex
from divulge.readers.handed_in.sheets.smcl import _plain as plain_smcl
from tests.support.handed_in import document, table, word_table, workbook


def grids(path: Path) -> list[Grid]:
    return [b for b in open_document(path).blocks if isinstance(b, Grid)]


def test_zip_bomb_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "t.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", b"0" * 5_000_000)
    assert "zip bomb" in str(open_document(tmp_path / "t.xlsx").reason)


def test_xml_entities_are_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "t.docx", "w") as archive:
        archive.writestr("word/document.xml", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')
    assert "entities" in str(open_document(tmp_path / "t.docx").reason)


@pytest.mark.parametrize("name", ["t.xlsx", "t.docx", "t.odt"])
def test_broken_archive_says_so(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"PK\x03\x04 and no more")
    assert open_document(tmp_path / name).reason == "a broken archive"


@pytest.mark.parametrize(
    ("name", "word"), [("a.png", "picture"), ("a.rds", "R objects"), ("a.pkl", "run code"), ("a.svg", "points")]
)
def test_what_is_never_opened_is_listed_with_its_reason(name: str, word: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"\x80\x04")
    assert word in str(open_document(tmp_path / name).reason)


def test_hidden_sheet_is_remarked_on(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", {"A1": "a", "B1": 3, "A2": "b", "B2": 4}, state="hidden")
    assert "a hidden sheet, 'Table'" in [r.what for r in open_document(path).remarks]


def test_tracked_changes_are_remarked_on_and_deleted_text_is_not_read(tmp_path: Path) -> None:
    body = "<w:p><w:del><w:r><w:t>secret</w:t></w:r></w:del><w:r><w:t>kept</w:t></w:r></w:p>"
    found = open_document(document(tmp_path / "t.docx", body))
    assert any("tracked changes" in r.what for r in found.remarks)
    assert [t for b in found.blocks if isinstance(b, Lines) for t in b.texts] == ["kept"]


def test_word_table_knows_the_lines_around_it(tmp_path: Path) -> None:
    title = "<w:p><w:r><w:t>Table 1</w:t></w:r></w:p>"
    (grid,) = grids(document(tmp_path / "t.docx", title + word_table([["a", "b"], ["1", "2"]])))
    assert grid.before == ("Table 1",)
    assert [r.cells for r in grid.rows] == [("a", "b"), ("1", "2")]


def test_text_that_is_not_utf_8_is_read_and_remarked_on(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_bytes("Männer 3".encode("cp1252"))
    found = open_document(tmp_path / "t.txt")
    assert [b.texts for b in found.blocks if isinstance(b, Lines)] == [("Männer 3",)]
    assert "Windows-1252" in found.remarks[0].what


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "t.log").write_bytes(b"\x00\x01" * 100)
    assert "not text" in str(open_document(tmp_path / "t.log").reason)


def test_long_log_is_read_in_parts_that_keep_their_line_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain_text, "WHOLE", 100)
    monkeypatch.setattr(plain_text, "PART", 10)
    (tmp_path / "t.log").write_text(
        "\n".join("" if i % 5 == 4 else f"line {i + 1}" for i in range(40)), encoding="utf-8"
    )
    blocks = [b for b in open_document(tmp_path / "t.log").blocks if isinstance(b, Lines)]
    assert len(blocks) > 2
    told = {b.line(i): t for b in blocks for i, t in enumerate(b.texts)}
    assert told[32] == "line 32"


def test_line_without_end_is_read_as_far_as_it_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_text, "WHOLE", 100)
    monkeypatch.setattr(plain_text, "LONGEST", 50)
    (tmp_path / "t.log").write_text("a" * 1000 + "\nthe second line\n", encoding="utf-8")
    (block,) = open_document(tmp_path / "t.log").blocks
    assert isinstance(block, Lines)
    assert block.texts == ("a" * 50, "the second line")


def test_long_text_that_is_not_utf_8_is_read_and_remarked_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_text, "WHOLE", 10)
    (tmp_path / "t.log").write_bytes("Größe und Länge\n".encode("cp1252") * 3)
    document = open_document(tmp_path / "t.log")
    assert "Windows-1252" in document.remarks[0].what
    (block,) = document.blocks
    assert isinstance(block, Lines)
    assert block.texts[0] == "Größe und Länge"
    (tmp_path / "u.log").write_bytes("Größe\n".encode("utf-16") * 1)
    (block,) = open_document(tmp_path / "u.log").blocks
    assert isinstance(block, Lines)
    assert block.texts == ("Größe",)


def test_spanned_cells_of_a_page_keep_their_columns(tmp_path: Path) -> None:
    (tmp_path / "t.html").write_text(
        "<table><tr><th></th><th colspan=2>sex</th></tr><tr><td>a</td><td>1</td><td>2</td></tr></table>",
        encoding="utf-8",
    )
    (grid,) = grids(tmp_path / "t.html")
    assert grid.rows[0].cells == ("", "sex", "")
    assert grid.spans[0] == (1, 2, 0)


def test_scripts_and_styles_of_a_page_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "t.html").write_text("<script>alert(1)</script><style>p{}</style><p>said</p>", encoding="utf-8")
    assert [b.texts for b in open_document(tmp_path / "t.html").blocks if isinstance(b, Lines)] == [("said",)]


def test_latex_numbers_cut_at_the_decimal_point_are_joined(tmp_path: Path) -> None:
    (tmp_path / "t.tex").write_text(
        "\\begin{tabular}{lr@{.}l}\n a & $-$1&25 \\\\\n b & 0&5 \\\\\n\\end{tabular}\n", encoding="utf-8"
    )
    (grid,) = grids(tmp_path / "t.tex")
    assert [r.cells for r in grid.rows] == [("a", "-1.25"), ("b", "0.5")]


def test_notebook_cells_are_read_in_order_and_never_run(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "code", "source": ["raise SystemExit"], "outputs": [{"output_type": "stream", "text": ["a 1\n"]}]}
    ]
    (tmp_path / "t.ipynb").write_text(json.dumps({"cells": cells}), encoding="utf-8")
    assert [t for b in open_document(tmp_path / "t.ipynb").blocks if isinstance(b, Lines) for t in b.texts] == [
        ">>> raise SystemExit",
        "a 1",
        "",
    ]


def test_smcl_draws_rules_columns_and_characters() -> None:
    assert plain_smcl("{txt}price {c |}{col 10}{res}{ralign 6:74}") == "price |      74"
    assert plain_smcl("{hline 4}{c +}{hline 3}") == "----+---"
    assert plain_smcl("{c -(}a{c )-}") == "{a}"


@pytest.mark.parametrize(
    ("value", "code", "told"),
    [
        ("0.1234", "0.0%", "12.3%"),
        ("1234.5", "4", "1,234.50"),
        ("3", "", "3"),
        ("0.5", "General", "0.5"),
        ("12", "0.00E+00", "1.20E+01"),
    ],
)
def test_numbers_are_shown_as_their_format_shows_them(value: str, code: str, told: str) -> None:
    assert shown(value, code) == told


def test_latex_commands_are_taken_out_of_cells() -> None:
    assert plain_latex(r"\textbf{0.5}$^{***}$") == "0.5***"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("print('Table: town', ',N', 'York,7', sep='\\n', file=open(sys.argv[3], 'w'))", None),
        ("sys.exit(1)", "damaged"),
    ],
)
def test_viewer_file_is_read_by_the_tool_of_pspp(
    body: str, said: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "pspp-output"
    tool.write_text(f"#!{sys.executable}\nimport sys\n{body}\n", encoding="utf-8")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "out.spv").write_bytes(b"PK")
    found = open_document(tmp_path / "out.spv")
    if said is not None:
        assert said in str(found.reason)
    else:
        assert [row.cells for b in found.blocks if isinstance(b, Grid) for row in b.rows] == [("", "N"), ("York", "7")]


def test_viewer_file_without_the_tool_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "out.spv").write_bytes(b"PK")
    assert "install PSPP" in str(open_document(tmp_path / "out.spv").reason)


def test_outputs_beyond_the_first_hundreds_are_listed_as_not_read(tmp_path: Path) -> None:
    file = tmp_path / "loop.Rout"
    file.write_text("> mean(d$age)\n[1] 45.2\n" * 600)
    (read,) = read_folder(file, table()).files
    assert len(read.readings) == 500
    assert [u for u in read.unread if "after line 1000 no output was read" in u], read.unread
    assert read.status == "not confirmed"
    assert read.left[0][:2] == (1002, 1002)


def test_stretches_beyond_those_listed_are_said(tmp_path: Path) -> None:
    file = tmp_path / "steps.txt"
    file.write_text("weights 1.5 2.5 7.25\n\nand so on\n\n" * 80)
    (read,) = read_folder(file, table()).files
    assert len(read.left) == 50
    assert read.left[-1][2].endswith("more follow that are not listed")


def test_file_that_takes_too_long_is_read_up_to_a_line_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("divulge.readers.handed_in.folder._LONGEST_READ", 0.0)
    monkeypatch.setattr("divulge.readers.handed_in.folder._ALWAYS_COMPARED", 1)
    file = tmp_path / "long.Rout"
    # A table in a box parts what is read together.
    file.write_text("> mean(d$age)\n[1] 45.2\n" * 10 + "| a | b |\n|---|---|\n| 1 | 2 |\n\n> mean(d$age)\n[1] 45.2\n")
    (read,) = read_folder(file, table()).files
    assert any("after line 20 no output was read" in u for u in read.unread)
    assert read.status == "not confirmed"
    assert "not compared with the data" in str(read.readings[-1].note)
    assert "not compared with the data" not in str(read.readings[0].note)
