"""What the R package takes from many fits is what the data give, to 1e-6. What it refuses, it refuses in a sentence."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from divulge.outputs.released.computed import compute
from divulge.spec import read_inputs, read_spec
from tests.support.repository import ROOT

AT_LEAST = 50
"""Fits that need no package but those of R itself."""


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The folder with a folder for each fit, and what R said of each."""
    folder = tmp_path_factory.mktemp("fits")
    words = ["Rscript", str(ROOT / "tests" / "doors" / "many_fits.R"), str(ROOT / "r" / "R"), str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    if "there is no package called" in done.stderr:
        pytest.skip("R has not both survival and MASS.")
    assert done.returncode == 0, done.stderr
    said = dict(line.split("\t", 1) for line in done.stdout.splitlines() if "\t" in line)
    return folder, said


@pytest.mark.needs("r")
@pytest.mark.slow
def test_coefficients_and_standard_errors_of_many_fits_are_those_of_the_data(
    fitted: tuple[Path, dict[str, str]],
) -> None:
    folder, said = fitted
    names = [name for name in said if not name.startswith("refused: ")]
    assert len(names) >= AT_LEAST
    assert {name: said[name] for name in names if said[name] != "ok"} == {}
    for name in names:
        assessment = read_spec(folder / name / "spec.json")
        inputs = read_inputs(assessment)
        output, released = assessment.outputs[0], inputs.released[0]
        assert inputs.table is not None
        assert released is not None
        found = compute(output, inputs.table, released).figures
        # Half a unit of the ninth decimal; of variances of lmer, whose search is good for no more, of the fourth digit.
        given = np.isfinite(released.values)
        gap = np.abs(found.values - released.values)[given]
        assert (gap <= 1e-6 * np.abs(released.values[given]) + 1.01 * released.half[given]).all(), name
        if released.se is not None:
            assert found.se is not None
            known = np.isfinite(released.se)
            np.testing.assert_allclose(found.se[known], released.se[known], rtol=1e-6, atol=2e-9, err_msg=name)


@pytest.mark.needs("r")
@pytest.mark.slow
def test_what_is_not_read_is_refused_in_a_sentence_of_the_package(fitted: tuple[Path, dict[str, str]]) -> None:
    refused = {name: sentence for name, sentence in fitted[1].items() if name.startswith("refused: ")}
    assert len(refused) > 20
    for name, sentence in refused.items():
        assert not sentence.startswith("R: "), name
        assert sentence.endswith("."), name
