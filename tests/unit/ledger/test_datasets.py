"""What tells data apart: their people and variables, not the order, the file or the coding."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from divulge.errors import LedgerError, NotAllowedError, SpecError
from divulge.ledger import datasets
from divulge.ledger.datasets import fingerprint
from divulge.ledger.export import export
from divulge.ledger.model import Person
from divulge.table import read_table
from tests.support.ledgers import World


def _print(folder: Path, text: str) -> str:
    path = folder / "x.csv"
    path.write_text(text, encoding="utf-8")
    return fingerprint(read_table(path))


PEOPLE = "AGE,SEX\n40,F\n41,M\n42,F\n"


def test_order_of_rows_and_columns_makes_no_difference(tmp_path: Path) -> None:
    assert _print(tmp_path, PEOPLE) == _print(tmp_path, "SEX,AGE\nF,42\nF,40\nM,41\n")


@pytest.mark.parametrize(
    "text",
    [
        "AGE,SEX\n40,F\n41,M\n42,M\n",
        "AGE,SEX\n40,F\n41,M\n",
        "AGE,SEX\n40,F\n41,M\n42,F\n42,F\n",
        "AGE,GENDER\n40,F\n41,M\n42,F\n",
        "AGE,SEX\n41,F\n40,M\n42,F\n",
        "AGE,SEX\n40,F\n41,M\n42,\n",
    ],
    ids=["value", "fewer rows", "twin", "name", "swapped values", "missing"],
)
def test_other_data_are_told_apart(tmp_path: Path, text: str) -> None:
    assert _print(tmp_path, PEOPLE) != _print(tmp_path, text)


def test_same_data_are_registered_once(small_world: World, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(PEOPLE, encoding="utf-8")
    (tmp_path / "b.csv").write_text("SEX,AGE\nF,42\nF,40\nM,41\n", encoding="utf-8")
    with small_world.ledger.writing() as session:
        first = datasets.register(session, None, "a", tmp_path / "a.csv")
        again = datasets.register(session, None, "b", tmp_path / "b.csv")
        assert first.id == again.id
        (tmp_path / "c.csv").write_text(PEOPLE + "43,F\n", encoding="utf-8")
        with pytest.raises(LedgerError, match="called 'people'"):
            datasets.register(session, None, "people", tmp_path / "c.csv")


def test_only_custodians_and_administrators_register(small_world: World, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(PEOPLE, encoding="utf-8")
    with small_world.ledger.writing() as session:
        checker = session.get_one(Person, small_world.person["checker"])
        with pytest.raises(NotAllowedError):
            datasets.register(session, checker, "a", tmp_path / "a.csv")
        custodian = session.get_one(Person, small_world.person["custodian"])
        assert datasets.register(session, custodian, "a", tmp_path / "a.csv").rows == 3


@pytest.mark.parametrize(
    ("settings", "where"),
    [
        ({"data": "x.csv"}, "settings.data"),
        ({"policy": "p.yaml"}, "settings.policy"),
        ({"seed": "one"}, "settings.seed"),
        ({"design": {"splits": 3}}, "settings.design.splits"),
    ],
)
def test_settings_that_are_not_a_custodians_are_rejected(settings: dict[str, object], where: str) -> None:
    with pytest.raises(SpecError) as caught:
        datasets._checked_settings(settings)
    assert [error.where for error in caught.value.every] == [where]


def test_all_mistakes_of_a_custodians_settings_are_told_at_once_with_the_nearest_name() -> None:
    with pytest.raises(SpecError) as caught:
        datasets._checked_settings({"desgin": {}, "policy": {"dleta": 0.2}, "seed": 2.5, "measures": ["TCPA"]})
    wrong = ["settings.desgin", "settings.measures[0]", "settings.policy.dleta", "settings.seed"]
    assert sorted(error.where or "" for error in caught.value.every) == wrong
    said = str(caught.value)
    assert all(f"Did you mean '{name}'?" in said for name in ("design", "delta", "TCAP"))


def test_a_custodian_may_name_a_preset_of_the_policy() -> None:
    assert datasets._checked_settings({"policy": "public use"}) == {"policy": "public use"}


def test_settings_are_kept(small_world: World) -> None:
    wanted = {"policy": {"delta": 0.2}, "design": {"kind": "repeated-halves", "splits": 20}, "seed": 3}
    with small_world.ledger.writing() as session:
        custodian = session.get_one(Person, small_world.person["custodian"])
        datasets.change_settings(session, custodian, small_world.dataset, wanted)
    with small_world.ledger.reading() as session:
        assert datasets.get_dataset(session, small_world.dataset).settings == wanted


def test_no_value_that_points_at_people_is_kept(small_world: World, tmp_path: Path) -> None:
    # An identifier in a column that looks like categories, a name that one person has, an income that one person has.
    rows = "".join(f"{'ABCDE'[i % 5]}{i:05d},{'Zebedee' if i == 7 else 'Ann'},{100 + i % 20}\n" for i in range(400))
    (tmp_path / "a.csv").write_text("WARD,NAME,PAY\n" + rows + "E99999,Ann,987654\n", encoding="utf-8")
    with small_world.ledger.writing() as session:
        made = datasets.register(session, None, "a", tmp_path / "a.csv")
        kept = json.dumps([made.schema, export(session)])
    for value in ("A00005", "Zebedee", "987654", "E99999"):
        assert value not in kept
    assert "Ann" in kept


def test_values_that_stay_in_the_data_are_read_there(small_world: World, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("SEX,AREA\n" + "F,1\nM,2\n" * 50 + "F,9\n", encoding="utf-8")
    with small_world.ledger.writing() as session:
        made = datasets.register(session, None, "a", tmp_path / "a.csv")
        table = read_table(tmp_path / "a.csv", datasets.schema_of(made))
        assert fingerprint(table) == made.fingerprint
        assert table.schema["AREA"].texts == ["1", "2", "9"]


def test_what_the_custodian_lists_is_kept(small_world: World, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("SEX\n" + "F\nM\n" * 50 + "X\n", encoding="utf-8")
    listed = {"fields": [{"name": "SEX", "type": "string", "constraints": {"enum": ["F", "M", "X"]}}]}
    (tmp_path / "a.json").write_text(json.dumps(listed), encoding="utf-8")
    with small_world.ledger.writing() as session:
        made = datasets.register(session, None, "a", tmp_path / "a.csv", schema=tmp_path / "a.json")
        assert datasets.schema_of(made)["SEX"].texts[:3] == ["F", "M", "X"]
