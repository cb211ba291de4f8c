"""The package that people install holds what it needs and nothing else, and its papers agree about its version."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest
import yaml
from hatchling.build import build_wheel

import divulge
from tests.support.repository import ROOT

SOURCE = ROOT / "src" / "divulge"


@pytest.fixture(scope="module")
def wheel_names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    folder = tmp_path_factory.mktemp("wheel")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        name = build_wheel(str(folder))
    with zipfile.ZipFile(folder / name) as wheel:
        return set(wheel.namelist())


def test_wheel_holds_every_file_of_the_source(wheel_names: set[str]) -> None:
    files = [p for p in SOURCE.rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    needed = {f"divulge/{p.relative_to(SOURCE).as_posix()}" for p in files}
    assert "divulge/demo/cps_1994_95.parquet" in needed
    assert needed <= wheel_names


def test_wheel_holds_nothing_but_the_package_and_its_licence(wheel_names: set[str]) -> None:
    others = {name for name in wheel_names if not name.startswith("divulge/")}
    assert all(".dist-info/" in name for name in others)
    assert any(name.endswith("LICENSE") for name in others)


def test_citation_is_complete_and_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["cff-version"] == "1.2.0"
    assert all(citation.get(field) for field in ("message", "title", "authors", "license", "references"))
    assert str(citation["version"]) == divulge.__version__
    for reference in citation["references"]:
        assert all(reference.get(field) for field in ("type", "title", "authors")), reference.get("title")


def test_changelog_has_a_place_for_what_is_new() -> None:
    assert re.search(r"^## (Unreleased|" + re.escape(divulge.__version__) + ")", _text("CHANGELOG.md"), re.MULTILINE)


def test_every_folder_that_make_looks_at_exists() -> None:
    looked_at = re.findall(r"ruff (?:check|format)(?: --\w+)* (.+)$", _text("Makefile"), re.MULTILINE)
    assert looked_at
    assert all((ROOT / folder).is_dir() for line in looked_at for folder in line.split())


def test_every_make_target_says_what_it_does() -> None:
    makefile = _text("Makefile")
    phony = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    assert phony
    explained = set(re.findall(r"^([a-z-]+):.*## \S", makefile, re.MULTILINE))
    assert explained == set(phony[1].split())


def test_readme_names_targets_that_there_are() -> None:
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", _text("README.md"), re.MULTILINE))
    assert "open" in named
    assert named <= set(re.findall(r"^([a-z-]+):.*## \S", _text("Makefile"), re.MULTILINE))


@pytest.mark.parametrize("page", ["README.md", "DEVELOPERS.md", "GLOSSARY.md", "CHANGELOG.md"])
def test_links_between_pages_lead_somewhere(page: str) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", _text(page))
    assert [link for link in links if not (ROOT / link).exists()] == []


def _text(name: str) -> str:
    return Path(ROOT / name).read_text(encoding="utf-8")
