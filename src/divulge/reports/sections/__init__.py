"""What an assessment's report says, section by section, in the order in which a checker reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from divulge.reports.blocks import Section, Source
from divulge.reports.sections.acro import acro
from divulge.reports.sections.earlier import earlier
from divulge.reports.sections.epsilon import epsilon
from divulge.reports.sections.exposure import exposure
from divulge.reports.sections.findings import findings
from divulge.reports.sections.handed_in import handed_in
from divulge.reports.sections.meanings import meanings
from divulge.reports.sections.outputs import outputs
from divulge.reports.sections.risk import risk
from divulge.reports.sections.rules import rules
from divulge.reports.sections.run import run
from divulge.reports.sections.search import curve, embedding, error

SECTIONS = (
    acro,
    handed_in,
    outputs,
    rules,
    risk,
    epsilon,
    earlier,
    exposure,
    embedding,
    error,
    curve,
    findings,
    meanings,
    run,
)


def sections(record: Mapping[str, Any]) -> tuple[Section, ...]:
    """Every section that the record has something to say in."""
    source = Source(record)
    return tuple(made for make in SECTIONS if (made := make(source)) is not None)


__all__ = ["SECTIONS", "sections"]
