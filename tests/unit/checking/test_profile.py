"""Profiles: rule books as data, those that come with the program and a custodian's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from divulge.checking import PROFILES, check_outputs, make_cases, read_profile
from divulge.checking.profile import _make_profile
from divulge.errors import SpecError
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.rules import Severity
from tests.support.tables import repeated, small_table


@pytest.mark.parametrize("name", PROFILES)
def test_every_profile_names_its_source_and_has_a_threshold(name: str) -> None:
    profile = read_profile(name)
    assert profile.title
    assert profile.source
    assert "threshold" in {rule.name for rule in profile.rules}
    assert set(profile.breach) == {rule.name for rule in profile.rules}


def test_seven_profiles_come_with_the_program() -> None:
    assert set(PROFILES) == {"acro", "datashield", "divulge", "eurostat", "opensafely", "rdc", "sdap"}


def test_opensafely_redacts_up_to_seven() -> None:
    table = small_table(**repeated(x=[("p", 7), ("q", 8)]))
    cases = make_cases([Crosstab(variables=("x",), compute=True)], [None], table)
    checked = check_outputs(cases, read_profile("opensafely"))
    assert [(f.rule, f.figures, f.severity) for f in checked.findings] == [("threshold", ("x=p",), Severity.REFUSE)]
    assert checked.worst is Severity.REFUSE


def test_custodians_file_is_based_on_another(tmp_path: Path) -> None:
    text = "title: Ours\nbased_on: acro\n"
    text += "rules:\n  threshold: {fewest: 5}\n  dominance: false\n  coalition: {members: 3}\n"
    (tmp_path / "ours.yaml").write_text(text, encoding="utf-8")
    ours, acro = read_profile("ours.yaml", tmp_path), read_profile("acro")
    assert ours.title == "Ours"
    assert {r.name for r in ours.rules} == {r.name for r in acro.rules} - {"dominance"} | {"coalition"}
    threshold = next(r for r in ours.rules if r.name == "threshold")
    assert threshold.settings() == {"fewest": 5}
    assert ours.breach["threshold"] is Severity.REFUSE
    assert ours.breach["coalition"] is Severity.REVIEW


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ({"rules": {"treshold": {}}}, "no rule 'treshold'"),
        ({"rules": {"threshold": {"few": 3}}}, "no field 'few'"),
        ({"rules": {"threshold": {"fewest": "many"}}}, "is needed"),
        ({"rules": {"threshold": {"fewest": True}}}, "is needed"),
        ({"rules": {"dominance": {"weighting": "none"}}}, "is needed"),
        ({"rules": {"threshold": {"breach": "shout"}}}, "note, review, refuse"),
        ({"rules": ["threshold"]}, "rules by name"),
        ({"ruels": {}}, "no 'ruels'"),
        ("threshold", "rules by name"),
        ({"based_on": "arco"}, "no profile 'arco'"),
    ],
)
def test_wrong_profile_is_refused(document: Any, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        _make_profile("ours", document)


def test_profile_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="cannot be read"):
        read_profile("nowhere.yaml", tmp_path)


def test_rules_of_other_statbarns_are_not_asked() -> None:
    table = small_table(**repeated(x=[("p", 20), ("q", 30)]))
    checked = check_outputs(make_cases([Crosstab(variables=("x",), compute=True)], [None], table), read_profile("acro"))
    assert checked.asked == ("threshold", "empty cells")
    assert checked.worst is None
