"""One folder on the desk: its data, its files, its outputs, what was found about them, and what a checker says."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from divulge.checking import read_profile
from divulge.errors import DivulgeError, SpecError, StateError, UploadError
from divulge.outputs import read_released
from divulge.outputs.fields import in_field
from divulge.policy import make_policy
from divulge.record import dumps, make_folder, to_plain, write_text
from divulge.spec import parse_output
from divulge.spec.document import read_document
from divulge.table import Table, read_table
from divulge.table.lint.checks import lint
from divulge.table.lint.remark import Remark
from divulge.web.desk.jobs import Jobs
from divulge.web.desk.names import OURS, files_in
from divulge.web.desk.work import AssessWork, FilesRead, Finished, ReadWork

MOST_FILES = 200
"""Files of a folder that are read; whoever has more has opened something else than what is to be handed in."""

_WORK = "divulge.web.desk.work"


@dataclass(frozen=True, eq=False)
class Data:
    """The data as they were understood. is_copy: dropped in, and gone when the page ends."""

    path: Path
    table: Table
    remarks: tuple[Remark, ...]
    is_copy: bool


@dataclass(eq=False)
class Desk:
    """What one person works on. folder: what is to be handed in; scratch: private, and gone at the end.

    Every change makes what was found before out of date: `version` counts them.
    """

    folder: Path
    scratch: tempfile.TemporaryDirectory[str]
    data: Data | None = None
    policy: Mapping[str, Any] = field(default_factory=dict)
    """The thresholds of the verdict, as whoever opened the folder says; what they do not say is as usual."""
    own: list[dict[str, Any]] = field(default_factory=list)
    """Outputs from forms or from a spec, as a spec has them."""
    read: FilesRead = field(default_factory=FilesRead)
    left_out: set[str] = field(default_factory=set)
    proposals: Mapping[str, Any] | None = None
    jobs: Jobs = field(default_factory=Jobs)
    version: int = 1
    _found: tuple[int, Finished] | None = None
    _read_at: int = 0

    @property
    def private(self) -> Path:
        return Path(self.scratch.name)

    @property
    def ours(self) -> Path:
        return self.folder / OURS

    @property
    def files(self) -> list[str]:
        """The files that would be handed in, by name. The data are never among them, whatever they are called."""
        held = None if self.data is None else self.data.path
        return [n for n in files_in(self.folder) if n not in self.left_out and (self.folder / n).resolve() != held]

    @property
    def outputs(self) -> list[dict[str, Any]]:
        """Everything that would be released: from forms, then from files, each once."""
        seen = {_key(o) for o in self.own}
        return [*self.own, *(o for o in self.read.outputs if _key(o) not in seen)]

    @property
    def found(self) -> Finished | None:
        """What the assessment found, where nothing has changed since."""
        return self._found[1] if self._found is not None and self._found[0] == self.version else None

    @property
    def is_outdated(self) -> bool:
        """Whether there was an assessment, and something has changed since."""
        return self._found is not None and self.found is None

    @property
    def must_read(self) -> bool:
        """Whether there are files that were not read since they, or the data, changed."""
        return bool(self.files) and self.data is not None and self._read_at != self.version

    def document(self, data: str | None = None) -> dict[str, Any]:
        """The spec as plain data. data: how it names the data; by their own path where nothing else is said."""
        named = data if data is not None else "" if self.data is None else str(self.data.path)
        policy = {"policy": dict(self.policy)} if self.policy else {}
        return {**({"data": named} if named else {}), "outputs": self.outputs, **policy, "seed": 1}

    def text(self) -> str:
        """The spec as YAML, as it is shown and saved; it names the data without the place where they are."""
        document = self.document(None if self.data is None else self.data.path.name)
        return yaml.safe_dump(to_plain(document), sort_keys=False, allow_unicode=True, width=100)

    def change(self) -> None:
        """Something is other than it was assessed."""
        was_read = self._read_at == self.version
        self.version += 1
        self.proposals = None
        if was_read:
            self._read_at = self.version

    def take_data(self, path: Path, is_copy: bool) -> None:
        """Other data: everything that was read or assessed with the ones before is out of date."""
        self.jobs.check_idle()
        table = read_table(path)
        self.data = Data(path.resolve(), table, tuple(lint(table)), is_copy)
        self.files_changed()

    def files_changed(self) -> None:
        """Files came or went: all are to be read again."""
        self.change()
        self._read_at = 0
        if not self.files:
            self.read = FilesRead()

    def keep_output(self, document: Mapping[str, Any], number: int | None) -> None:
        """Add an output, or put it in the place of another of the forms' (by number, from 1)."""
        self.jobs.check_idle()
        self._check(document)
        if number is not None and 1 <= number <= len(self.own):
            self.own[number - 1] = dict(document)
        else:
            self.own.append(dict(document))
        self.change()

    def remove_output(self, number: int) -> None:
        self.jobs.check_idle()
        if not 1 <= number <= len(self.own):
            raise StateError("there is no such output in the list.")
        del self.own[number - 1]
        self.change()

    def replace_outputs(self, documents: Sequence[Mapping[str, Any]]) -> None:
        """The outputs of a proposal in the place of all outputs; files that hold the old ones are left out."""
        self.jobs.check_idle()
        for document in documents:
            self._check(document)
        self.left_out |= set(self.files)
        self.own, self.read = [dict(d) for d in documents], FilesRead()
        self.change()

    def _check(self, document: Mapping[str, Any]) -> None:
        """Raise where an output is none, does not fit the data, or names a file outside the folder."""
        output = parse_output(document)
        if isinstance(output.released, str) and output.released not in self.files:
            raise SpecError("figures in a file are taken from the folder alone.", where="released")
        if self.data is not None:
            output.check(self.data.table.schema)
            with in_field("released"):
                read_released(output, self.data.table.schema, self.folder, together=False)

    def start_reading(self) -> None:
        if len(self.files) > MOST_FILES:
            raise UploadError(
                f"the folder has {len(self.files):,} files; at most {MOST_FILES} are read.",
                hint="Open a folder that has nothing in it but what is to be handed in.",
            )
        assert self.data is not None, "asked for before"
        work = ReadWork(self.folder, tuple(self.files), self.data.path)
        self.jobs.start("Reading the files", f"{_WORK}:read_files", work, self._take_read)

    def _take_read(self, found: FilesRead) -> None:
        self.read = found
        self.change()
        self._read_at = self.version

    def start_assessing(self) -> None:
        self.jobs.start("Assessing", f"{_WORK}:assess_outputs", self._work(), self._take_found)

    def start_proposing(self) -> None:
        self.jobs.start("Looking for a safe change", f"{_WORK}:propose", self._work(), self._take_proposals)

    def _work(self) -> AssessWork:
        if self.data is None:
            raise StateError("the data of the outputs are needed.", hint="Choose them first.")
        if not self.outputs:
            raise StateError("there is nothing to assess yet.", hint="Add an output, or drop in a file that has some.")
        if self.must_read:
            raise StateError("the files were not read yet.", hint="Read them first.")
        scratch = self.private / f"work-{self.version}"
        make_folder(scratch)
        return AssessWork(self.document(), self.text(), self.folder, scratch, self.read)

    def _take_found(self, found: Finished) -> None:
        _write_ours(self.ours, self.text(), found)
        self._found = self.version, found

    def _take_proposals(self, found: Mapping[str, Any]) -> None:
        self.proposals = found

    def close(self) -> None:
        self.jobs.stop()
        self.scratch.cleanup()


