"""What `inspect` shows and writes is safe to send: nothing that points at a person is in it."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from divulge.table import read_schema, read_table
from tests.support.running import divulge

N = 50_000
PART = 6


def _marked(tmp_path: Path) -> tuple[Path, list[str]]:
    """A file of 50,000 people with identifiers, names, comments and dates of their own, and all of these as texts."""
    rng = np.random.default_rng(24)  # any seed: the texts need to be long and different
    words = ["".join(rng.choice(list("bcdfghjklmnpqrstvwz"), 8)) for _ in range(400)]
    numbers = rng.permutation(N) + 73_914_205
    columns = {
        "ID": [str(n) for n in numbers],
        "CASE": [f"Q{n * 7 % 888_887 + 111_111}K" for n in range(N)],
        "NAME": [f"{words[i % 400].title()} {words[i // 400].title()}" for i in range(N)],
        "COMMENT": [" ".join(words[i % m] for m in (397, 389, 383, 379)) for i in range(N)],
        "BORN": [f"{1900 + i % 110}-{i % 12 + 1:02d}-{i % 28 + 1:02d}" for i in range(N)],
        "SEX": ["FM"[i % 2] for i in range(N)],
        "TOWN": ["Aldport" if i > 2 else words[i].title() for i in range(N)],
        "AGE": [str(i % 90) for i in range(N)],
        "INCOME": [str(20_000 + i % 900) if i else "987654" for i in range(N)],
    }
    path = tmp_path / "marked.csv"
    rows = [",".join(row) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join([",".join(columns), *rows, ""]), encoding="utf-8")
    marked = [t for name in ("ID", "CASE", "NAME", "COMMENT", "BORN") for t in columns[name]]
    return path, [*marked, *(words[i].title() for i in range(3)), "987654"]


def _parts(text: str) -> set[str]:
    return {text[i : i + PART] for i in range(len(text) - PART + 1)}


def _decoded(text: str) -> str:
    """What stands in a text as base64, from whichever letter it starts."""
    runs = re.findall(r"[A-Za-z0-9+/]{8,}", text)
    starts = (run[i : i + (len(run) - i) // 4 * 4] for run in runs for i in range(4))
    return "\n".join(base64.b64decode(part).decode("latin-1") for part in starts)


def test_base64_is_seen_through() -> None:
    hidden = base64.b64encode(b"xxQ111111Kyy").decode()
    assert "Q111111K" in _decoded(f"schema {hidden}; z{hidden}")


def test_nothing_of_50_000_people_is_in_the_schema_or_on_the_screen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, marked = _marked(tmp_path)
    saved, spec = tmp_path / "s.json", tmp_path / "a.yaml"
    assert divulge("inspect", path, "--save-schema", saved, "--marginals") == 0
    assert divulge("inspect", path, "--json") == 0
    assert divulge("new", spec, "--data", path, "--crosstab", "SEX,NAMEE") != 0
    assert divulge("new", spec, "--data", path, "--crosstab", "SEX,TOWN") == 0
    written = spec.read_text(encoding="utf-8")
    wrong = "  - {kind: means, variables: [INCOME], by: [NAME]}\n  - {kind: crosstab, variables: [SEX, ID]}\n"
    wrong += (
        "  - {kind: frequencies, variables: [COMMENT], where: BORN > 1}\n  - {kind: linear, formula: NAME ~ CASE}\n"
    )
    (tmp_path / "b.yaml").write_text(f"data: {path.name}\noutputs:\n{wrong}", encoding="utf-8")
    assert divulge("check", tmp_path / "b.yaml", "--no-time") != 0
    assert divulge("rules", tmp_path / "b.yaml") != 0
    shown = capsys.readouterr()
    said = saved.read_text(encoding="utf-8") + written + shown.out + shown.err
    assert "SEX" in said
    said = said.replace("2011-03-27", "")  # the day of our own examples, a census
    secret = set().union(*(_parts(text) for text in marked))
    for told in (said.replace(str(tmp_path), ""), _decoded(said.replace(str(tmp_path), ""))):
        assert sorted(_parts(told) & secret) == []


def test_schema_says_what_is_held_without_levels(tmp_path: Path) -> None:
    path, _ = _marked(tmp_path)
    saved = tmp_path / "s.json"
    assert divulge("inspect", path, "--save-schema", saved) == 0
    fields: dict[str, Any] = {f["name"]: f for f in json.loads(saved.read_text(encoding="utf-8"))["fields"]}
    assert [fields[n].get("holds") for n in ("ID", "CASE", "NAME", "COMMENT")] == [*["identifier"] * 3, "text"]
    assert (fields["BORN"]["type"], fields["BORN"]["format"]) == ("date", "%Y-%m-%d")
    assert not {"categories", "constraints"} & {key for n in ("ID", "NAME", "COMMENT", "BORN") for key in fields[n]}
    assert fields["TOWN"]["categories"] == ["Aldport"]
    assert fields["AGE"]["constraints"] == {"minimum": 0, "maximum": 89}
    assert fields["INCOME"]["constraints"] == {"minimum": 20000, "maximum": 1_000_000}
    again = read_table(path, read_schema(saved))
    assert (again.n_rows, again.schema["ID"].holds, again.schema["TOWN"].n_values) == (N, "identifier", 4)


def test_rare_levels_are_written_with_private_and_identifiers_never(tmp_path: Path) -> None:
    path, _ = _marked(tmp_path)
    saved = tmp_path / "s.json"
    assert divulge("inspect", path, "--save-schema", saved, "--private") == 0
    fields = {f["name"]: f for f in json.loads(saved.read_text(encoding="utf-8"))["fields"]}
    assert len(fields["TOWN"]["categories"]) == 4
    assert fields["INCOME"]["constraints"]["enum"][-1] == 987654
    assert "categories" not in fields["NAME"]
    assert "constraints" not in fields["ID"]


def test_levels_that_a_schema_lists_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.csv").write_text("TOWN,N\n" + "a,1\n" * 20 + "b,1\n" * 2, encoding="utf-8")
    (tmp_path / "s.json").write_text('{"fields": [{"name": "TOWN", "categories": ["a", "b"]}]}', encoding="utf-8")
    assert divulge("inspect", tmp_path / "t.csv", "--schema", tmp_path / "s.json", "--json") == 0
    assert json.loads(capsys.readouterr().out)["variables"][0]["labels"] == ["a", "b"]
    assert divulge("inspect", tmp_path / "t.csv", "--json") == 0
    town = json.loads(capsys.readouterr().out)["variables"][0]
    assert (town["labels"], town["kept_back"]) == (["a"], 1)
