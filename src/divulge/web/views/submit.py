"""Handing in outputs: a spec, a folder of ACRO's, or figures with a form that follows from the kind."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import yaml
from fastapi import APIRouter, Request
from starlette.responses import Response

from divulge.errors import DivulgeError, NotAllowedError, SpecError
from divulge.ledger import queries, states, workflow
from divulge.ledger.datasets import get_open_dataset, schema_of
from divulge.ledger.listing import whole_number
from divulge.ledger.model import Dataset, Submission
from divulge.ledger.proposals import CONTEXT, CORRECTIONS, Proposal
from divulge.ledger.store import Blob, Store
from divulge.table import Schema
from divulge.web import intake
from divulge.web.access import Form, Posted, SignedIn, Visitor, ledger_of, settings_of
from divulge.web.forms import find_form, kind_forms
from divulge.web.pages import go, page
from divulge.web.parsing import one_at_a_time

router = APIRouter(include_in_schema=False)

_EXAMPLE = {
    "title": "Income by sex",
    "purpose": "An example from the demonstration: a table with large cells.",
    "text": """outputs:
  - kind: crosstab
    name: Income by sex
    variables: [sex, income]
    compute: true   # or released: with the figures
""",
}
"""What a newcomer may submit about the demonstration's extract of a survey."""

_MOST_PASTED = 200_000  # bytes of figures that a form shows; longer ones are sent as a file

UPLOADS = frozenset({"/submit/table", "/submit/spec", "/submit/acro", "/submit/files"})
"""The addresses that take files."""


@router.get("/submit")
def _ways(request: Request, visitor: SignedIn) -> Response:
    return _form(request, visitor, "ways")


@router.get("/submit/{way}")
def _way(request: Request, visitor: SignedIn, way: Literal["table", "spec", "acro", "files"]) -> Response:
    return _form(request, visitor, way)


@router.post("/submit/spec")
def _submit_spec(request: Request, form: Form) -> Response:
    def propose(schema: Schema) -> Proposal:
        text, name = intake.spec_text(intake.sent_files(form.fields, "spec"), form.text("text", 1 << 20))
        document = intake.read_document(text, name)
        store, most = ledger_of(request).store, settings_of(request).upload_bytes
        uploads = intake.keep(store, intake.sent_files(form.fields, "files"), most)
        why = form.text("why", 2000)
        sent = intake.keep(store, intake.sent_files(form.fields, "others"), most)
        others = [(name, blob, why) for name, blob in sent]
        before = _kept_before(request, form, {name for name, _ in [*uploads, *sent]})
        return intake.from_spec(
            form.text("title"), form.text("purpose"), document, [*uploads, *before[0]], [*others, *before[1]]
        )

    return _hand_in(request, form, "spec", propose)


def _kept_before(
    request: Request, form: Posted, sent: set[str]
) -> tuple[list[tuple[str, Blob]], list[tuple[str, Blob, str]]]:
    """Files of the version before that were not sent anew: those that stay here, and those to leave if so ticked."""
    replaces = form.number("replaces")
    if replaces is None:
        return [], []
    with ledger_of(request).reading() as session:
        old = queries.find_submission(session, form.visitor.person, replaces)
        states.Rights(form.visitor.person).check_resubmit(old)
        if old.origin == "acro":
            # What could be read of each file depends on the data: none is kept, so none is missing.
            return [], []
        uploads, others = intake.kept_files(old, without=CORRECTIONS)
        wanted = set(form.texts("keep"))
        return [u for u in uploads if u[0] not in sent], [o for o in others if o[0] in wanted - sent]


@router.post("/submit/acro")
def _submit_acro(request: Request, form: Form) -> Response:
    def propose(schema: Schema) -> Proposal:
        files = intake.sent_files(form.fields, "folder")
        if not files:
            raise SpecError("a zip file of the folder is needed.", where="folder")
        settings = settings_of(request)
        return intake.from_acro(
            ledger_of(request).store,
            form.text("title"),
            form.text("purpose"),
            files[0],
            schema,
            settings.limits,
            settings.upload_bytes,
        )

    return _hand_in(request, form, "acro", propose)


@router.post("/submit/files")
def _submit_files(request: Request, form: Form) -> Response:
    def propose(schema: Schema) -> Proposal:
        settings = settings_of(request)
        return intake.from_files(
            ledger_of(request).store,
            form.text("title"),
            form.text("purpose"),
            intake.sent_files(form.fields, "files"),
            settings.limits,
            settings.upload_bytes,
            form.text("why", 2000) if form.text("leave") else None,
        )

    return _hand_in(request, form, "files", propose)


@router.post("/submit/table")
def _submit_table(request: Request, form: Form) -> Response:
    def propose(schema: Schema) -> Proposal:
        return intake.from_form(
            ledger_of(request).store,
            form.text("title"),
            form.text("purpose"),
            form.fields,
            form.text("figures", 1 << 20),
            intake.sent_files(form.fields, "file"),
            settings_of(request).upload_bytes,
        )

    return _hand_in(request, form, "table", propose)


def _hand_in(request: Request, form: Posted, way: str, propose: Callable[[Schema], Proposal]) -> Response:
    ledger, replaces = ledger_of(request), form.number("replaces")
    token = form.text("token", 64) or None
    project, dataset = form.number("project"), form.number("dataset")
    try:
        about = _dataset(request, form.visitor, project, dataset, replaces)
        schema = schema_of(about)
        with one_at_a_time(form.visitor.id):
            proposal = _with_context(propose(schema), form)
            intake.check_figures(ledger.store, proposal, schema, about.public)
        with ledger.writing() as session:
            if replaces is not None:
                made = workflow.resubmit(session, form.visitor.id, replaces, proposal, token=token)
            else:
                made = workflow.submit(session, form.visitor.id, project or 0, dataset or 0, proposal, token=token)
    except DivulgeError as error:
        if way == "table" and error.where:
            # Whoever fills in a form has no list of outputs before them.
            error.where = error.where.removeprefix("outputs[0].").replace("released", "figures")
        return _form(request, form.visitor, way, problem=error, typed=form)
    return go(f"/submissions/{made.id}", "submitted")


