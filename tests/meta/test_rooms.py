"""A room is a folder of alternatives and a tuple that lists them: every file is in the tuple, or is declared below."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import divulge

SOURCE = Path(divulge.__file__).parent

ROOMS = ("cli", "outputs", "measures", "synthesisers", "synthesisers.moves", "comparators", "rules", "mitigations")
ROOMS += ("reports", "demo")

SHARED = {
    "cli.demo_job": "what `divulge demo --run` does",
    "cli.assess_view": "how assess tells what to do and why",
    "cli.complete": "what the shell offers after the tabulator key",
    "cli.ledger_options": "options that every command of the ledger takes",
    "cli.ledger_view": "how the ledger shows releases to people",
    "cli.serve_demo": "what a new ledger holds when the service first starts",
    "cli.screen": "what every command prints with",
    "cli.options": "arguments and options that several commands take",
    "comparators.comparator": "the shape of a comparator, and the edit rules that it breaks",
    "cli.measure_options": "what the options of measure mean",
    "cli.measure_view": "how measure shows figures to people",
    "demo.draws": "random draws of both simulations",
    "measures.arrows": "several targets in one table and one plot",
    "measures.attack": "what a case means for an intruder who learns",
    "measures.attackers": "models that learn from synthetic rows, for RAPID and precision improvement",
    "measures.attribution": "RAPID's risk by levels of the keys",
    "measures.cells": "the one count of keys and target that most families share",
    "measures.choose": "which families a user's names mean",
    "measures.coding": "key combinations as integers",
    "measures.contrast": "original beside holdout",
    "measures.crossvalidation": "RAPID of a way to synthesise, over folds",
    "measures.estimate": "the shape of a result",
    "measures.exclusions": "cells that the attribute measures leave out",
    "measures.family": "the shape of a family of measures",
    "measures.features": "keys as numbers for models",
    "measures.gains": "RAPID's scores, flags, resampling and null",
    "measures.grouping": "numeric variables in groups",
    "measures.intervals": "confidence intervals of several families",
    "measures.logistic": "logistic regression for attribution and propensities",
    "measures.out_of_core": "counting Parquet files through DuckDB",
    "measures.run": "every family asked about the same tables",
    "measures.scores": "scores of people against one table after another",
    "measures.scenario": "keys, target and tables that every family takes",
    "outputs.crossed": "outputs from tables of pandas",
    "outputs.fitted": "outputs from models of statsmodels",
    "outputs.computed": "an output computed from data beside what was released",
    "outputs.grouped": "numeric variables by groups",
    "outputs.design": "a formula as columns",
    "outputs.expressions": "functions of one variable inside formulas",
    "outputs.formula": "formulas as people write them",
    "outputs.model": "what the regression kinds share to compute themselves",
    "outputs.sums": "figures that are smooth functions of sums over rows",
    "outputs.refit": "how the regression kinds lower",
    "outputs.heads": "how totals become residuals, in the ways that several kinds share",
    "rules.rule": "the shape of a rule and of what it finds",
    "reports.blocks": "what a report consists of, whatever its format",
    "reports.card": "the verdict in a notebook",
    "reports.charts": "plots as Vega-Lite documents",
    "reports.compare": "assessments beside each other",
    "reports.page": "one HTML page from sections",
    "synthesisers.objective": "what every synthesiser is given",
    "synthesisers.compiled": "an objective as the arrays that the kernels take",
    "synthesisers.views": "residuals as linear functions of totals",
    "synthesisers.embedding": "what every synthesiser returns",
    "synthesisers.fitness": "what the evolutionary search calls fit",
    "synthesisers.knowledge": "what is granted beside the outputs",
    "synthesisers.population": "the individuals of the evolutionary search",
    "synthesisers.runs": "several runs of any synthesiser",
    "synthesisers.search": "one run of descent",
    "synthesisers.starts": "where searches start",
    "outputs.lowered": "the additive form that every kind lowers to",
    "outputs.output": "the shape of an output",
    "outputs.precision": "what a printed number says",
    "outputs.quantiles": "quantiles, and the inequalities that hold where one is as printed",
    "outputs.released": "released numbers as people write them",
    "outputs.rows": "which rows count, with what weight, in which group",
}
"""Files of a room that are not alternatives, each with what it is for."""


def _registered(value: Any) -> set[str]:
    """The names of the modules that an entry of a room's tuple comes from."""
    if isinstance(value, str):
        return {value}
    if isinstance(value, tuple | list):
        return set().union(*(_registered(v) for v in value))
    if isinstance(value, dict):
        return _registered(list(value.values()))
    if isinstance(value, ModuleType):
        return {value.__name__.rsplit(".", 1)[-1]}
    kind = value if hasattr(value, "__module__") and hasattr(value, "__qualname__") else type(value)
    return {str(kind.__module__).rsplit(".", 1)[-1]}


def unregistered(room: str, package: ModuleType, folder: Path) -> list[str]:
    """Files of the room that neither its tuples (names in capitals) nor SHARED name."""
    tuples = [v for k, v in vars(package).items() if k.isupper() and isinstance(v, tuple | dict)]
    listed = set().union(*(_registered(v) for v in tuples)) if tuples else set()
    files = {p.stem for p in folder.glob("*.py")} - {"__init__"}
    shared = {name.rsplit(".", 1)[-1] for name in SHARED if name.rsplit(".", 1)[0] == room}
    return sorted(files - listed - shared)


def _folder(room: str) -> Path:
    return SOURCE.joinpath(*room.split("."))


@pytest.mark.parametrize("room", [r for r in ROOMS if _folder(r).is_dir()])
def test_every_file_of_a_room_is_registered(room: str) -> None:
    package = import_module(f"divulge.{room}")
    missing = unregistered(room, package, _folder(room))
    assert missing == [], f"add these to the tuple of divulge/{room.replace('.', '/')}/__init__.py, or to SHARED"


@pytest.mark.parametrize("name", SHARED)
def test_declared_shared_file_exists(name: str) -> None:
    room, file = name.rsplit(".", 1)
    assert not _folder(room).is_dir() or (_folder(room) / f"{file}.py").exists()


def test_unregistered_file_is_found(tmp_path: Path) -> None:
    (tmp_path / "crosstab.py").touch()
    (tmp_path / "median.py").touch()
    room = ModuleType("divulge.outputs")
    room.KINDS = (type("Crosstab", (), {"__module__": "divulge.outputs.crosstab"}),)  # type: ignore[attr-defined]
    assert unregistered("outputs", room, tmp_path) == ["median"]
