"""The preview: everything that is wrong and not only the first, and data that are read once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from divulge.assess.preview import preview
from divulge.errors import DivulgeError
from divulge.spec import parse_spec
from divulge.table import write_table
from tests.support.assessing import CROSSTAB, REGRESSION, people


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_table(people(), tmp_path / "people.csv")
    return tmp_path


def _preview(folder: Path, *outputs: dict[str, Any], **given: Any) -> Any:
    spec = {"data": "people.csv", "outputs": list(outputs), **given}
    problems: list[DivulgeError] = []
    return preview(parse_spec(spec, folder, problems=problems), with_time=False, problems=problems)


def test_sound_spec_has_no_problem_and_says_what_will_be_done(folder: Path) -> None:
    found = _preview(folder, CROSSTAB)
    assert found.problems == []
    assert [s.describe() for s in found.scenarios] == ["AREA from ILL", "ILL from AREA"]
    assert (found.n_rows, len(found.splits)) == (300, 30)


@pytest.mark.parametrize(
    ("output", "splits", "is_told"),
    [(REGRESSION, 10, True), (REGRESSION, 20, False), (REGRESSION, 30, False), (CROSSTAB, 2, False)],
)
def test_splits_too_few_to_find_anybody_are_told_beforehand(
    folder: Path, output: dict[str, Any], splits: int, is_told: bool
) -> None:
    found = _preview(folder, output, design={"kind": "repeated-halves", "splits": splits})
    told = [w for w in found.warnings if "splits are too few" in w]
    assert len(told) == is_told
    # What is written to be pasted is what is needed: 5,040 arrangements are too few for 200 people and two look-ups.
    assert all("design: {splits: 18}" in w for w in told)


def test_too_few_people_for_splits_are_told_beforehand(tmp_path: Path) -> None:
    rows = "".join(f"{i % 2},{i}\n" for i in range(40))
    (tmp_path / "class.csv").write_text(f"SEX,SCORE\n{rows}", encoding="utf-8")
    output = {"kind": "means", "variables": ["SCORE"], "by": ["SEX"], "decimals": 1, "compute": True}
    found = preview(parse_spec({"data": "class.csv", "outputs": [output]}, tmp_path))
    assert (found.problems, found.splits) == ([], ())
    assert any("40 people are too few to compare" in warning for warning in found.warnings)


def test_everything_that_is_wrong_is_told_at_once(folder: Path) -> None:
    wrong = {"kind": "crosstab", "variables": ["WAGE"], "compute": True}
    found = _preview(
        folder, wrong, CROSSTAB, wrong, scenario={"target": "RENT", "keys": ["SEX", "AGE"]}, policy={"delta": -1}
    )
    places = [problem.where for problem in found.problems]
    assert places == [
        "policy.delta",
        "outputs[0].variables[0]",
        "outputs[2].variables[0]",
        "scenario.target",
        "scenario.keys",
    ]


def test_data_are_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import divulge.sources.file as files

    real, read = files.read_table, []

    def counted(*given: Any, **named: Any) -> Any:
        read.append(given)
        return real(*given, **named)

    monkeypatch.setattr(files, "read_table", counted)
    assert _preview(folder, CROSSTAB).problems == []
    assert len(read) == 1


def test_cells_of_few_people_are_warned_of(folder: Path) -> None:
    found = _preview(folder, CROSSTAB, policy={"smallest_group": 5})
    assert any("hold fewer than 5 people" in warning for warning in found.warnings)


def test_without_data_it_says_that_nothing_can_be_assessed(folder: Path) -> None:
    (folder / "s.json").write_text(
        '{"fields": [{"name": "SEX", "type": "string", "categories": ["F", "M"]}]}', encoding="utf-8"
    )
    spec = {"schema": "s.json", "rows": 10, "outputs": [{"kind": "crosstab", "variables": ["SEX"], "released": [4, 6]}]}
    found = preview(parse_spec(spec, folder), with_time=False)
    assert found.problems == []
    assert "There are no data" in found.warnings[0]


def test_without_data_figures_that_no_group_of_its_size_can_have_are_told(folder: Path) -> None:
    (folder / "s.json").write_text(
        '{"fields": [{"name": "x", "type": "integer", "constraints": {"minimum": 1, "maximum": 9}}]}', encoding="utf-8"
    )
    means = {"kind": "means", "variables": ["x"], "decimals": 5}
    for mean, is_told in ((3.14159, True), (3.11111, False)):  # 28 / 9 is 3.11111
        spec = {"schema": "s.json", "rows": 9, "outputs": [means | {"released": {"x": mean}}]}
        found = preview(parse_spec(spec, folder), with_time=False)
        assert any("no group of its size can have x" in warning for warning in found.warnings) == is_told
