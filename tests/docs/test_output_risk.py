"""The reproduction of the paper's experiments runs, in a small way, and prints the paper's figures beside its own."""

from __future__ import annotations

import numpy as np
import pytest

from examples.output_risk import experiments
from examples.teaching_data import risk


def test_experiments_print_the_papers_figures_beside_theirs(capsys: pytest.CaptureFixture[str]) -> None:
    experiments.main(["--people", "1200", "--generations", "6", "--runs", "2", "--population", "4"])
    lines = capsys.readouterr().out.splitlines()
    first = {line[:50].strip(): line[50:].split() for line in lines[: lines.index("")]}
    assert first["TCAP, 42 subsets of 3–6 keys, empty ones as 0"][1] == "0.4962"
    assert first["TCAP, six keys"][1] == "0.6317"
    assert first["… of the line of Figure 3 at error 0"][1] == "0.2279"
    for name in ("TCAP, six keys", "TCAP, six keys, non-matches as zero"):
        assert 0 <= float(first[name][0]) <= 1
    table = lines[lines.index("") + 2 :]
    labels = [line[:24].strip() for line in table]
    below = ["Mean", "Standard deviation"]
    assert labels == ["Fold 1", "Fold 2", *below, "Fold-Fold 1.1", "Fold-Fold 1.2", *below]
    figures = np.array([[float(v) for v in line[24:].split()] for line in table])
    for first_row in (0, 4):
        assert figures[first_row + 2] == pytest.approx(figures[first_row : first_row + 2].mean(axis=0), abs=2e-4)
        assert figures[first_row + 3] == pytest.approx(figures[first_row : first_row + 2].std(axis=0), abs=2e-4)
    # The paper's own means and deviations follow from its folds as ours from ours.
    assert figures[2, 3:] == pytest.approx([0.506494, 0.497919, 0.008575], abs=1e-4)
    assert figures[7, 3:] == pytest.approx([0.011447, 0.006798, 0.018244], abs=1e-4)


def test_risk_of_teaching_data_is_printed_beside_tables_10_and_11(capsys: pytest.CaptureFixture[str]) -> None:
    risk.main(["--people", "1200", "--generations", "6", "--population", "4"])
    lines = capsys.readouterr().out.splitlines()
    rows = [line for line in lines if line.startswith(("original", "holdout", "baseline"))]
    assert len(rows) == 10
    itself = [line.split()[2:] for line in rows if line.startswith("original, original")]
    assert itself[0] == ["1.000"] * 4
    assert itself[1] == ["1.000"] * 7
    general = next(line.split() for line in rows if line.startswith("original, CART"))
    # CART saw the original: it tells more than the baseline, wherever the paper's people come from.
    assert float(general[2]) > 0.6
    assert "  in the paper                   0.296     0.000" in "\n".join(lines)
