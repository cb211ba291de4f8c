"""Stata's text output, in logs, SMCL, Markdown, notebooks, pages and PDF: one command's table after the other."""

from __future__ import annotations

import re
from collections.abc import Iterator

from divulge.readers.handed_in.candidates import stata_models, stata_tables
from divulge.readers.handed_in.candidates.candidate import Candidate
from divulge.readers.handed_in.candidates.session import Session
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
        return [session.signed(c, self.name) for c in self._walk(plain, session)]

    def _walk(self, block: Lines, session: Session) -> Iterator[Candidate]:
        command, start, i = session.objects.get("stata command", ""), 0, 0
        while i < len(block.texts):
            given = command_at(block, i)
            if given is not None:
                command, i = given
                session.objects["stata command"] = command
                note_stata(command, session)
                start = i
                continue
            found = stata_tables.read_at(block, i, command, session) or stata_models.read_at(
                block, i, start, command, session
            )
            if found is None:
                i += 1
                continue
            candidates, i = found
            start = i
            yield from candidates
        yield from stata_tables.tests(block, session)


def command_at(block: Lines, i: int) -> tuple[str, int] | None:
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
