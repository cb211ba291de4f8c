"""A folder as it was handed in: every file read, every output matched, everything else listed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from time import process_time

from threadpoolctl import threadpool_limits

from divulge.errors import DivulgeError
from divulge.readers.handed_in.candidates.candidate import Candidate
from divulge.readers.handed_in.candidates.descriptives import LEFT
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.candidates.statements import note_spss
from divulge.readers.handed_in.candidates.vocabulary import Vocabulary
from divulge.readers.handed_in.corrections import Correction, corrected
from divulge.readers.handed_in.finds import ROWS, Find, find_in
from divulge.readers.handed_in.leftovers import leftovers
from divulge.readers.handed_in.matching.data import Data
from divulge.readers.handed_in.matching.learned import with_learned
from divulge.readers.handed_in.matching.match import Matcher, not_compared
from divulge.readers.handed_in.matching.reading import Reading
from divulge.readers.handed_in.programs import PROGRAMS, Program
from divulge.readers.handed_in.runs import LONGEST, without_runs
from divulge.readers.handed_in.sheets import Block, Document, Grid, Lines, open_document
from divulge.readers.handed_in.sheets.decoding import decode
from divulge.readers.handed_in.sheets.sheet import joined_lines
from divulge.table import Table

SYNTAX = (".sps", ".spss")
"""Files of commands: they are no outputs, and say how outputs were made."""

_MISTAKE = "a mistake of Divulge's reader stopped its reading"

_LATE = "not compared with the data, since the file holds too many outputs; hand it in in parts"

_COLUMNS = "a column of figures that was not recognised"

_MOST_OUTPUTS = 500
"""Outputs of a file that are read. Logs of many megabytes hold more, which would fill the memory."""

_LONGEST_READ = 120.0
"""Processor seconds for which a file is read for outputs. Logs of hundreds of megabytes would take the night."""

_ALWAYS_COMPARED = 100
"""Outputs of a file that are compared with the data however long it takes; later ones only within these seconds."""

_MOST_FIGURES = 10_000
"""Figures that an output has at most. What has more is listed as not recognised."""


@dataclass(frozen=True)
class FileRead:
    """A file of the folder. unread: why it, or parts of it, cannot be read. left: lines with unknown figures."""

    file: str
    readings: tuple[Reading, ...] = ()
    finds: tuple[Find, ...] = ()
    unread: tuple[str, ...] = ()
    left: tuple[tuple[int, int, str], ...] = ()
    is_syntax: bool = False

    @property
    def status(self) -> str:
        """confirmed, not confirmed, no outputs, not read, or commands."""
        if self.is_syntax:
            return "commands"
        if self.unread and not self.readings:
            return "not read"
        if not self.readings:
            return "no outputs"
        return "confirmed" if all(r.confirmed for r in self.readings) and not self.unread else "not confirmed"


@dataclass(frozen=True)
class FolderRead:
    """Everything that was handed in."""

    files: tuple[FileRead, ...] = field(default=())

    @property
    def readings(self) -> Iterator[tuple[str, Reading]]:
        for file in self.files:
            for reading in file.readings:
                yield file.file, reading


def read_folder(
    folder: Path,
    table: Table | None,
    ignore: frozenset[str] = frozenset(),
    corrections: Sequence[Correction] = (),
) -> FolderRead:
    """A folder, or a single file, read and matched to a table.

    ignore: names of files that were not handed in. corrections: what their author says of single readings.
    """
    if not folder.exists():
        raise DivulgeError(
            f"there is no folder {str(folder)!r}.", hint="Name a folder with the files that were handed in."
        )
    paths = (
        [folder]
        if folder.is_file()
        else sorted(p for p in folder.rglob("*") if p.is_file() and not p.name.startswith("."))
    )
    paths = [p for p in paths if p.name not in ignore]
    base = folder.parent if folder.is_file() else folder
    data = None if table is None else Data(table)
    matcher = Matcher(data)
    words = data.words if data is not None else Vocabulary()
    # The fits are small: threads of the algebra would wait for one another longer than they work.
    with threadpool_limits(1):
        files = [_read_or_listed(path, base, words, matcher, corrections) for path in paths]
    return FolderRead(tuple(files))


def _read_or_listed(
    path: Path, base: Path, words: Vocabulary, matcher: Matcher, corrections: Sequence[Correction]
) -> FileRead:
    """A file, read; or listed as not read where a reader stumbles over it, so that the others still are."""
    try:
        return _read_file(path, base, words, matcher, corrections)
    except Exception as error:  # whatever stands in a file, and nothing of it in the reason: only what kind of error
        name = path.relative_to(base).as_posix()
        return FileRead(name, unread=(f"{_MISTAKE} ({type(error).__name__})",))


def _read_file(
    path: Path, base: Path, words: Vocabulary, matcher: Matcher, corrections: Sequence[Correction]
) -> FileRead:
    name = path.relative_to(base).as_posix()
    if path.suffix.casefold() in SYNTAX:
        return FileRead(name, is_syntax=True)
    session = _session(path, words)
    document = open_document(path, name)
    found, unread = _first_outputs(_read_document(document, session))
    candidates = [corrected(c, name, corrections) for c in found]
    readings = with_learned(_with_shared_conditions(_matched(candidates, matcher), matcher), matcher)
    left = leftovers(document, candidates, session.asides)
    left += tuple((*c.lines, _COLUMNS) for c in candidates if LEFT in c.facts)
    finds = tuple(f for f in find_in(document, words) if not _is_confirmed(f, readings))
    readings = tuple(r for r in readings if not _is_of_people(r, finds))
    unread = (*_unread(document), *unread, *dict.fromkeys(session.stumbles))
    return FileRead(name, readings, finds, unread, left)


def _matched(candidates: list[Candidate], matcher: Matcher) -> list[Reading]:
    """Every output compared with the data, those of a file of hundreds only while there is time."""
    started = process_time()
    out: list[Reading] = []
    for candidate in candidates:
        is_late = len(out) >= _ALWAYS_COMPARED and process_time() - started > _LONGEST_READ
        out.append(not_compared(candidate, _LATE) if is_late else matcher.match(candidate))
    return out


def _is_confirmed(find: Find, readings: tuple[Reading, ...]) -> bool:
    """Whether what looks like rows of people is a table that the data confirmed."""
    return find.what == ROWS and any(
        r.confirmed and r.candidate.lines[0] <= find.line <= r.candidate.lines[1] for r in readings
    )


def _is_of_people(reading: Reading, finds: tuple[Find, ...]) -> bool:
    """Whether what was taken for an output is rows of people, of which no value goes into a record."""
    first = reading.candidate.lines[0]
    return not reading.confirmed and any(f.what == ROWS and first - 1 <= f.line <= first + 1 for f in finds)


def _with_shared_conditions(readings: list[Reading], matcher: Matcher) -> tuple[Reading, ...]:
    """Readings that do not agree with all rows are tried by the conditions and weights of those of the file that do."""
    known = [k for k in dict.fromkeys((r.where, r.weights) for r in readings if r.confirmed) if k != (None, None)]
    out = []
    for reading in readings:
        better = reading
        if not reading.confirmed and reading.candidate.where is None:
            ways = known if reading.candidate.shape == "cells" else matcher.samples_of(reading, readings)
            for where, weights in ways:
                better = matcher.match_again(better, where, weights) if not better.confirmed else better
        out.append(better)
    return tuple(out)


def _session(path: Path, words: Vocabulary) -> Session:
    """A session that knows what the syntax files beside a file say."""
    session = Session(words)
    for syntax in sorted(path.parent.iterdir()):
        if syntax.suffix.casefold() in SYNTAX and syntax.stat().st_size < 4_000_000:
            note_spss(decode(syntax.read_bytes())[0], session)
    return session


def _unread(document: Document) -> tuple[str, ...]:
    if document.reason is not None:
        return (document.reason,)
    return document.unread


def _first_outputs(found: Iterator[Candidate]) -> tuple[list[Candidate], tuple[str, ...]]:
    """The outputs of a file up to as many as are read, and a line that says where reading ended."""
    out = list(islice(found, _MOST_OUTPUTS + 1))
    if len(out) <= _MOST_OUTPUTS:
        return _joined_fits(out), ()
    last = out[_MOST_OUTPUTS - 1].lines[1]
    reason = f"after line {last} no output was read: {_MOST_OUTPUTS} outputs of a file are; hand in the rest apart"
    return _joined_fits(out[:_MOST_OUTPUTS]), (reason,)


def _read_document(document: Document, session: Session) -> Iterator[Candidate]:
    """The candidates of a document, block by block; lines that one program explained are not given to another."""
    programs = [program() for program in PROGRAMS]
    started, last = process_time(), 0
    for block in joined_lines(document.blocks):
        if last and process_time() - started > _LONGEST_READ:
            session.stumbles.append(
                f"after line {last} no output was read: a file is read for {_LONGEST_READ:.0f} seconds;"
                " hand in the rest apart"
            )
            return
        last = block.rows[-1].line if isinstance(block, Grid) else block.line(len(block.texts) - 1)
        session.claimed = []
        found: list[Candidate] = []
        if isinstance(block, Grid) and len(block.rows) > LONGEST:
            continue
        if isinstance(block, Lines):
            block = without_runs(block)
        for program in programs:
            before = tuple(session.claimed)
            read = [c for c in _candidates(program, block, session) if len(c.figures) <= _MOST_FIGURES]
            # What a program sets aside while it reads keeps others away, never itself.
            new = [c for c in read if not any(a <= c.lines[1] and c.lines[0] <= b for a, b in before)]
            if isinstance(block, Grid) and (new or (block.rows[0].line, block.rows[-1].line) in session.asides):
                found = new
                break
            found += new
            session.claimed += [c.lines for c in new]
        yield from sorted(found, key=lambda c: c.lines)


def _candidates(program: Program, block: Block, session: Session) -> list[Candidate]:
    """What a program finds in a block; where it stumbles, the others still read it, and the file says so."""
    try:
        return program.read(block, session)
    except Exception as error:  # whatever stands in a file, and nothing of it in the reason: only what kind of error
        first = block.rows[0].line if isinstance(block, Grid) else block.line(0)
        session.stumbles.append(f"{_MISTAKE} of what begins on line {first} ({type(error).__name__})")
        return []


def _adjacent(a: Candidate, b: Candidate) -> bool:
    return b.lines[0] <= a.lines[1] + 2


def _joined_fits(found: list[Candidate]) -> list[Candidate]:
    """Statistics of a model that stand in a table of their own become figures of the model before."""
    out: list[Candidate] = []
    for candidate in found:
        last = out[-1] if out else None
        if candidate.kind == "extremes" and last is not None and last.kind == "extremes" and _adjacent(last, candidate):
            of = last.variables[0] if last.variables else None
            renamed = tuple(replace(f, of=of or f.of) for f in candidate.figures)
            lines = (last.lines[0], candidate.lines[1])
            out[-1] = replace(last, figures=(*last.figures, *renamed), lines=lines)
            continue
        if candidate.kind != "fit":
            out.append(candidate)
            continue
        at = next((k for k in range(len(out) - 1, -1, -1) if out[k].shape == "model"), None)
        if at is not None:
            known = {f.what for f in out[at].figures if f.of is None}
            extra = tuple(f for f in candidate.figures if f.what not in known)
            lines = (min(out[at].lines[0], candidate.lines[0]), max(out[at].lines[1], candidate.lines[1]))
            out[at] = replace(out[at], figures=(*out[at].figures, *extra), lines=lines)
    return out