def _key(document: Mapping[str, Any]) -> str:
    return json.dumps(to_plain({k: v for k, v in document.items() if k != "name"}), sort_keys=True)


def open_desk(folder: Path, data: Path | None = None, policy: Path | None = None) -> Desk:
    """The desk for a folder, which is made where there is none. Only the outputs of a spec in it are taken: the person
    who opens it says which data they are about, and how to judge them."""
    judged = _policy(policy, folder)
    make_folder(folder)
    if (folder / OURS).is_symlink():
        raise SpecError("the folder's own folder is a link.", where=str(folder / OURS), hint="Replace it by a folder.")
    desk = Desk(folder.resolve(), tempfile.TemporaryDirectory(prefix="divulge-open-"), policy=judged)
    spec = desk.ours / "assessment.yaml"
    try:
        if spec.is_file():
            for document in _outputs_of(spec):
                desk._check(document)
                desk.own.append(document)
        if data is not None:
            desk.take_data(data, is_copy=False)
    except DivulgeError:
        desk.close()
        raise
    return desk


def _policy(file: Path | None, folder: Path) -> dict[str, Any]:
    """The thresholds in a file, looked at before anything is made; none where there is no file."""
    if file is None:
        return {}
    found = read_document(file)
    with in_field("policy"):
        read_profile(make_policy(found).profile, folder)
    return found


def _outputs_of(spec: Path) -> list[dict[str, Any]]:
    outputs = read_document(spec).get("outputs")
    if not isinstance(outputs, list) or not all(isinstance(o, dict) for o in outputs):
        raise SpecError("a list of outputs is needed.", where=f"{spec}, outputs")
    return outputs


def _write_ours(folder: Path, spec: str, found: Finished) -> None:
    """The record last: where there is one, the rest is there too."""
    make_folder(folder)
    write_text(folder / "assessment.yaml", spec)
    write_text(folder / "report.html", found.page)
    write_text(folder / "record.json", dumps(found.record))
