"""`divulge measure`: its JSON, what people see, and its options."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from divulge.cli import main

PEOPLE = "sex,age,place,home\nf,20,n,own\nf,30,n,own\nm,30,s,rent\nm,40,s,\nf,20,s,rent\n"
COPY = "sex,age,place,home\nf,20,n,own\nm,30,s,own\nf,30,n,own\nm,50,s,rent\n"
OTHER = "home,place,age,sex\nown,n,20,f\nrent,s,40.0,m\n"
HELD = "sex,age,place,home\nf,20,n,rent\nm,30,n,rent\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in {"o": PEOPLE, "s": COPY, "s2": OTHER, "h": HELD}.items():
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ran(capsys: pytest.CaptureFixture[str], *more: str, code: int = 0) -> Any:
    given = ["measure", "--original", "o.csv", "--synthetic", "s.csv", "--keys", "sex,age", *more]
    with pytest.raises(SystemExit) as end:
        main(given)
    printed = capsys.readouterr()
    assert end.value.code == code, printed.err
    return json.loads(printed.out) if "--json" in more else printed


@pytest.mark.usefixtures("folder")
def test_json_has_each_figure_under_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    found = ran(capsys, "--target", "home", "--json")
    assert found["rows"] == {"original": 5, "synthetic": [4], "holdout": None}
    disclosed = found["measures"]["DiSCO"]
    # f 20 is own in the synthetic data, right for one of two; f 30 is right; m 30 is wrong.
    assert (disclosed["value"], disclosed["numerator"], disclosed["denominator"]) == (2 / 5, 2, 5)
    assert found["measures"]["TCAP"]["value"] == 2 / 4
    assert found["measures"]["DCAP"]["baseline"] == pytest.approx((2**2 + 2**2 + 1) / 25)
    assert "scores" not in disclosed
    assert "holdout" not in found
    assert {"UiO", "repU", "TCAP_matched", "TCAP_record", "baseCAPd"} <= set(found["measures"])


@pytest.mark.usefixtures("folder")
def test_several_files_give_a_list_each_and_the_pooled_figures(capsys: pytest.CaptureFixture[str]) -> None:
    found = ran(capsys, "--synthetic", "s2.csv", "--target", "home", "--json")
    assert [e["value"] for e in found["measures"]["DiSCO"]] == [2 / 5, 1 / 5]
    assert found["pooled"]["DCAP"]["value"] == pytest.approx((1 + 1) / 5)


@pytest.mark.usefixtures("folder")
def test_holdout_gives_its_figures_and_the_difference(capsys: pytest.CaptureFixture[str]) -> None:
    found = ran(capsys, "--holdout", "h.csv", "--target", "home", "--json")
    assert found["holdout"]["DiSCO"]["value"] == 0
    assert found["difference"]["DiSCO"]["value"] == 2 / 5
    assert found["difference"]["DiSCO"]["anonymeter"] == 2 / 5
    assert found["difference"]["DiSCO"]["interval"]["method"] == "newcombe"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("options", "numerator"),
    [
        (["--exclude-target-level", "home=own"], 0),
        (["--exclude-target-level", "home=[own, rent]"], 0),
        (["--exclude-target-level", "home=['own', \"rent\"]"], 0),
        (["--exclude-missing", "home"], 2),
        (["--exclude-pair", "age=30,home=own"], 1),
        (["--denominator-limit", "1"], 2),
        (["--groups", "age=3", "--special", "age=20"], 2),
    ],
)
def test_exclusions_and_groups_are_read(options: list[str], numerator: int, capsys: pytest.CaptureFixture[str]) -> None:
    found = ran(capsys, "--target", "home", "--json", *options)
    assert found["measures"]["DiSCO"]["numerator"] == numerator
    assert found["measures"]["DiSCO"]["denominator"] == 5


@pytest.mark.usefixtures("folder")
def test_measures_are_chosen_by_name_or_family(capsys: pytest.CaptureFixture[str]) -> None:
    found = ran(capsys, "--target", "home", "--measures", "DCAP,suda", "--set", "suda.sampling_fraction=0.5", "--json")
    assert list(found["measures"]) == ["DCAP", "MSU", "SUDA", "DIS_SUDA"]
    assert found["measures"]["DIS_SUDA"]["details"]["sampling_fraction"] == 0.5


@pytest.mark.usefixtures("folder")
def test_certainty_and_key_sizes_are_read(capsys: pytest.CaptureFixture[str]) -> None:
    found = ran(capsys, "--target", "home", "--tau", "0.5", "--key-sizes", "1-2", "--json")
    assert found["measures"]["TCAP"]["details"]["tau"] == 0.5
    assert [r["keys"] for r in found["measures"]["TCAP_sweep"]["details"]["subsets"]] == [
        ["sex"],
        ["age"],
        ["sex", "age"],
    ]


def test_all_targets_give_a_table_and_an_arrow_plot(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = ran(capsys, "--all-targets", "--plot", "arrows.svg", "--json")
    assert [row["target"] for row in found["table"]] == ["place", "home"]
    assert set(found["targets"]) == {"place", "home"}
    assert found["target"] == "place"
    svg = (folder / "arrows.svg").read_text(encoding="utf-8")
    assert svg.startswith("<svg")
    assert "place" in svg


@pytest.mark.usefixtures("folder")
def test_people_read_the_headline_and_what_was_divided(capsys: pytest.CaptureFixture[str]) -> None:
    printed = ran(capsys, "--target", "home", "--holdout", "h.csv").out
    assert "5 people, 4 synthetic rows, 2 people held out. Known: sex, age." in printed
    assert "Target home: TCAP 0.5000 (2 of 4), TCAP_record 0.5000 (1.5 of 3)." in printed
    assert "+0.4000" in printed
    several = ran(capsys, "--all-targets", "--synthetic", "s2.csv").out
    assert "DiSCO" in several
    listed = ran(capsys, "--target", "home", "--synthetic", "s2.csv").out
    assert "pooled" in listed


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        ([], 2, "a target is needed"),
        (["--target", "age"], 53, "both a key and the target"),
        (["--target", "homme"], 45, "Did you mean 'home'"),
        (["--target", "home", "--key-sizes", "few"], 50, "3-6"),
        (["--target", "home", "--groups", "age"], 2, "income=20"),
        (["--target", "home", "--groups", "age=2.5"], 2, "whole number"),
        (["--target", "home", "--special", "age=x"], 2, "number"),
        (["--target", "home", "--exclude-pair", "age=30"], 2, "KEY=LEVEL,TARGET=LEVEL"),
        (["--target", "home", "--exclude-target-level", "own"], 2, "workab=NO"),
        (["--target", "home", "--set", "tau=1"], 2, "FAMILY.FIELD=VALUE"),
        (
            ["--target", "home", "--set", "tcap.tau=[1"],
            50,
            "tcap.tau: a number above 0 and at most 1",
        ),
        (["--target", "home", "--tau", "2"], 50, "at most 1"),
        (["--target", "home", "--set", "tcap.tua=1"], 50, "tcap.tua: there is no field 'tua' in 'tcap'"),
        (["--target", "home", "--measures", "TCPA"], 50, "there is no measure 'TCPA'"),
        (["--target", "home", "--plot", "x.png"], 2, "SVG"),
        (["--target", "home", "--measures", "DCAP", "--plot", "x.svg"], 53, "Add identity"),
        (["--target", "home", "--holdout", "none.csv"], 30, "no such file"),
    ],
    ids=lambda v: " ".join(v) if isinstance(v, list) else None,
)
def test_wrong_options_are_refused(
    options: list[str], code: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert says in ran(capsys, *options, code=code).err


FEW = ["--measures", "distances,inference,utility", "--target", "home", "--holdout", "h.csv"]


@pytest.mark.usefixtures("folder")
def test_page_has_every_figure_its_meaning_and_a_map(capsys: pytest.CaptureFixture[str]) -> None:
    found = ran(capsys, "--synthetic", str(Path("s2.csv").resolve()), *FEW, "--page", "p.html", "--json")
    page = Path("p.html").read_text(encoding="utf-8")
    for name in found["measures"]:
        assert f">{name}<" in page, name
    assert "Map of risk and utility" in page
    assert "The mean distance of a person to the nearest synthetic row." in page
    assert "s2.csv" in page
    assert str(Path.cwd()) not in page  # folders are nobody's business


@pytest.mark.usefixtures("folder")
def test_page_without_a_holdout_says_nothing_of_differences_and_draws_no_map(
    capsys: pytest.CaptureFixture[str],
) -> None:
    ran(capsys, "--measures", "distances", "--target", "home", "--page", "p.html")
    assert "Map of risk" not in Path("p.html").read_text(encoding="utf-8")


def test_page_audits_epsilon_and_draws_the_accusations(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, shift in (("o.csv", 0), ("many.csv", 0), ("h.csv", 1000)):
        rows = [f"{i + shift},{i % 2},{'own' if i % 3 else 'rent'}" for i in range(400)]
        (folder / name).write_text("\n".join(["sex,age,home", *rows]), encoding="utf-8")
    few = ["--measures", "membership", "--target", "home", "--holdout", "h.csv", "--synthetic", "many.csv"]
    ran(capsys, *few, "--page", "p.html")
    page = Path("p.html").read_text(encoding="utf-8")
    assert "2 membership" in page
    assert "A lower bound, by this attack" in page
    assert "Accusations, right against wrong" in page


def test_hostile_name_of_a_file_stays_a_word(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "<img src=x>.csv").write_text(COPY, encoding="utf-8")
    ran(capsys, "--synthetic", "<img src=x>.csv", *FEW, "--page", "p.html")
    assert "<img src=x" not in Path("p.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("folder")
def test_all_runs_every_family(capsys: pytest.CaptureFixture[str]) -> None:
    quick = ["--set", "rapid.n_trees=2", "--set", "rapid.n_resamples=2"]
    found = ran(capsys, "--all", "--target", "home", *quick, "--json")
    assert {"TCAP", "k_anonymity", "NNAA", "uniqueness_zayatz", "CIO", "SUDA"} <= set(found["measures"])


@pytest.mark.usefixtures("folder")
def test_all_and_some_measures_cannot_both_be_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    said = ran(capsys, "--all", "--measures", "tcap", "--target", "home", code=2)
    assert "cannot both be asked for" in said.err
