"""The report of an assessment as one HTML page that fetches nothing. Whatever comes from data or spec is escaped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from divulge.reports.blocks import Source, plain
from divulge.reports.page import render_page
from divulge.reports.sections import sections
from divulge.reports.sections.verdict import summary


@dataclass(frozen=True)
class Html:
    """One self-contained page, with plots that answer to the pointer and a table behind each."""

    format: ClassVar[str] = "html"
    suffix: ClassVar[str] = ".html"

    def render(self, record: Mapping[str, Any]) -> str:
        return assessment_page(record)


def assessment_page(record: Mapping[str, Any], *, static: bool = False) -> str:
    """The page of one assessment. static: for where no script runs."""
    seen = summary(Source(record))
    title = f"{seen.verdict.capitalize()}: {plain(seen.subject)}"
    return render_page(title, sections(record), ("verdict.html.jinja", {"summary": seen}), static=static)
