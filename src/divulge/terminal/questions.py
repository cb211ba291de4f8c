"""Questions at a terminal: a wrong answer is asked for again, `<` goes back one question, and no answer is lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import typer

from divulge.errors import DivulgeError
from divulge.terminal.screen import screen

BACK = "<"
T = TypeVar("T")


class _GoBackError(Exception):
    """The answer was `<`."""


def ask(text: str, read: Callable[[str], T], default: str | None = None) -> T:
    """An answer as `read` reads it. What `read` refuses is told, and asked for again."""
    while True:
        answer = str(typer.prompt(text, default=default, err=True))
        if answer.strip() == BACK:
            raise _GoBackError
        try:
            return read(answer)
        except DivulgeError as error:
            screen.error(error)


def ask_in_turn(questions: Sequence[Callable[[dict[str, Any]], None]]) -> dict[str, Any]:
    """The answers to several questions. Each is given the answers so far and adds its own; `<` asks the last again."""
    answers: dict[str, Any] = {}
    at = 0
    while at < len(questions):
        try:
            questions[at](answers)
            at += 1
        except _GoBackError:
            at = max(0, at - 1)
    return answers
