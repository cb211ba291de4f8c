"""The assessment of a submission: put together from the ledger, run in a process of its own, results as plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from divulge.assess import Candidate, Plan, Step, assess, plan
from divulge.errors import LedgerError
from divulge.ledger.basis import find_basis
from divulge.ledger.database import Ledger
from divulge.ledger.datasets import fingerprint
from divulge.ledger.earlier import earlier_outputs
from divulge.ledger.model import Job, Submission
from divulge.ledger.store import make_private
from divulge.outputs import Released
from divulge.record import dumps, write_bytes, write_text
from divulge.spec import parse_spec, read_inputs

_Figures = list[dict[str, Any]]


@dataclass(frozen=True)
class _Work:
    """Everything that a process needs to assess a submission; it is given no way into the ledger."""

    document: Mapping[str, Any]
    folder: Path
    fingerprint: str
    before: tuple[Candidate, ...]


@dataclass(frozen=True)
class _Finished:
    """A record, and the figures of every output as printed."""

    record: dict[str, Any]
    figures: list[_Figures]


def prepare(ledger: Ledger, submission_id: int, job_id: int) -> _Work:
    """What is to be assessed. The submission's files are laid out in the job's folder, and nothing else is there."""
    folder = ledger.store.work_folder(job_id)
    make_private(folder.parent)
    make_private(folder)
    with ledger.writing() as session:
        submission = session.get_one(Submission, submission_id)
        dataset = submission.dataset
        # Before anything else is read: what changes from here on is missing in it, and so is noticed before a release.
        session.get_one(Job, job_id).basis = find_basis(session, submission)
        for upload in submission.uploads:
            write_bytes(folder / upload.name, ledger.store.read(upload.digest))
        # A name that no upload can have: they do not start with a full stop.
        write_text(folder / ".schema.json", dumps(dataset.schema))
        document = {
            **dataset.settings,
            "data": dataset.path,
            "schema": ".schema.json",
            "outputs": [o.document for o in submission.outputs],
        }
        return _Work(document, folder, dataset.fingerprint, tuple(earlier_outputs(session, dataset.fingerprint)))


def run(work: _Work, listener: Callable[[Step], None]) -> _Finished:
    """Assess: read the data, see that they are those that were registered, resume what an earlier attempt finished."""
    assessment = parse_spec(work.document, work.folder)
    inputs = read_inputs(assessment)
    assert inputs.table is not None, "data are always named"
    if fingerprint(inputs.table) != work.fingerprint:
        raise LedgerError(
            "the data are not those that were registered: somebody has changed or replaced the file.",
            where="data",
            hint="Register them as a dataset of their own, in the same collection.",
        )
    ready = plan(assessment, inputs, work.before)
    found = assess(
        ready, spec_text=dumps(work.document).encode(), folder=work.folder, workers=1, resume=True, listener=listener
    )
    figures = released_figures(ready)
    found.checkpoint.clear()
    return _Finished(found.record, figures)


def released_figures(ready: Plan) -> list[_Figures]:
    """The figures of every new output as they are released: as they were given, else as computed from the data."""
    found = zip(ready.outputs, ready.printed[: ready.n_new], strict=False)
    return [_figures(printed, with_se=output.has_se) for output, printed in found]


def _figures(printed: Released, with_se: bool) -> _Figures:
    """with_se: whether standard errors are figures of the output; where they are not, none leaves with it."""
    values = printed.precision.texts(printed.values)
    found: _Figures = [{"label": label, "value": value} for label, value in zip(printed.labels, values, strict=True)]
    if printed.se is not None and with_se:
        for figure, se in zip(found, printed.precision_of_se.texts(printed.se), strict=True):
            figure["se"] = se
    return found
