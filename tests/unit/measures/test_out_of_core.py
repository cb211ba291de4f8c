"""Parquet files counted by DuckDB give the figures that the same files give in memory."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from divulge.errors import MeasureError, MissingColumnsError, NotATableError, UnknownVariableError
from divulge.measures import Exclusions, Groups, measure_targets
from divulge.measures.counting.out_of_core import measure_parquet

duckdb = pytest.importorskip("duckdb")

KEYS = ["age", 'se"x', "area"]


def drawn(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 30, n).astype(float),
            'se"x': rng.choice(["f", "m"], n),
            "area": pd.Categorical(rng.choice(["n", "s", "e"], n)),
            "income": np.round(rng.lognormal(3, 1, n)),
            "home": rng.choice(["own", "rent"], n),
        }
    )
    frame.loc[rng.random(n) < 0.1, ["age"]] = np.nan
    frame.loc[rng.random(n) < 0.1, ["home"]] = None
    return frame


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = []
    for i, n in enumerate((300, 200, 250, 100)):
        paths.append(tmp_path / f"{i}.parquet")
        # The second file has its numbers as integers, the others as floats: values are compared, not types.
        frame = drawn(n, i)
        (frame.astype({"age": "Int64"}) if i == 1 else frame).to_parquet(paths[-1])
    return paths


def test_figures_are_those_of_the_engine_in_memory(files: list[Path]) -> None:
    options = {
        "key_sizes": (1, 3),
        "exclusions": Exclusions((("home", "own"),), ("age",), denominator_limit=4),
        "groups": {"income": Groups(5)},
    }
    found = measure_parquet(files[0], files[1:3], KEYS, ["home", "income"], holdout=files[3], **options)
    frames = [pd.read_parquet(p) for p in files]
    expected = measure_targets(
        frames[0],
        frames[1:3],
        KEYS,
        ["home", "income"],
        holdout=frames[3],
        measures=["tcap", "cap", "identity", "group_disclosure"],
        **options,
    )
    for a, b in zip(found, expected, strict=True):
        assert (a.n_original, a.n_synthetic, a.n_holdout) == (b.n_original, b.n_synthetic, b.n_holdout)
        assert set(a.measures) >= set(b.measures)
        for name, each in b.measures.items():
            for i, figure in enumerate(each):
                assert a.measures[name][i].value == pytest.approx(figure.value, nan_ok=True), name
                assert a.holdout[name][i].value == pytest.approx(b.holdout[name][i].value, nan_ok=True), name
        for name, figure in b.pooled.items():
            assert a.pooled[name].value == pytest.approx(figure.value, nan_ok=True), name
    assert found[0]["iS"].value > 0.1


def test_measures_that_need_rows_are_refused(files: list[Path]) -> None:
    with pytest.raises(MeasureError, match="suda need the rows"):
        measure_parquet(files[0], files[1:2], KEYS, ["home"], measures=["SUDA"])


def test_columns_and_files_are_checked(files: list[Path], tmp_path: Path) -> None:
    with pytest.raises(UnknownVariableError, match="Did you mean 'home'"):
        measure_parquet(files[0], files[1:2], KEYS, ["homes"])
    pd.read_parquet(files[1]).drop(columns="area").to_parquet(tmp_path / "less.parquet")
    with pytest.raises(MissingColumnsError, match="no column 'area'"):
        measure_parquet(files[0], [tmp_path / "less.parquet"], KEYS, ["home"])
    (tmp_path / "text.csv").write_text("age\n1\n", encoding="utf-8")
    with pytest.raises(NotATableError, match="Parquet"):
        measure_parquet(files[0], [tmp_path / "text.csv"], KEYS, ["home"])


def test_more_combinations_than_integers_are_refused(tmp_path: Path) -> None:
    wide = pd.DataFrame({f"k{i}": range(600) for i in range(7)} | {"t": range(600)})
    wide.to_parquet(tmp_path / "wide.parquet")
    with pytest.raises(MeasureError, match="more possible combinations"):
        measure_parquet(
            tmp_path / "wide.parquet",
            [tmp_path / "wide.parquet"],
            [f"k{i}" for i in range(7)],
            ["t"],
        )


def test_missing_duckdb_is_said_with_how_to_get_it(files: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(MeasureError, match="pip install"):
        measure_parquet(files[0], files[1:2], KEYS, ["home"])
