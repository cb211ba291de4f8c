"""Box plots by eye and beside matplotlib."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.cbook import boxplot_stats

from divulge.outputs.kinds.box_plot import BoxPlot
from tests.spec.outputs.beside import CENSUS, frame
from tests.spec.outputs.people import drawn, figures

TABLE = drawn("G X\n" + "".join(f"a {x}\n" for x in (1, 2, 3, 4, 5, 6, 7, 8, 30)) + "b 4\nb 6\n")


def test_whiskers_end_at_values_and_rows_beyond_are_counted() -> None:
    found = figures(BoxPlot(variables=("X",), by=("G",)), TABLE)
    of_a = [v for label, v in found.items() if label.endswith("G=a")]
    assert of_a == [1, 3, 5, 7, 8, 1]
    assert [v for label, v in found.items() if label.endswith("G=b")] == [4, 4.5, 5, 5.5, 6, 0]


def test_rows_behind_the_number_beyond_are_those_alone() -> None:
    behind = [b for b in BoxPlot(variables=("X",), by=("G",)).behind(TABLE) if b.what == "count"]
    assert np.flatnonzero(behind[0].group >= 0).tolist() == [8]


@pytest.mark.parametrize("reach", [1.5, 0.4])
def test_figures_are_those_of_matplotlib(reach: float) -> None:
    found = list(figures(BoxPlot(variables=("AGE",), reach=reach), CENSUS).values())
    (theirs,) = boxplot_stats(frame()["AGE"].to_numpy(float), whis=reach)
    assert found == [
        *(theirs[name] for name in ("whislo", "q1", "med", "q3", "whishi")),
        len(theirs["fliers"]),
    ]
