"""Stata's text output, in logs, SMCL, Markdown, notebooks, pages and PDF: one command's table after the other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from divulge.readers.handed_in.candidates import stata_models, stata_tables
from divulge.readers.handed_in.candidates.candidate import Candidate
from divulge.readers.handed_in.candidates.session import Session, conditions
from divulge.readers.handed_in.candidates.stata_survival import note_stset
from divulge.readers.handed_in.candidates.statements import note_stata
from divulge.readers.handed_in.sheets import Block, Lines

_BOX = str.maketrans(
    {
        "│": "|",
        "─": "-",
        "┼": "+",
        "┬": "+",
        "┴": "+",
        "├": "+",
        "┤": "+",
        "┌": "+",
        "┐": "+",
        "└": "+",
        "┘": "+",
        "║": "|",
        "═": "-",
    }
)
_COMMAND = re.compile(r"^\s*\.\s+(?=[a-zA-Z*])(.*)$")
_BARE = re.compile(
    r"^\s*(?:(?:qui(?:etly)?|by \w+:|bysort \w+:|svy:|noi(?:sily)?)\s*)*"
    r"(?:reg(?:ress)?|logit|logistic|probit|poisson|nbreg|ologit"
    r"|oprobit|mlogit"
    r"|stcox|xtreg|areg|reghdfe|mixed|su(?:m(?:marize)?)?|tab(?:ulate|stat|le)?|ta|corr(?:elate)?|pwcorr|ttest|margins|mean|gen(?:erate)?|keep|drop"
    r"|sysuse|use)\b(?=\s+[\w`,]|\s*$)[^|=]*(?:=.*)?$"
)


class Stata:
    """Logs and SMCL of Stata: summaries, tabulate, tabstat, table, regressions of every kind, ttest, correlate."""

    name = "stata"

    def read(self, block: Block, session: Session) -> list[Candidate]:
        """The outputs of a stretch of a log."""
        if not isinstance(block, Lines):
            return []
        texts = tuple(t.translate(_BOX) for t in block.texts)
        if not any("|" in t or _COMMAND.match(t) for t in texts):
            return []
        plain = Lines(texts, block.first)
        return _merged([session.signed(c, self.name) for c in self._walk(plain, session)])

    def _walk(self, block: Lines, session: Session) -> Iterator[Candidate]:
        command, start, i = session.objects.get("stata command", ""), 0, 0
        groups: tuple[tuple[str, str], ...] = ()
        while i < len(block.texts):
            if not block.texts[i]:
                i += 1
                continue
            given = _command_at(block, i)
            if given is not None:
                command, i = given
                groups = ()
                session.objects["stata command"] = command
                note_stata(command, session)
                note_stset(command, session)
                start = i
                continue
            group = re.match(r"^-> (\w.*)$", block.texts[i])
            if group is not None:
                groups = _groups(group[1])
                start = i = i + 1
                continue
            found = stata_tables.read_at(block, i, command, session) or stata_models.read_at(
                block, i, start, command, session
            )
            if found is None:
                i += 1
                continue
            candidates, i = found
            start = i
            yield from (_grouped(c, groups) for c in candidates)


def _command_at(block: Lines, i: int) -> tuple[str, int] | None:
    """The command that begins on a line, with its continuations, and the line after it."""
    text = block.texts[i]
    match = _COMMAND.match(text)
    if match is None and (not _BARE.match(text) or "|" in text):
        return None
    command = match[1] if match is not None else text.strip()
    j = i + 1
    while j < len(block.texts) and re.match(r"^\s*>\s", block.texts[j]):
        command += block.texts[j].strip().removeprefix(">").rstrip("/ ")
        j += 1
    return command.removesuffix("///").strip(), j


def _groups(text: str) -> tuple[tuple[str, str], ...]:
    """`sex = Female, region = North` above the part of a group."""
    return tuple((m[1], m[2].strip()) for m in re.finditer(r"(\w+) = ([^,]*)", text))


def _grouped(candidate: Candidate, groups: tuple[tuple[str, str], ...]) -> Candidate:
    """A table of one group of `by …:`; of a model or a test the group is a condition."""
    if not groups:
        return candidate
    if candidate.shape != "cells":
        where = conditions([candidate.where, *(f"{name} == {_value(level)}" for name, level in groups)])
        return replace(candidate, where=where)
    shown = ", ".join(t for _, t in groups)
    figures = tuple(replace(f, at=(*groups, *f.at), label=f"{shown}, {f.label}") for f in candidate.figures)
    by = (*candidate.by, *(name for name, _ in groups))
    return replace(candidate, figures=figures, by=by, facts={**candidate.facts, "by groups": "yes"})


def _value(level: str) -> str:
    return level if re.fullmatch(r"-?[\d.]+", level) else repr(level)


def _merged(found: list[Candidate]) -> list[Candidate]:
    """The tables of all groups of one command as one table."""
    out: list[Candidate] = []
    for candidate in found:
        last = out[-1] if out else None
        if (
            last is not None
            and "by groups" in candidate.facts
            and "by groups" in last.facts
            and (last.command, last.kind, last.variables) == (candidate.command, candidate.kind, candidate.variables)
        ):
            lines = (last.lines[0], candidate.lines[1])
            out[-1] = replace(last, figures=(*last.figures, *candidate.figures), lines=lines)
        else:
            out.append(candidate)
    return out
