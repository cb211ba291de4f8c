"""`divulge ledger`: what has been released about which data. Adding, looking, verifying, exporting."""

from __future__ import annotations

import getpass
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table as Grid

from divulge.errors import TamperedError, UsageError
from divulge.record import dumps, read_record, write_text
from divulge.terminal.ledger_options import LedgerOption, StoreOption, opened
from divulge.terminal.options import JsonOption
from divulge.terminal.screen import screen

if TYPE_CHECKING:
    from divulge.ledger.model import Submission, TrailEntry

app = typer.Typer(
    help="Keep account of what has been released about which data.", no_args_is_help=True, rich_markup_mode="markdown"
)


@app.command("add")
def _add(
    spec: Annotated[Path, typer.Argument(help="The assessment file of what was released.", show_default=False)],
    title: Annotated[str | None, typer.Option(help="What to call it. Without it: the name of the file.")] = None,
    by: Annotated[str | None, typer.Option(metavar="NAME", help="Whose output it is. Without it: you.")] = None,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The record.json of its assessment.", show_default=False)
    ] = None,
    dataset: Annotated[
        str | None, typer.Option(metavar="NAME", help="What to call the data. Without it: the name of their file.")
    ] = None,
    collection: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Data of one collection are about the same people. Without it: the data."),
    ] = None,
    date: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="When it was released. Without it: today.")
    ] = None,
    ledger: LedgerOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Put outputs that were released into the ledger, with their figures.

    The data stay where they are: the ledger keeps their fingerprint, their schema and the name of their file. From then
    on `divulge assess --ledger` assesses every further output about the same data together with these.
    """
    from divulge.assess import plan
    from divulge.ledger.imports import add_release
    from divulge.spec import read_inputs, read_spec

    found = read_record(record) if record is not None else None
    assessment = read_spec(spec)
    # A ledger knows data by everything that they hold.
    ready = plan(assessment, read_inputs(assessment))
    with opened(ledger, store, create=True) as known:
        number, made, anchor = add_release(
            known,
            ready,
            by=by or getpass.getuser(),
            title=title or spec.stem,
            dataset=dataset,
            collection=collection,
            record=found,
            at=None if date is None else date.replace(tzinfo=UTC),
        )
    if json:
        screen.print_json(
            {"submission": number, "outputs": ready.n_new, "released": made.at.isoformat(), "anchor": str(anchor)}
        )
    else:
        outputs = "1 output" if ready.n_new == 1 else f"{ready.n_new} outputs"
        screen.show(f"Submission {number}: {outputs}, released {made.at:%Y-%m-%d}.")
        screen.note(f"The audit trail ends at {anchor}: keep this elsewhere.")


@app.command("list")
def _list(
    dataset: Annotated[str | None, typer.Option(metavar="NAME", help="Only about these data.")] = None,
    state: Annotated[str | None, typer.Option(help="Only those in this state, as released.")] = None,
    page: Annotated[int, typer.Option(min=1, help="Which page of fifty.")] = 1,
    ledger: LedgerOption = None,
    json: JsonOption = False,
) -> None:
    """List submissions and releases, the newest first."""
    from divulge.ledger.queries import list_submissions

    with opened(ledger) as known, known.reading() as session:
        found = list_submissions(session, state=_state(state), dataset_id=_dataset(session, dataset), page=page)
        if json:
            rows = [_as_json(s) for s in found.items]
            screen.print_json({"submissions": rows, "total": found.total, "page": found.number, "pages": found.pages})
            return
        screen.show(_listing(found.items))
        if found.pages > 1:
            screen.note(f"Page {found.number} of {found.pages}; {found.total:,} in all.")


@app.command("show")
def _show(
    number: Annotated[int, typer.Argument(help="The number of the submission.", show_default=False)],
    ledger: LedgerOption = None,
    json: JsonOption = False,
) -> None:
    """Show one submission: its outputs with their figures, its assessment, its decisions and its history."""
    from divulge.ledger.queries import find_submission, history

    with opened(ledger) as known, known.reading() as session:
        found = _details(
            find_submission(session, None, number),
            history(session, number),
            history(session, number, subject="view"),
        )
    if json:
        screen.print_json(found)
    else:
        _show_details(found)


@app.command("verify")
def _verify(
    expect: Annotated[
        str | None,
        typer.Option(metavar="COUNT:HASH", help="What an earlier verify printed and you noted elsewhere."),
    ] = None,
    anchor: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A file of anchors, kept elsewhere: compare them all, then add today's."),
    ] = None,
    files: Annotated[bool, typer.Option("--files/--no-files", help="Read the released files too.")] = True,
    ledger: LedgerOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Say whether the ledger is as it was written.

    Every entry of the audit trail carries the hash of the one before it, and the digests of the rows that it changed. A
    changed, removed, added or moved entry is found, and so are rows that are not what was written, released files that
    are not what they were, and guards of the database that are gone. The last line is an anchor: kept elsewhere, it
    shows that nobody has written the whole trail anew.
    """
    from divulge.ledger.anchors import parse_anchor, read_anchors, write_anchor
    from divulge.ledger.verify import verify as verify_ledger

    noted = [] if expect is None else [parse_anchor(expect, "--expect")]
    noted += [] if anchor is None else read_anchors(anchor)
    with opened(ledger, store) as known:
        found = verify_ledger(known, expected=noted, files=files)
    head = str(found.head)
    if anchor is not None and not found.faults:
        write_anchor(anchor, found.head)
    if json and not found.faults:
        screen.print_json({"entries": found.entries, "faults": [], "head": head})
        return
    if found.faults:
        for fault in found.faults[:50]:
            screen.note(f"- {fault.what}")
        raise TamperedError(
            f"the ledger is not as it was written: {found.faults[0].what}"
            + (f", and {len(found.faults) - 1} more." if len(found.faults) > 1 else "."),
            hint="Restore it from a backup, and find out who had access.",
        )
    screen.show(f"{found.entries:,} entries, all as they were written.")
    screen.show(head)


