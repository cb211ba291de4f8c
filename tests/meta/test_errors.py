"""Every error has its own exit code, survives a journey to another process, and shows itself in one JSON shape."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import pytest

from divulge.errors import DivulgeError

RESERVED = {0: "success", 10: "the verdict review", 20: "the verdict refuse"}


def _kinds(base: type[DivulgeError] = DivulgeError) -> Iterator[type[DivulgeError]]:
    yield base
    for kind in base.__subclasses__():
        yield from _kinds(kind)


KINDS = [kind for kind in _kinds() if kind.__module__.startswith("divulge.")]


def test_every_error_lives_in_one_file() -> None:
    assert {kind.__module__ for kind in KINDS} == {"divulge.errors"}


def test_exit_codes_differ() -> None:
    codes = [kind.exit_code for kind in KINDS]
    assert len(set(codes)) == len(codes)


@pytest.mark.parametrize("kind", KINDS)
def test_exit_code_means_nothing_else(kind: type[DivulgeError]) -> None:
    # Above 125 a shell uses the code for its own purposes.
    assert kind.exit_code not in RESERVED
    assert 1 <= kind.exit_code <= 125


@pytest.mark.parametrize("kind", KINDS)
def test_error_survives_pickling(kind: type[DivulgeError]) -> None:
    error = kind("what was needed.", where="outputs[2].variables", hint="What to try.")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert (again.message, again.where, again.hint) == (error.message, error.where, error.hint)
    assert str(again) == str(error) == "outputs[2].variables: what was needed. What to try."


@pytest.mark.parametrize("kind", KINDS)
def test_error_has_the_one_json_shape(kind: type[DivulgeError]) -> None:
    shape = kind("what was needed.", where="here").as_json()
    error = {"type": kind.__name__, "message": "what was needed.", "where": "here", "hint": None}
    assert shape == {"error": error, "errors": [error], "exit_code": kind.exit_code}
