"""Quick ways of matching give what the slow ones give."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from divulge.readers.handed_in import folder
from divulge.readers.handed_in.folder import read_folder
from divulge.readers.handed_in.matching.conditions import simple_conditions
from divulge.readers.handed_in.matching.data import Data
from divulge.readers.handed_in.matching.statistics import statistic
from divulge.table import Table, read_table

RNG = np.random.default_rng(3)  # any seed: what is held against each other sees the same values


@pytest.fixture
def people(tmp_path: Path) -> Table:
    n = 13_000  # more than four samples of 3,000, from where on a sample is looked at first
    frame = pd.DataFrame(
        {
            "age": RNG.integers(18, 80, n),
            "hours": RNG.integers(0, 60, n),
            "sex": RNG.choice(["F", "M"], n),
            "score": RNG.integers(0, 300, n) - 20,
        }
    )
    frame["pay"] = 200 + 7 * frame.hours + 3 * frame.age + RNG.integers(-150, 150, n)
    frame.loc[RNG.random(n) < 0.1, "hours"] = np.nan
    frame.to_csv(tmp_path / "people.csv", index=False)
    return read_table(tmp_path / "people.csv")


def test_sums_under_all_conditions_are_those_under_each(people: Table) -> None:
    data = Data(people)
    rows = data.codes("sex") == 0
    values = data.numbers("pay")
    seen = 0
    for conditions in simple_conditions(data):
        sizes, sums = conditions.sums(data, rows), conditions.sums(data, rows, values)
        for text, size, total in zip(conditions.texts, sizes, sums, strict=True):
            kept = data.mask(text)
            assert kept is not None
            assert size == (kept & rows).sum()
            assert total == pytest.approx(values[kept & rows].sum())
            seen += 1
    assert seen > 100


@pytest.mark.parametrize("n", [1, 2, 3, 10, 101, 4000])
def test_quantiles_of_every_type_are_those_of_numpy(n: int) -> None:
    x = np.round(RNG.normal(size=n), 2)
    methods = ("linear", "averaged_inverted_cdf", "hazen", "weibull", "median_unbiased", "inverted_cdf")
    for percent in (0, 5, 25, 33, 50, 75, 90, 100):
        found = statistic(f"percentile {percent}", x)
        told = [np.quantile(x, percent / 100, method=m) for m in methods]  # type: ignore[call-overload]  # a name
        assert found == pytest.approx(told)


@pytest.mark.slow
def test_response_that_no_file_names_is_found_among_all_variables(people: Table, tmp_path: Path) -> None:
    frame = people.to_pandas().astype({"age": float, "pay": float})
    (slope, constant), spread = np.polyfit(frame.age, frame.pay, 1, cov=True)
    errors = np.sqrt(np.diag(spread))
    handed = tmp_path / "handed"
    handed.mkdir()
    (handed / "model.md").write_text(
        "| | Coef. | Std. Err. |\n|---|---|---|\n"
        f"| age | {slope:.4f} | {errors[0]:.4f} |\n| Intercept | {constant:.3f} | {errors[1]:.3f} |\n",
        encoding="utf-8",
    )
    (reading,) = (r for _, r in read_folder(handed, people).readings)
    assert (reading.formula, reading.confirmed) == ("pay ~ age", True)


def test_session_about_other_data_confirms_nothing_and_stops_nothing(people: Table, tmp_path: Path) -> None:
    handed = tmp_path / "handed"
    handed.mkdir()
    (handed / "other.Rout").write_text(
        "> d$race <- factor(d$race, labels = c('a', 'b', 'c'))\n> table(d$race)\n\n a  b  c \n96 26 67 \n",
        encoding="utf-8",
    )
    assert not any(r.confirmed for _, r in read_folder(handed, people).readings)


def test_file_that_a_reader_stumbles_over_is_listed_and_the_others_are_read(
    people: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed = tmp_path / "handed"
    handed.mkdir()
    counts = np.bincount(Data(people).codes("sex"))
    for name in ("a.csv", "b.csv"):
        (handed / name).write_text(f"sex,n\nF,{counts[0]}\nM,{counts[1]}\n", encoding="utf-8")
    whole = folder.open_document

    def stumbling(path: Path, name: str | None = None) -> object:
        if path.name == "a.csv":
            raise KeyError("Smith")
        return whole(path, name)

    monkeypatch.setattr(folder, "open_document", stumbling)
    first, second = read_folder(handed, people).files
    assert (first.status, second.status) == ("not read", "confirmed")
    assert "KeyError" in first.unread[0]
    assert "Smith" not in first.unread[0]


@pytest.mark.slow
def test_steps_of_a_simulation_are_listed_and_the_table_between_them_is_read(people: Table, tmp_path: Path) -> None:
    handed = tmp_path / "handed"
    handed.mkdir()
    counts = np.bincount(Data(people).codes("sex"))
    steps = [f"step {i}  value {i * 0.3:.4f}  gradient {1 / (i + 1):.3e}" for i in range(4000)]
    table = ["> table(d$sex)", "", f"{'F':>6} {'M':>6} ", f"{counts[0]:>6} {counts[1]:>6} ", ">"]
    (handed / "long.Rout").write_text("\n".join([*steps, *table, *steps]), encoding="utf-8")
    (file,) = read_folder(handed, people).files
    assert [(r.kind, r.confirmed, r.candidate.lines[0] > 4000) for r in file.readings] == [("frequencies", True, True)]
    assert [(a, b) for a, b, _ in file.left] == [(1, 4000), (4006, 8005)]
