"""The form of an output: read into what a spec has, and filled in again from it, so that it can be corrected."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

from divulge.errors import SpecError
from divulge.web.access import Sent
from divulge.web.forms import find_form, kind_forms, read_fields
from divulge.web.intake import figures_csv

USUAL = "crosstab"
"""The kind whose form is shown first: most outputs are tables."""


def read_form(form: Sent) -> dict[str, Any]:
    """An output from the fields of its form. Without figures it is computed from the data."""
    kind = find_form(form.text("kind", 50))
    document = read_fields(kind, {f.name: form.texts(f"field-{f.name}") for f in kind.fields})
    pasted, file = form.text("figures", 1 << 20), form.text("released", 300)
    if pasted:
        document["released"] = _inline(pasted)
    elif file:
        document["released"] = file
    else:
        document["compute"] = True
    return document


def _inline(pasted: str) -> dict[str, Any]:
    """Pasted figures by their labels, digit by digit as they were pasted."""
    head, *rows = csv.reader(io.StringIO(figures_csv(pasted)))
    has_se = len(head) > 2
    found: dict[str, Any] = {}
    for row in rows:
        label, value, se = row[0], row[1], row[2] if has_se and len(row) > 2 else ""
        if label in found:
            raise SpecError(f"{label[:80]!r} is there twice.", where="figures")
        found[label] = {"value": value, "se": se} if se else value
    return found


def fill(document: Mapping[str, Any]) -> dict[str, list[str]]:
    """What the fields of a form held when they gave this output."""
    found: dict[str, list[str]] = {"kind": [str(document.get("kind", ""))]}
    for name, value in document.items():
        if isinstance(value, bool):
            found[f"field-{name}"] = ["yes"] if value else []
        elif isinstance(value, list | tuple):
            found[f"field-{name}"] = [str(v) for v in value]
        elif not isinstance(value, Mapping):
            found[f"field-{name}"] = [str(value)]
    released = document.get("released")
    if isinstance(released, Mapping):
        found["figures"] = ["\n".join(_line(label, value) for label, value in released.items())]
    elif isinstance(released, list | tuple):
        found["figures"] = []
    elif released is not None:
        found["released"] = [str(released)]
    return found


def _line(label: Any, value: Any) -> str:
    text = io.StringIO()
    cells = [value.get("value", value.get("coef")), value.get("se")] if isinstance(value, Mapping) else [value]
    csv.writer(text, lineterminator="").writerow([label, *("suppressed" if c is None else c for c in cells)])
    return text.getvalue()


def can_fill(document: Mapping[str, Any]) -> bool:
    """Whether a form can hold everything that the output says; another would lose some of it."""
    form = kind_forms().get(str(document.get("kind")))
    if form is None or isinstance(document.get("released"), list | tuple):
        return False
    asked = {"kind", "released", "compute", *(f.name for f in form.fields)}
    return set(document) <= asked and not any(isinstance(v, Mapping) for k, v in document.items() if k != "released")
