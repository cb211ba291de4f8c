"""The text of an assessment file as plain data: YAML without its traps, JSON without its loopholes."""

from __future__ import annotations

from pathlib import Path

import pytest

from divulge.errors import DivulgeError, SpecError
from divulge.spec.document import parse_json, parse_yaml, read_document


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("NO", "NO"),
        ("yes", "yes"),
        ("on", "on"),
        ("y", "y"),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("12:30", "12:30"),
        ("2011-01-01", "2011-01-01"),
        ("010", 10),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("1e-4", 1e-4),
        ("-1.5", -1.5),
        (".5", 0.5),
        ("3", 3),
        ("'3'", "3"),
    ],
)
def test_yaml_scalar_is_what_it_looks_like(text: str, value: object) -> None:
    found = parse_yaml(f"x: {text}")["x"]
    assert found == value
    assert type(found) is type(value)


def test_reading_yaml_leaves_other_readers_of_yaml_alone() -> None:
    import yaml

    assert yaml.safe_load("x: no") == {"x": False}


def test_merge_keys_and_aliases_work() -> None:
    found = parse_yaml("a: &a {k: 1, l: 2}\nb: {<<: *a, k: 3}\nc: *a")
    assert found == {"a": {"k": 1, "l": 2}, "b": {"k": 3, "l": 2}, "c": {"k": 1, "l": 2}}


BOMB = "a0: &a0 [1, 1]\n" + "".join(f"a{i + 1}: &a{i + 1} [{', '.join([f'*a{i}'] * 10)}]\n" for i in range(9))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3", "line 3: the key 'a' is there twice"),
        ("a: {b: 1, b: 2}", "the key 'b' is there twice"),
        ("a: [1", "line 1: this is not YAML"),
        ("a: 1\n  b: 2", "this is not YAML"),
        ("", "a mapping of names"),
        ("- 1", "a mapping of names"),
        ("just words", "a mapping of names"),
        ("a: &a [*a]", "an alias refers to what it stands in"),
        (BOMB, "more than 1,000,000 values"),
        ("a: !!python/object/apply:os.getcwd []", "this is not YAML"),
        ("a: " + "[" * 5000, "nested too deeply"),
        ("a: 1\n---\nb: 2", "this is not YAML"),
        ("a: \x07", "characters that are not text"),
    ],
    ids=[
        "twice",
        "twice within",
        "open",
        "indent",
        "empty",
        "list",
        "text",
        "cycle",
        "bomb",
        "object",
        "deep",
        "two",
        "bell",
    ],
)
def test_bad_yaml_is_rejected(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        parse_yaml(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1, "a": 2}', "'a' is there twice"),
        ('{"a": NaN}', "NaN is no number"),
        ('{"a": 1', "line 1: this is not JSON"),
        ("[1]", "a mapping of names"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_bad_json_is_rejected(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        parse_json(text)


def test_file_is_named_in_the_error(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a: 1\na: 2", encoding="utf-8")
    (tmp_path / "b.json").write_bytes(b'\xef\xbb\xbf{"a": 1}')
    (tmp_path / "c.yaml").write_bytes(b"a: \xff")
    with pytest.raises(SpecError, match=r"a\.yaml, line 2"):
        read_document(tmp_path / "a.yaml")
    assert read_document(tmp_path / "b.json") == {"a": 1}
    with pytest.raises(SpecError, match="UTF-8"):
        read_document(tmp_path / "c.yaml")
    with pytest.raises(DivulgeError, match="no such file"):
        read_document(tmp_path / "d.yaml")
