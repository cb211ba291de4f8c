"""The assessment of a submission: put together from the ledger, run in a process of its own, results as plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from divulge import __version__
from divulge.assess import Candidate, Plan, Step, assess, plan
from divulge.assess.folders.handed_in import place_of, with_doubts
from divulge.condensing.group_by import MANY
from divulge.condensing.kept_counts import Kept
from divulge.errors import LedgerError, SourceError, SpecError
from divulge.ledger.basis import find_basis
from divulge.ledger.carried import check_numbers
from divulge.ledger.database import Ledger
from divulge.ledger.datasets import fingerprint, read_people
from divulge.ledger.earlier import earlier_outputs
from divulge.ledger.jobs import FoundOutput
from divulge.ledger.made import beside, check_quiet, clashing, together, words_of
from divulge.ledger.model import Job, Submission
from divulge.ledger.proposals import CORRECTIONS, HANDED_IN, spoken_of
from divulge.ledger.store import make_private
from divulge.outputs import Figures, Released
from divulge.policy import Policy, Verdict
from divulge.readers.handed_in.corrections import Correction, read_corrections
from divulge.readers.handed_in.folder import FolderRead, read_folder
from divulge.record import FORMAT_VERSION, dumps, write_bytes, write_text
from divulge.sources.file import File, n_rows_of
from divulge.spec import Assessment, format_output, parse_output, parse_spec, read_inputs
from divulge.spec.handed_in import Placed, made_variables, needed_to_make, placed_outputs, with_made_variables
from divulge.spec.needed import can_condense, needed_columns
from divulge.table import Table, read_schema, read_table

_SENT = "sent"  # the folder of the files themselves, beside the splits that are finished
_Figures = list[dict[str, Any]]


@dataclass(frozen=True)
class _Work:
    """Everything that a process needs to assess a submission; it is given no way into the ledger."""

    document: Mapping[str, Any]
    folder: Path
    fingerprint: str
    before: tuple[Candidate, ...]
    files: Path | None = None
    """Where the files are in which the outputs are to be found; None where the document has them."""
    corrections: tuple[Correction, ...] = ()
    kept: Path | None = None
    """Where condensed people are kept."""


@dataclass(frozen=True)
class _Finished:
    """A record, and the figures of every output as printed."""

    record: dict[str, Any]
    figures: list[_Figures]
    outputs: tuple[FoundOutput, ...] | None = None
    """Those that were found in files, where the submission came without."""


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
        sent = folder / _SENT if submission.origin == HANDED_IN else folder
        make_private(sent)
        corrections: tuple[Correction, ...] = ()
        for upload in submission.uploads:
            content = ledger.store.read(upload.digest)
            if submission.origin == HANDED_IN and upload.name == CORRECTIONS:
                corrections = read_corrections(content.decode())
            else:
                write_bytes(sent / upload.name, content)
        # A name that no upload can have: they do not start with a full stop.
        write_text(folder / ".schema.json", dumps(dataset.schema))
        document = {
            **dataset.settings,
            "data": dataset.path,
            "schema": ".schema.json",
            "outputs": [o.document for o in submission.outputs],
        }
        before = tuple(earlier_outputs(session, dataset.fingerprint))
        files = sent if submission.origin == HANDED_IN else None
        kept = ledger.store.condensed_folder
        return _Work(document, folder, dataset.fingerprint, before, files, corrections, kept)


def run(work: _Work, listener: Callable[[Step], None]) -> _Finished:
    """Assess: read the data, see that they are those that were registered, resume what an earlier attempt finished."""
    if work.files is not None:
        return _run_files(work, work.files, listener)
    if not work.document["outputs"]:
        # A folder of ACRO's of which nothing could be read: its files say why, each.
        return _Finished(_not_assessed(["None of its outputs could be read."]), [])
    ready, record = _assessed(work, work.document, listener)
    return _Finished(record, released_figures(ready))


def _run_files(work: _Work, files: Path, listener: Callable[[Step], None]) -> _Finished:
    """Find the outputs in the files, by the data; assess those that the data confirm, and say what is left over."""
    table = read_table(Path(str(work.document["data"])), read_schema(work.folder / str(work.document["schema"])))
    _check_data(table, work)
    read = read_folder(files, table, corrections=work.corrections)
    made, refused = _made(read, table, work.before)
    whole = with_made_variables(table, made)
    placed, left = _quiet(*placed_outputs(read, whole))
    left = (*left, *refused)
    if not placed:
        # For the checkers to look at: to fail would leave it with nobody.
        said = ["No output in the files was confirmed by the data. Nothing of it was assessed, and nothing leaves."]
        return _Finished(with_doubts(_not_assessed(said), read, left, ()), [], ())
    documents = [{**format_output(p.output), "name": p.output.name or place_of(p)} for p in placed]
    spoken = [spoken_of(p.output, whole.schema) for p in placed]
    used = {name for names in spoken for name in names}
    people, before = together(table, used, _made_by(used, table, made), work.before)
    ready, record = _assessed(
        replace(work, before=tuple(before)), {**work.document, "outputs": documents}, listener, people
    )
    found = tuple(
        FoundOutput(str(one["name"]), p.output.kind, one, names, _made_by(names, table, made))
        for one, p, names in zip(documents, placed, spoken, strict=True)
    )
    record = with_doubts(record, read, left, placed)
    words = words_of({name: text for one in found for name, text in one.made.items()})
    return _Finished(_to_be_read(record, words), released_figures(ready), found)


def _made(read: FolderRead, table: Table, before: Sequence[Candidate]) -> tuple[dict[str, str], tuple[str, ...]]:
    """How sessions made variables, and sentences about those that are left to the checker."""
    made = made_variables(read, table)
    refused: list[str] = []
    for name in list(made):
        try:
            check_quiet({name: made[name]})
        except SpecError as error:
            refused.append(f"The variable {name[:40]!r}: {error.message}")
            del made[name]
    for name, release in clashing(table, made, before).items():
        refused.append(f"The variable {name!r} meant something else in {release}; it needs another name.")
        del made[name]
    return made, tuple(refused)


def _to_be_read(record: dict[str, Any], words: Sequence[str]) -> dict[str, Any]:
    """A record with the words of an author's own that would leave with the figures: somebody reads them."""
    if not words:
        return record
    listed = ", ".join(repr(word) for word in words)
    said = f"Values that its author has named leave with the figures, and somebody must read them: {listed}."
    verdict = Verdict.REVIEW if record["verdict"] == Verdict.RELEASE else record["verdict"]
    return {**record, "verdict": str(verdict), "reasons": [*record["reasons"], said]}


