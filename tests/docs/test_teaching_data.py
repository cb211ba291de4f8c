"""The teaching-data example runs, in a small way, and its spec files hold the numbers that the paper prints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from divulge.assess.recipe import recipe_of
from divulge.spec import read_inputs, read_spec
from divulge.synthesisers import Descent
from examples.teaching_data import one_output, south_yorkshire, three_outputs

FOLDER = Path(one_output.__file__).parent


def test_first_experiment_prints_its_table(capsys: pytest.CaptureFixture[str]) -> None:
    one_output.main(["--people", "1200", "--generations", "6", "--runs", "2", "--population", "4"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["coefficient", "original", "run", "1", "run", "2"]
    coefficients = [line for line in lines if line.startswith(("Intercept", "AGE", "C("))]
    assert len(coefficients) == 14
    assert any(line.startswith("… in the paper") and line.endswith("0.00037   0.00049") for line in lines)
    assert sum(line.startswith("original, ") for line in lines) == 2


def test_second_experiment_prints_ten_weightings(capsys: pytest.CaptureFixture[str]) -> None:
    three_outputs.main(["--people", "1200", "--generations", "4", "--population", "4"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["run"] * 10 + ["descent", "holdout"]
    weights = [[float(part) for part in line.split()[2:5]] for line in lines[2:12]]
    # Run 1 has three times 0.33; the others sum to 1 (the paper's Table 12).
    assert [round(sum(w), 6) for w in weights] == [0.99] + [1.0] * 9
    errors = {line.split()[0]: line.split() for line in lines[12:]}
    assert float(errors["descent"][2]) < float(errors["holdout"][1])


def test_simulated_people_are_like_those_of_the_paper() -> None:
    people = south_yorkshire.simulated_people()
    assert people.n_rows == 8054
    for variable in people.schema:
        if variable.frequencies is not None:
            published = variable.frequencies / variable.frequencies.sum()
            assert np.abs(people.frequencies(variable.name) / people.n_rows - published).max() < 0.03
    original, holdout = south_yorkshire.halves(people)
    assert (original.n_rows, holdout.n_rows) == (4027, 4027)


@pytest.mark.parametrize("name", ["one_output.yaml", "three_outputs.yaml"])
def test_spec_can_be_embedded_without_data(name: str) -> None:
    assessment = read_spec(FOLDER / name)
    inputs = read_inputs(assessment)
    recipe = recipe_of(assessment, inputs)
    objective, n_rows = recipe.objective, recipe.n_rows
    assert inputs.table is None
    assert n_rows == 4027
    assert recipe.knowledge.sources["TENURE"] == "frequencies"
    assert recipe.knowledge.sources["AGE"] == "uniform"
    synthesiser = assessment.synthesiser.make()
    if isinstance(synthesiser, Descent):
        found = replace(synthesiser, mae=0.01).embed(objective, n_rows, assessment.seed)
        assert all(output.mae <= 0.01 for output in found.outputs)
    else:
        early, late = (replace(synthesiser, generations=g).embed(objective, n_rows, 1) for g in (0, 25))
        assert late.outputs[0].mse < early.outputs[0].mse


def test_frequencies_of_the_schema_agree_with_the_published_crosstabs() -> None:
    assessment = read_spec(FOLDER / "three_outputs.yaml")
    inputs = read_inputs(assessment)
    for released, name in zip(inputs.released[1:], ("TENURE", "ETHGROUP"), strict=True):
        assert released is not None
        cells = released.values.reshape(-1, 2)
        assert cells.sum(axis=1).tolist() == inputs.schema[name].frequencies.tolist()
        assert cells.sum(axis=0).tolist() == inputs.schema["CARS"].frequencies.tolist()
