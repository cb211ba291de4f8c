"""What the page shows of a desk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import Request
from starlette.responses import Response

from divulge.errors import DivulgeError
from divulge.table.lint.remark import Remark
from divulge.web.access import Sent
from divulge.web.desk import saving
from divulge.web.desk.access import keys_of
from divulge.web.desk.desk import Data, Desk
from divulge.web.desk.filled import USUAL, can_fill, fill
from divulge.web.forms import find_form, kind_forms
from divulge.web.pages import page

_DONE: Mapping[str, str] = {
    "data": "The data were read.",
    "files": "The files are in the folder.",
    "left-out": "The file is left out. It stays where it is, and is not handed in.",
    "output": "The output is in the list.",
    "removed": "The output is no longer in the list.",
    "stopped": "Stopped.",
    "saved": "The folder to hand in is saved.",
    "noted": "Your note is in the folder.",
    "decided": "Your decision is in the folder, with its reason.",
}


@dataclass(frozen=True)
class _Variable:
    """A variable as it was understood: what it is, never a value of a row."""

    name: str
    what: str
    values: int
    missing: int
    remarks: tuple[Remark, ...]


@dataclass(frozen=True)
class _Listed:
    """An output in the list. number: its place among those of the forms, from 1; None where it stands in a file."""

    title: str
    kind: str
    facts: Mapping[str, str]
    number: int | None
    can_change: bool
    agreed: str


class _Typed:
    """What the fields of the form hold: what was typed and not taken, or an output that is to be corrected."""

    def __init__(self, form: Sent | None, filled: Mapping[str, list[str]]) -> None:
        self.form, self.filled = form, filled

    def text(self, name: str) -> str:
        if self.form is not None:
            return self.form.text(name, 1 << 20)
        return next(iter(self.filled.get(name, ())), "")

    def texts(self, name: str) -> list[str]:
        return self.form.texts(name) if self.form is not None else list(self.filled.get(name, ()))


def show(request: Request, desk: Desk, problem: DivulgeError | None = None, typed: Sent | None = None) -> Response:
    """The page. What was asked for by its address: the form of a kind, or an output to be corrected."""
    query, keys = request.query_params, keys_of(request)
    number = typed.number("number") if typed is not None else _number(query.get("edit"), len(desk.own))
    filled = fill(desk.own[number - 1]) if number is not None and 1 <= number <= len(desk.own) else {}
    kind = (typed.text("kind") if typed is not None else query.get("kind")) or _first(filled.get("kind")) or USUAL
    found, job = desk.found, desk.jobs.latest
    notes = saving.Notes(desk)
    return page(
        request,
        "desk",
        None,
        problem=problem,
        csrf=keys.csrf,
        at=keys.root,
        done=_DONE.get(query.get("done", "")) if problem is None else None,
        desk=desk,
        data=desk.data,
        variables=[] if desk.data is None else _variables(desk.data),
        file_remarks=[] if desk.data is None else [r for r in desk.data.remarks if r.variable is None],
        files=_files(desk),
        outputs=_outputs(desk),
        spec=desk.text(),
        kinds=list(kind_forms().values()),
        kind_form=find_form(kind if kind in kind_forms() else USUAL),
        typed=_Typed(typed, filled),
        editing=number,
        job=job,
        words="" if job is None else f"{job.what}. {job.words}",
        record=None if found is None else found.record,
        came_with=notes.came_with() if found is None else None,
        notes=[(note, notes.is_about_now(note)) for note in notes.read()],
        saved=_saved(desk),
        choices=saving.CHOICES,
    )


def _first(texts: list[str] | None) -> str | None:
    return texts[0] if texts else None


def _number(text: str | None, most: int) -> int | None:
    if text is None or not text.isascii() or not text.isdigit():
        return None
    return int(text) if 1 <= int(text) <= most else None


def _saved(desk: Desk) -> Path | None:
    target = saving.Copy(desk).folder
    return target if target.is_dir() and desk.found is not None else None


def _variables(data: Data) -> list[_Variable]:
    found = []
    for variable in data.table.schema:
        counts = data.table.frequencies(variable.name)
        what = variable.kind if variable.holds == "levels" else variable.holds
        missing = int(counts[variable.n_values :].sum())
        remarks = tuple(r for r in data.remarks if r.variable == variable.name)
        found.append(_Variable(variable.name, what, variable.n_values, missing, remarks))
    return found


def _files(desk: Desk) -> list[Mapping[str, Any]]:
    """Every file that would be handed in, with what was understood of it."""
    told = {f["file"]: f for f in (desk.read.told or {}).get("files", ())}
    return [{"name": n, "status": told.get(n, {}).get("status", "not read yet"), **_about(desk, n)} for n in desk.files]


def _about(desk: Desk, name: str) -> Mapping[str, Any]:
    told = desk.read.told or {}
    outputs = [o for o in told.get("outputs", ()) if o["file"] == name]
    unread = [p for p in told.get("unread", ()) if p["file"] == name]
    doubts = [
        f"Lines {o['lines'][0]}–{o['lines'][1]}: {o['kind']}: {o['note'] or 'not confirmed'}."
        for o in outputs
        if not o["confirmed"]
    ]
    doubts += [f"{_lines(p)}{p['reason']}." for p in unread]
    doubts += [f"Line {f['line']}: {f['what']}." for f in told.get("finds", ()) if f["file"] == name]
    return {"outputs": len(outputs), "doubts": doubts[:20]}


def _lines(part: Mapping[str, Any]) -> str:
    return f"Lines {part['lines'][0]}–{part['lines'][1]}: " if "lines" in part else ""


def _outputs(desk: Desk) -> list[_Listed]:
    found = []
    for i, document in enumerate(desk.outputs):
        own = i < len(desk.own)
        facts = {
            name.replace("_", " ").capitalize(): _fact(value)
            for name, value in document.items()
            if name not in ("kind", "name", "compute")
        }
        title = str(document.get("name") or f"{document.get('kind')}")
        found.append(
            _Listed(
                title,
                str(document.get("kind")),
                facts,
                i + 1 if own else None,
                own and can_fill(document),
                "computed from the data" if document.get("compute") else "" if own else "as it stands in the file",
            )
        )
    return found


def _fact(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{len(value):,} figures" if len(value) > 3 else ", ".join(f"{k}: {v}" for k, v in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