def _with_context(proposal: Proposal, form: Posted) -> Proposal:
    """With what the form says of all outputs; what a spec says of each stays."""
    said = {name: form.text(f"context-{name}", 5000) for name in CONTEXT}
    return replace(proposal, context={**proposal.context, 0: said}) if any(said.values()) else proposal


def _dataset(
    request: Request, visitor: Visitor, project_id: int | None, dataset_id: int | None, replaces: int | None
) -> Dataset:
    """What it is about. Before anything is stored: whether it may be handed in there at all."""
    with ledger_of(request).reading() as session:
        if replaces is not None:
            old = queries.find_submission(session, visitor.person, replaces)
            states.Rights(visitor.person).check_resubmit(old)
            return old.dataset
        if project_id not in {p.id for p in _open_projects(session, visitor)}:
            raise NotAllowedError("a project that you work in is to be chosen.", where="project")
        return get_open_dataset(session, project_id or 0, dataset_id or 0)


def _open_projects(session: Any, visitor: Visitor) -> list[Any]:
    found = queries.list_projects(session, visitor.person, per_page=500).items
    return [p for p in found if states.may(states.Rights(visitor.person).check_submit, p)]


def _form(
    request: Request,
    visitor: Visitor,
    way: str,
    problem: DivulgeError | None = None,
    typed: Posted | None = None,
) -> Response:
    query = request.query_params
    replaces_text = typed.text("replaces") if typed is not None else query.get("replaces", "")
    with ledger_of(request).reading() as session:
        old: Submission | None = None
        replaces = whole_number(replaces_text)
        if replaces is not None:
            old = queries.find_submission(session, visitor.person, replaces)
        chosen = (typed.text("dataset") if typed is not None else "") or query.get("dataset", "")
        projects = _open_projects(session, visitor)
        opened = queries.open_datasets(session, [p.id for p in projects])
        datasets = sorted({d.id: d for found in opened.values() for d in found}.values(), key=lambda d: d.name)
        example = next((d for d in datasets if _is_of_demonstration(request, d)), None)
        is_example = example is not None and query.get("example") == "cps"
        if is_example and example is not None:
            chosen = str(example.id)
        dataset = old.dataset if old is not None else next((d for d in datasets if str(d.id) == chosen), None)
        before = _Typed(typed, old, _EXAMPLE if is_example else {}, ledger_of(request).store)
        kind = query.get("kind", "") or before.text("kind")
        kind_form = find_form(kind) if way == "table" and kind in kind_forms() else None
        return page(
            request,
            f"submit_{way}",
            visitor,
            problem=problem,
            projects=projects,
            datasets=datasets,
            dataset=dataset if dataset is not None or len(datasets) != 1 else datasets[0],
            old=old,
            kinds=list(kind_forms().values()),
            kind_form=kind_form,
            typed=before,
            token=secrets.token_urlsafe(24),
            most=settings_of(request).upload_bytes,
            has_example=example is not None,
        )


def _is_of_demonstration(request: Request, dataset: Dataset) -> bool:
    """Whether a dataset is the one that the example is about: another may have the same name."""
    return Path(dataset.path) == (ledger_of(request).store.demo_folder / "cps.csv").absolute()


class _Typed:
    """What was typed before something was found wrong with it, or what the returned version said."""

    def __init__(
        self, form: Posted | None, old: Submission | None, example: Mapping[str, str], store: Store | None = None
    ) -> None:
        self.form, self.old, self.example = form, old, example
        self._given = _sent_before(old, store) if form is None and old is not None and store is not None else {}

    def text(self, name: str) -> str:
        if self.form is not None:
            return self.form.text(name, 1 << 20)
        if self.old is not None and name in ("title", "purpose"):
            return str(getattr(self.old, name))
        if self.old is not None and name.startswith("context-"):
            return str(((self.old.context or {}).get("0") or {}).get(name.removeprefix("context-"), ""))
        return self._given.get(name, [self.example.get(name, "")])[0]

    def texts(self, name: str) -> list[str]:
        return self.form.texts(name) if self.form is not None else self._given.get(name, [])


def _sent_before(old: Submission, store: Store) -> dict[str, list[str]]:
    """What the author sent, as the fields of a form. What a worker or a search made of it is not the author's."""
    if old.origin not in ("spec", "table") or not old.outputs:
        return {}
    said = old.context or {}
    documents = [
        {**o.document, "context": said[str(o.number)]} if str(o.number) in said else o.document for o in old.outputs
    ]
    plain = yaml.safe_dump({"outputs": documents}, sort_keys=False, allow_unicode=True)
    found = {"text": [plain], "kind": [old.outputs[0].kind]}
    for name, value in old.outputs[0].document.items():
        listed = value if isinstance(value, list) else ["yes"] if value is True else [value]
        found[f"field-{name}"] = [str(one) for one in listed]
    named = old.outputs[0].document.get("released")
    upload = next((u for u in old.uploads if u.name == named), None)
    if upload is not None and upload.size <= _MOST_PASTED:
        found["figures"] = [store.read(upload.digest).decode("utf-8-sig", errors="replace")]
    return found
