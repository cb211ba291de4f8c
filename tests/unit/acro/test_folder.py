"""Folders of ACRO are read without trust: what is named must lie inside, and nothing is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from divulge.errors import AcroError, FileMissingError
from divulge.readers.acro import read_folder
from tests.support.acro_folders import contents, people, table_entry, write_folder


def _folder(tmp_path: Path, version: str = "1.0.2") -> Path:
    frame = people()
    table = pd.crosstab(frame.town, frame.sex)
    return write_folder(tmp_path / "out", {"output_0": table_entry(table, "a.crosstab(df.town, df.sex)")}, version)


def _change(folder: Path, **changes: Any) -> None:
    path = folder / "results.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["results"]["output_0"] |= changes
    path.write_text(json.dumps(document), encoding="utf-8")


@pytest.mark.parametrize("version", ["0.4.12", "1.0.2", "1.2.0"])
def test_folder_is_read_and_left_as_it_is(version: str, tmp_path: Path) -> None:
    path = _folder(tmp_path, version)
    before = contents(path)
    folder = read_folder(path)
    assert (folder.version, folder.threshold, folder.base) == (version, 10, 5)
    assert [(e.name, e.kind, e.method, e.is_intact) for e in folder.entries] == [
        ("output_0", "table", "crosstab", True)
    ]
    assert contents(path) == before


def test_changed_file_is_noticed(tmp_path: Path) -> None:
    path = _folder(tmp_path)
    (path / "output_0_0.csv").write_text("town,F,M\nBath,1,2\n", encoding="utf-8")
    assert read_folder(path).entries[0].is_intact is False


def test_file_without_checksum_is_neither_intact_nor_changed(tmp_path: Path) -> None:
    path = _folder(tmp_path)
    (path / "checksums" / "output_0_0.csv.txt").unlink()
    assert read_folder(path).entries[0].is_intact is None


@pytest.mark.parametrize(
    "name",
    ["../secret.csv", "a/../../secret.csv", "/etc/hostname", "..\\secret.csv", "C:\\secret.csv", "\\\\host\\x.csv", ""],
)
def test_file_outside_the_folder_is_rejected(name: str, tmp_path: Path) -> None:
    path = _folder(tmp_path)
    (tmp_path / "secret.csv").write_text("town,F\nBath,1\n", encoding="utf-8")
    _change(path, files=[{"name": name}])
    with pytest.raises(AcroError, match="is not inside the folder"):
        read_folder(path)


def test_link_out_of_the_folder_is_rejected(tmp_path: Path) -> None:
    path = _folder(tmp_path)
    (tmp_path / "secret.csv").write_text("town,F\nBath,1\n", encoding="utf-8")
    (path / "output_0_0.csv").unlink()
    (path / "output_0_0.csv").symlink_to(tmp_path / "secret.csv")
    with pytest.raises(AcroError, match="is not inside the folder"):
        read_folder(path)


def test_no_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileMissingError, match="no such folder"):
        read_folder(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "has results.json or outputs.json"),
        ("{", "this is not JSON"),
        ("[]", "a mapping is needed"),
        ("[" * 100_000, "this is not JSON"),
        ('{"version": 1, "results": {}}', "version and results are needed"),
        ('{"version": "0.3.1", "results": {}}', "ACRO 0.4 or later is needed"),
        ('{"version": "1.0.2", "results": {"a": {}}}', "an output has files"),
        ('{"version": "1.0.2", "results": {"a": {"files": [{}]}}}', "a file without a name"),
    ],
)
def test_what_acro_does_not_write_is_rejected(text: str | None, said: str, tmp_path: Path) -> None:
    path = _folder(tmp_path)
    if text is None:
        (path / "results.json").unlink()
    else:
        (path / "results.json").write_text(text, encoding="utf-8")
    with pytest.raises(AcroError, match=said):
        read_folder(path)
