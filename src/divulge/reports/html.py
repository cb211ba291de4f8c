"""The report of an assessment as one HTML page that fetches nothing. Whatever comes from data or spec is escaped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, ClassVar

from jinja2 import Environment, StrictUndefined


@dataclass(frozen=True)
class Html:
    """One self-contained page."""

    suffix: ClassVar[str] = ".html"

    def render(self, record: Mapping[str, Any]) -> str:
        environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
        environment.filters |= {"figure": _figure, "percent": _percent, "number": _number}
        source = files("divulge.reports").joinpath("templates/assessment.html.jinja").read_text(encoding="utf-8")
        return environment.from_string(source).render(record=record)


def _figure(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"


def _percent(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.1%}"


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"