@app.command("export")
def _export(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to. Without it: standard output.")
    ] = None,
    records: Annotated[bool, typer.Option("--records", help="With the records of all assessments.")] = False,
    ledger: LedgerOption = None,
    json: JsonOption = False,
) -> None:
    """Write the whole ledger as one JSON document: no passwords, no row of any data."""
    from divulge.ledger.export import export as export_ledger

    with opened(ledger) as known, known.reading() as session:
        document = export_ledger(session, records=records)
    if output is None:
        screen.print_json(document)
        return
    write_text(output, dumps(document))
    if json:
        screen.print_json({"file": str(output), "entries": document["trail"]["count"]})
    else:
        screen.show(str(output.resolve()))


@app.command("backup")
def _backup(
    file: Annotated[Path, typer.Argument(help="The archive to write.", show_default=False)],
    ledger: LedgerOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Write the whole ledger and its files into one archive; the service may go on meanwhile.

    The archive is as secret as the ledger: only this account can read it. It can be restored into SQLite or PostgreSQL,
    whichever it came from. Log-ins are not in it.
    """
    from divulge.ledger.backup import back_up

    with opened(ledger, store) as known:
        made = back_up(known, file)
    if json:
        screen.print_json({"file": str(file), "head": str(made.head), "rows": made.rows, "files": made.files})
    else:
        screen.show(str(file.resolve()))
        screen.show(str(made.head))


@app.command("restore")
def _restore(
    file: Annotated[Path, typer.Argument(help="An archive of `divulge ledger backup`.", show_default=False)],
    ledger: LedgerOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Bring an archive back into a database that has no ledger, and verify it."""
    from divulge.ledger.backup import restore as restore_ledger

    known, made = restore_ledger(ledger, store, file)
    known.close()
    if json:
        screen.print_json({"head": str(made.head), "rows": made.rows, "files": made.files})
    else:
        screen.show(f"{made.head.count:,} entries and {made.files:,} files, all as they were written.")
        screen.note(
            f"They are of {made.at}: accounts that were closed and tokens that were revoked since are open again, and "
            "what was released since is not known. See to that before people log in."
        )


def _state(name: str | None) -> Any:
    from divulge.ledger.model import State

    if name is not None and name not in list(State):
        raise UsageError(f"there is no state {name!r}.", hint=f"The states are: {', '.join(State)}.")
    return None if name is None else State(name)


def _dataset(session: Any, name: str | None) -> int | None:
    from sqlalchemy import select

    from divulge.ledger.model import Dataset

    if name is None:
        return None
    number: int | None = session.scalars(select(Dataset.id).where(Dataset.name == name)).one_or_none()
    if number is None:
        raise UsageError(f"no data are called {name!r} in this ledger.", where="--dataset")
    return number


_MOST_FIGURES = 20  # figures of an output that the screen shows; --json has them all


def _as_json(submission: Submission) -> dict[str, Any]:
    """A submission in a list."""
    return {
        "number": submission.id,
        "title": submission.title,
        "state": submission.state,
        "verdict": submission.verdict,
        "author": submission.author.name,
        "project": submission.project.name,
        "dataset": submission.dataset.name,
        "version": submission.version,
        "replaces": submission.replaces_id,
        "submitted": submission.created_at.isoformat(),
        "checkers": [a.person.name for a in submission.assignments],
        "decisions": len(submission.decisions),
    }


def _details(submission: Submission, history: Sequence[TrailEntry], seen: Sequence[TrailEntry]) -> dict[str, Any]:
    """A submission with everything about it. seen: who looked at what of it, and who took what away."""
    release = submission.release
    return {
        **_as_json(submission),
        "purpose": submission.purpose,
        "fingerprint": submission.dataset.fingerprint,
        "outputs": [
            {"number": o.number, "name": o.name, "kind": o.kind, "document": o.document, "figures": o.figures}
            for o in submission.outputs
        ],
        "uploads": [{"name": u.name, "sha256": u.digest, "size": u.size} for u in submission.uploads],
        "assessments": [
            {"verdict": a.verdict, "risk": a.risk, "adds": a.adds, "exposed": a.exposed, "at": a.at.isoformat()}
            for a in submission.assessments
        ],
        "decisions": [
            {"checker": d.person.name, "choice": d.choice, "reason": d.reason, "at": d.at.isoformat()}
            for d in submission.decisions
        ],
        "release": None if release is None else {"at": release.at.isoformat(), "manifest": release.manifest},
        "history": [
            {"number": e.number, "at": e.at.isoformat(), "person": e.person, "action": e.action, **_what(e)}
            for e in history
        ],
        "views": [{"at": e.at.isoformat(), "person": e.person, "action": e.action, **_what(e)} for e in seen],
    }


def _listing(submissions: Sequence[Submission]) -> Grid:
    grid = Grid(box=None, pad_edge=False)
    for name in ("number", "submitted", "state", "verdict", "author", "data", "title"):
        grid.add_column(name, justify="right" if name == "number" else "left")
    for s in submissions:
        day = f"{s.created_at:%Y-%m-%d}"
        grid.add_row(str(s.id), day, s.state, s.verdict or "", s.author.name, s.dataset.name, s.title)
    return grid


def _show_details(found: dict[str, Any]) -> None:
    version = f" (version {found['version']})" if found["version"] > 1 else ""
    screen.show(f"{found['number']}: {found['title']}{version}")
    screen.show(
        f"{found['state']}; by {found['author']}, about {found['dataset']}, submitted {found['submitted'][:10]}"
    )
    for assessment in found["assessments"]:
        adds = "" if assessment["adds"] is None else f", of which this adds {assessment['adds']:.4f}"
        risk = "" if assessment["risk"] is None else f"; marginal risk {assessment['risk']:.4f}{adds}"
        screen.show(
            f"Assessed {assessment['at'][:10]}: {assessment['verdict']}{risk}; {assessment['exposed']:,} exposed"
        )
    for decision in found["decisions"]:
        screen.show(f"{decision['checker']}: {decision['choice']}. {decision['reason']}")
    for output in found["outputs"]:
        screen.show("")
        screen.show(f"Output {output['number']} ({output['kind']}) {output['name']}".rstrip())
        figures = output["figures"] or []
        grid = Grid(box=None, pad_edge=False, show_header=False)
        for figure in figures[:_MOST_FIGURES]:
            grid.add_row(figure["label"], "suppressed" if figure["value"] is None else figure["value"])
        screen.show(grid)
        if len(figures) > _MOST_FIGURES:
            screen.show(f"and {len(figures) - _MOST_FIGURES:,} more")
    screen.show("")
    for entry in found["history"]:
        screen.show(f"{entry['number']:>6}  {entry['at'][:19].replace('T', ' ')}  {entry['person']}: {entry['action']}")


def _what(entry: TrailEntry) -> dict[str, Any]:
    # Digests of rows are for `verify`, not for people.
    return {"details": {name: value for name, value in json.loads(entry.details).items() if name != "rows"}}