def _quiet(placed: Sequence[Placed], left: Sequence[str]) -> tuple[list[Placed], tuple[str, ...]]:
    """The outputs whose own words carry nothing out; the others are left to the checker, as what is left already."""
    kept: list[Placed] = []
    loud: list[str] = []
    for one in placed:
        try:
            check_numbers(format_output(one.output))
            kept.append(one)
        except SpecError as error:
            loud.append(f"{place_of(one)}: {one.output.kind} cannot be assessed: {error.message}")
    return kept, (*left, *loud)


def _assessed(
    work: _Work, document: Mapping[str, Any], listener: Callable[[Step], None], people: Table | None = None
) -> tuple[Plan, dict[str, Any]]:
    """people: the data, where they have been read and compared already."""
    assessment = parse_spec(document, work.folder)
    before: Sequence[Candidate] = work.before
    if people is None and not any(one.made for one in before):
        people = _condensed(work, assessment)
    inputs = read_inputs(assessment, people=people)
    assert inputs.table is not None, "data are always named"
    if people is None:
        _check_data(inputs.table, work)
        inputs, before = beside(inputs, assessment.outputs, before)
    ready = plan(assessment, inputs, before, condenses=True)
    found = assess(
        ready, spec_text=dumps(document).encode(), folder=work.folder, workers=1, resume=True, listener=listener
    )
    found.checkpoint.clear()
    return ready, found.record


def _condensed(work: _Work, assessment: Assessment) -> Table | None:
    """Many people by the variables that are asked about, counted once and kept; None where rows are to be read.

    Whether the file holds the data that were registered is seen to where it has changed since that was last done.
    """
    file = Path(str(work.document["data"]))
    schema = read_schema(work.folder / str(work.document["schema"]))
    before = [parse_output(one.document) for one in work.before]
    outputs = [*assessment.outputs, *before]
    can = can_condense(assessment) and not assessment.derive and all(output.condenses for output in outputs)
    if work.kept is None or not can or file.suffix.lower() != ".parquet" or n_rows_of(file) < MANY:
        return None
    kept = Kept(work.kept, work.fingerprint)
    if not kept.has_seen(file):
        _check_data(read_people(file, schema), work)
        kept.note(file)
    names = {*needed_columns(assessment, schema, schema.names)}
    names |= {name for output in before for name in output.uses(schema)}
    wanted = [name for name in schema.names if name in names]
    try:
        return kept.table(wanted, schema, lambda: File(file=file).read(schema, lambda there: wanted, condensed=True))
    except SourceError:
        return None


def _check_data(table: Table, work: _Work) -> None:
    if fingerprint(table) != work.fingerprint:
        raise LedgerError(
            "the data are not those that were registered: somebody has changed or replaced the file.",
            where="data",
            hint="Register them as a dataset of their own, in the same collection.",
        )


def _not_assessed(reasons: list[str]) -> dict[str, Any]:
    """The record of a submission of which nothing could be assessed: *review*, and why."""
    nobody = {"exposed": 0, "tested": False, "by_rules": 0, "share": 0.0, "delta": Policy().delta, "scenarios": []}
    return {
        "format_version": FORMAT_VERSION,
        "divulge": __version__,
        "verdict": str(Verdict.REVIEW),
        "reasons": reasons,
        "settle": [],
        "outputs": [],
        "risk": [],
        "rules": None,
        "audit": None,
        "exposure": nobody,
        "emergent": None,
        "cumulative": None,
    }


def released_figures(ready: Plan) -> list[_Figures]:
    """The figures of every new output as they are released: as they were given, else as computed from the data."""
    found = zip(ready.outputs, ready.printed[: ready.n_new], ready.figures, strict=False)
    return [_figures(printed, computed, with_se=output.has_se) for output, printed, computed in found]


def _figures(printed: Released, computed: Figures, with_se: bool) -> _Figures:
    """with_se: whether standard errors are figures of the output; where they are not, none leaves with it."""
    settled = printed.settled(computed.values, computed.se)
    values = settled.precision.texts(settled.values)
    found: _Figures = [{"label": label, "value": value} for label, value in zip(printed.labels, values, strict=True)]
    if settled.se is not None and with_se:
        for figure, se in zip(found, settled.precision_of_se.texts(settled.se), strict=True):
            figure["se"] = se
    return found


def _made_by(names: Iterable[str], table: Table, made: Mapping[str, str]) -> dict[str, str]:
    """How those of some variables that the data do not have are made."""
    return needed_to_make([name for name in names if name not in table.schema], made)
