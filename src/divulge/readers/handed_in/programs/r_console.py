"""R's console: `.Rout` files, sinks and pasted sessions, statement by statement where the prompts are there."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace

from divulge.readers.handed_in.candidates import r_models, r_tests
from divulge.readers.handed_in.candidates.candidate import Candidate
from divulge.readers.handed_in.candidates.console import framed, runs, table_at, unwrapped
from divulge.readers.handed_in.candidates.expressions import as_expression
from divulge.readers.handed_in.candidates.r_pipes import piped_summary, rows_piped
from divulge.readers.handed_in.candidates.r_tables import (
    named_table,
    one_way,
    resolved,
    scalars,
    summary_frame,
    summary_line,
    variables_in,
)
from divulge.readers.handed_in.candidates.r_tibbles import sliced, tibbles
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.candidates.statements import note_r
from divulge.readers.handed_in.candidates.tables import read_grid
from divulge.readers.handed_in.sheets import Block, Lines

_R = re.compile(
    r"^R version |^> |^Call:\s*$|^Signif\. codes|Std\. Error|^\[1\] |^Coefficients:|Min\.\s+1st Qu|^data:\s", re.M
)


_PYTHON = re.compile(r"^>>> |^(?:Name: .*, )?dtype: \w+\s*$", re.M)


class RConsole:
    """R's printed output: table, xtabs, summary of models, survfit, tests, aggregate, tapply, survey."""

    name = "r"

    def __init__(self) -> None:
        self._frames: list[tuple[int, int]] = []

    def read(self, block: Block, session: Session) -> list[Candidate]:
        """The outputs of a stretch of a console."""
        if not isinstance(block, Lines) or not _R.search(text := "\n".join(block.texts)) or _PYTHON.search(text):
            return []
        out = []
        self._frames = [(i, j) for i, j, _ in framed(block)]
        for written, start, end in _chunks(block):
            command = _with_classes(written, session)
            for part in _statements(command):
                note_r(part, session)
            session.where = rows_piped(command, session) or session.frame_in(resolved(command, session))
            for candidate in self._chunk(block, start, end, command, session):
                signed = session.signed(candidate, self.name)
                if candidate.shape == "model" and not candidate.facts.get("follows"):
                    session.model = signed
                out.append(signed)
        return _with_scalars(out)

    def _chunk(self, block: Lines, start: int, end: int, command: str, session: Session) -> Iterator[Candidate]:
        i = start
        plain = start
        while i < end:
            if not block.texts[i]:
                i += 1
                continue
            found = r_models.read_at(block, i, end, command, session) or r_tests.read_at(
                block, i, end, command, session
            )
            if found is None:
                i += 1
                continue
            yield from self._tables(block, plain, i, command, session)
            candidates, i = found
            for candidate in candidates:
                if candidate.shape == "model" and not candidate.facts.get("follows"):
                    session.model = session.signed(candidate, self.name)
                yield candidate
            plain = i
        yield from self._tables(block, plain, end, command, session)

    def _tables(self, block: Lines, start: int, end: int, command: str, session: Session) -> Iterator[Candidate]:
        if re.match(r"^(?:proc\.time|Sys\.|sessionInfo|head|tail|str|dim|print\(head)\b", command):
            return
        hidden = re.search(r"zero\.print\s*=\s*[\"'](\S)[\"']", command)
        if hidden is not None:
            mark = rf"(?<=\s){re.escape(hidden[1])}(?=\s|$)"
            shown = tuple(re.sub(mark, "0", t) if start <= k < end else t for k, t in enumerate(block.texts))
            block = replace(block, texts=shown)
        piped = piped_summary(block, start, end, command, session)
        if piped is not None:
            yield piped[0]
            start = piped[2]
        for i, j, tibble in tibbles(block, start, end):
            yield from self._tables(block, start, i, command, session)
            yield from (named_table(c, command, session) for c in read_grid(tibble, session.vocabulary, self.name))
            start = j
        whole = sliced(block, start, end, variables_in(command, session), session)
        if whole is not None:
            yield whole[0]
            start = whole[2]
        for i, j in runs(block, start, end):
            if any(a < j and i < b for a, b in self._frames):
                continue  # models side by side between rules, as stargazer prints them, are no table of R's own
            found = summary_line(block, i, j, command, session) or summary_frame(block, i, j, command)
            found = found if found is not None else one_way(block, i, j, command, session)
            if found is not None:
                yield from found
                continue
            whole_table = unwrapped(block, i, j)
            grid = table_at(block, i, j) if whole_table is None else table_at(whole_table, 0, len(whole_table.texts))
            if grid is not None:
                for candidate in read_grid(grid, session.vocabulary, self.name):
                    yield named_table(candidate, command, session)
        yield from scalars(block, start, end, command, session)


def _chunks(block: Lines) -> Iterator[tuple[str, int, int]]:
    """Statements and the lines that they printed; without prompts everything is one chunk."""
    starts = [i for i, t in enumerate(block.texts) if re.match(r"^> ?", t)]
    if not starts:
        yield "", 0, len(block.texts)
        return
    if starts[0] > 0:
        yield "", 0, starts[0]
    for k, i in enumerate(starts):
        command = block.texts[i][1:].strip()
        j = i + 1
        while j < len(block.texts) and re.match(r"^\+ ?", block.texts[j]):
            command += " " + block.texts[j][1:].strip()
            j += 1
        command = re.sub(r"\s+#.*$", "", command) if not command.startswith("#") else ""
        yield command, j, starts[k + 1] if k + 1 < len(starts) else len(block.texts)


def _statements(command: str) -> list[str]:
    """The statements of a line; one that holds a text or a function is left whole."""
    return [command] if re.search(r"['\"{]", command) else re.split(r"\s*;\s*", command)


def _with_scalars(found: list[Candidate]) -> list[Candidate]:
    """Numbers that were printed of a model after it (nobs, ICC) as figures of that model."""
    out: list[Candidate] = []
    for candidate in found:
        if candidate.kind == "fit":
            last = next((k for k in range(len(out) - 1, -1, -1) if out[k].shape == "model"), None)
            if last is not None:
                first, end = out[last].lines
                near = candidate.lines[0] <= end + 3
                lines = (first, max(end, candidate.lines[1])) if near else (first, end)
                out[last] = replace(out[last], figures=(*out[last].figures, *candidate.figures), lines=lines)
            continue
        out.append(candidate)
    return out


_TABLED = re.compile(r"\b(?:table|xtabs|tapply|aggregate|by)\(.*\bcut\(")
_CUT = re.compile(r"\bcut\(\s*((?:[\w.]+\$)?)([\w.]+)\s*,")


def _with_classes(command: str, session: Session) -> str:
    """A statement whose classes, `table(cut(d$age, …))`, have a name of their own, as if they had been made before."""
    after = 0
    while _TABLED.search(command) and (found := _CUT.search(command, after)) is not None:
        end, depth = found.end(), 1
        while end < len(command) and depth:
            depth += (command[end] in "([") - (command[end] in ")]")
            end += 1
        value = as_expression(command[found.start() : end])
        names = (f"{found[2]}_cut{k if k > 1 else ''}" for k in itertools.count(1))
        name = next(n for n in names if n not in session.words.names and session.derived.get(n, value) == value)
        session.derived[name] = value
        command = command[: found.start()] + found[1] + name + command[end:]
        after = found.start()
    return command
