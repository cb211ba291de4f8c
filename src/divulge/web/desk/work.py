"""What the processes of a page do: read files, assess, look for a change that makes outputs safe."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from divulge.assess import Step, assess, plan
from divulge.assess.folders.handed_in import doubts_about, in_doubt, place_of
from divulge.assess.remarks import find_remarks
from divulge.assess.scenarios import scenarios_for
from divulge.readers.handed_in.folder import FolderRead, read_folder
from divulge.readers.handed_in.telling import as_json
from divulge.record import to_plain
from divulge.reports import Html
from divulge.safer import mitigate
from divulge.safer.files import write_proposals
from divulge.safer.released_files import as_csv, as_excel, layout
from divulge.spec import parse_spec
from divulge.spec.handed_in import placed_outputs
from divulge.table import read_table

_Listener = Callable[[Step], None]


@dataclass(frozen=True)
class FilesRead:
    """What was understood of files. outputs: as a spec has them, named by file and lines; told: as a report shows."""

    outputs: list[dict[str, Any]] = field(default_factory=list)
    doubts: tuple[str, ...] = ()
    told: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class ReadWork:
    """files: what was handed in, one by one: nothing else of the folder is looked at."""

    folder: Path
    files: tuple[str, ...]
    data: Path


@dataclass(frozen=True)
class AssessWork:
    """A spec as plain data, and where its files are. scratch: where finished splits and proposals go."""

    document: Mapping[str, Any]
    text: str
    folder: Path
    scratch: Path
    read: FilesRead = field(default_factory=FilesRead)


@dataclass(frozen=True)
class Finished:
    """A record, its report as a page, and the outputs as they would leave: by name of file."""

    record: dict[str, Any]
    page: str
    tables: dict[str, bytes]


def read_files(work: ReadWork, listener: _Listener) -> FilesRead:
    """Read files, and compute again from the data what stands in them."""
    table = read_table(work.data)
    found = []
    for number, name in enumerate(work.files):
        listener(Step("Reading", number, len(work.files), None))
        found += [replace(f, file=name) for f in read_folder(work.folder / name, table).files]
    folder = FolderRead(tuple(found))
    placed, left = placed_outputs(folder, table)
    outputs = [{**p.fields, "name": p.fields.get("name") or place_of(p)} for p in placed]
    told = {**as_json(folder), "left": list(left), "places": [place_of(p) for p in placed]}
    return FilesRead(outputs, tuple(doubts_about(folder, left)), told)


def assess_outputs(work: AssessWork, listener: _Listener) -> Finished:
    """The whole assessment. What stands in the files and was not confirmed makes it *review*."""
    assessment = parse_spec(work.document, work.folder)
    ready = plan(assessment)
    found = assess(ready, spec_text=work.text.encode(), folder=work.scratch, resume=True, listener=listener)
    scenarios = scenarios_for(assessment.scenarios, assessment.outputs, ready.table.schema)
    remarks = find_remarks(ready.table, assessment.outputs, scenarios)
    record = {**found.record, "findings": to_plain(remarks)}
    if work.read.told is not None:
        record = in_doubt(record, work.read.doubts, work.read.told)
    tables: dict[str, bytes] = {}
    for number, (output, printed) in enumerate(zip(ready.outputs, ready.printed, strict=True), start=1):
        rows, notes = layout(output, printed, ready.table.schema)
        tables[f"output-{number}.csv"] = as_csv(rows, notes).encode()
        tables[f"output-{number}.xlsx"] = as_excel(rows, notes)
    found.checkpoint.clear()
    return Finished(record, Html().render(to_plain(record)), tables)


def propose(work: AssessWork, listener: _Listener) -> dict[str, Any]:
    """Changes with which the outputs are released, each assessed in full, and their files in the scratch folder."""
    found = mitigate(parse_spec(work.document, work.folder), listener=listener)
    plain: dict[str, Any] = to_plain(write_proposals(found, dict(work.document), work.scratch / "safer"))
    return plain
