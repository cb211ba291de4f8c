"""What packages of R print of single variables is read and computed again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from divulge.readers.handed_in.folder import read_folder
from divulge.readers.handed_in.matching.reading import Reading
from divulge.table import table_from_frame
from tests.support.handed_in import people, table


def readings(folder: Path, text: str) -> list[Reading]:
    (folder / "out.Rout").write_text(text, encoding="utf-8")
    return [r for _, r in read_folder(folder, table()).readings]


def hmisc(shift: float = 0.0) -> str:
    x = np.sort(people().wage.to_numpy())
    n = len(x)
    pairs = np.abs(x[:, None] - x[None, :]).sum() / (n * (n - 1))
    shares = np.unique(x, return_counts=True)[1] / n
    info = (1 - (shares**3).sum()) / (1 - 1 / n**2)
    values = np.unique(x)
    cells = [f"{n}", "0", f"{len(values)}", f"{info:.3f}", f"{x.mean():.2f}", f"{pairs + shift:.2f}"]
    heads = ["n", "missing", "distinct", "Info", "Mean", "Gmd"]
    quantiles = {q: float(np.quantile(x, q)) for q in (0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95)}
    lines = ["> Hmisc::describe(d$wage)", "d$wage "]
    lines += ["".join(h.rjust(10) for h in heads), "".join(c.rjust(10) for c in cells)]
    lines += [
        "".join(f"{q:.2f}"[1:].rjust(10) for q in quantiles),
        "".join(f"{v:.1f}".rjust(10) for v in quantiles.values()),
    ]
    ends = [" ".join(f"{v:g}" for v in part) for part in (values[:5], values[-5:])]
    return "\n".join([*lines, "", f"lowest : {ends[0]}, highest: {ends[1]}", "> ", ""])


def test_description_by_hmisc_is_confirmed_with_its_extremes(tmp_path: Path) -> None:
    (found,) = readings(tmp_path, hmisc())
    assert (found.variables, found.confirmed, found.not_compared) == (("wage",), True, ())
    assert found.agreeing == 6 + 7 + 10
    (wrong,) = readings(tmp_path, hmisc(1.0))
    assert wrong.disagreeing == ("wage: Gini's mean difference",)


def test_summaries_of_groups_one_below_the_other_are_read_by_group(tmp_path: Path) -> None:
    lines = ["> do.call(rbind, tapply(d$wage, d$town, summary))", "     Min. 1st Qu. Median      Mean 3rd Qu. Max."]
    for town, x in people().groupby("town").wage:
        low, middle, high = (float(np.quantile(x, q)) for q in (0.25, 0.5, 0.75))
        lines.append(f"{town:<5}{x.min():>5g}{low:>8g}{middle:>7g}{x.mean():>11.4f}{high:>8g}{x.max():>5g}")
    (found,) = readings(tmp_path, "\n".join([*lines, "> ", ""]))
    assert (found.variables, found.by, found.confirmed) == (("wage",), ("town",), True)
    assert found.compared == 18


@pytest.mark.parametrize("shift", [0, 40])
def test_quantiles_of_a_survey_are_computed_with_its_weights(tmp_path: Path, shift: float) -> None:
    frame = people().sort_values("wage")
    upto = np.cumsum(frame.age.to_numpy())
    lines = [
        "> des <- svydesign(ids = ~1, weights = ~age, data = d)",
        "> svyquantile(~wage, des, c(.25, .5))",
        "$wage",
        "     quantile ci.2.5 ci.97.5       se",
    ]
    for q in (0.25, 0.5):
        value = float(frame.wage.iloc[int(np.searchsorted(upto, q * upto[-1]))]) + shift
        lines.append(f"{q:<5g}{value:>8g}{value - 21:>7g}{value + 33:>8g}{13.25:>9.4f}")
    (found,) = readings(tmp_path, "\n".join([*lines, "", "> ", ""]))
    assert found.confirmed is (shift == 0)
    assert found.weights == "age"
    assert len(found.not_compared) == (6 if shift == 0 else 0)


def test_numbers_that_by_prints_under_their_group_are_one_table(tmp_path: Path) -> None:
    lines = ["> by(d$wage, d$town, mean)"]
    for town, x in people().groupby("town").wage:
        lines += [f"d$town: {town}", f"[1] {x.mean():.4f}", "-" * 60]
    (found,) = readings(tmp_path, "\n".join([*lines[:-1], "> ", ""]))
    assert (found.kind, found.variables, found.by, found.confirmed) == ("means", ("wage",), ("town",), True)
    assert found.compared == 3


@pytest.mark.parametrize("shift", [0, 1])
def test_a_vector_of_statistics_is_of_the_variable_of_its_calls(shift: int, tmp_path: Path) -> None:
    frame = people().assign(site=1)  # a constant that would agree with any number of people
    x = frame.wage[frame.sex == "Male"]
    calls = ", ".join(
        f'{n} = {f}(d$wage[d$sex == "Male"])' for n, f in (("mean", "mean"), ("sd", "sd"), ("n", "length"))
    )
    values = f"{x.mean():.2f} {x.std():.2f} {len(x) + shift}.00"
    (tmp_path / "out.Rout").write_text(f"> round(c({calls}), 2)\n  mean  sd  n \n{values}\n> \n")
    ((_, found),) = read_folder(tmp_path, table_from_frame(frame)).readings
    assert (found.variables, found.by, found.where) == (("wage",), (), 'sex == "Male"')
    assert found.disagreeing == (("wage: n",) if shift else ())


def test_a_lone_label_is_not_taken_for_the_value_of_a_constant(tmp_path: Path) -> None:
    frame = people().assign(site=1)
    (tmp_path / "t.md").write_text(f"| | N | Mean |\n|--|--|--|\n| 17.5 | 200 | {frame.wage.mean():.4f} |\n")
    found = [r for _, r in read_folder(tmp_path, table_from_frame(frame)).readings]
    assert not [r for r in found if "site" in (*r.variables, *r.by)]
