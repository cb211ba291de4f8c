"""Variables that a session made: kept with each output that is of them, so that they can be made again.

A release about `OLD`, made as `AGE > 60`, tells of ages: whatever is assessed later is assessed together with it. And
what an author writes into a variable leaves in the labels of its values, so only short words and numbers are taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from divulge.assess import Candidate
from divulge.errors import DivulgeError, SpecError
from divulge.ledger.carried import check_numbers
from divulge.outputs import Output
from divulge.spec import Inputs, parse_output
from divulge.spec.handed_in import needed_to_make, with_made_variables
from divulge.table import Table

_LONGEST_NAME = 32
_LONGEST_WORD = 24  # characters of a value that its author has thought of
_MOST_WORDS = 20
_MOST_DIGITS = 4  # in a name, or in a word: a year
_TEXT = re.compile(r"'([^']*)'|\"([^\"]*)\"")


def check_quiet(made: Mapping[str, str]) -> None:
    """Raise where the name or the values of a variable that somebody made could carry more than they say."""
    for name, text in made.items():
        words = [one or other for one, other in _TEXT.findall(text)]
        loud = [word for word in words if len(word) > _LONGEST_WORD or _digits(word) > _MOST_DIGITS]
        if len(name) > _LONGEST_NAME or _digits(name) > _MOST_DIGITS or loud or len(set(words)) > _MOST_WORDS:
            raise SpecError(
                "its author made a variable whose name or values are long, and would leave as they are written.",
                hint="Use short words.",
            )
        check_numbers({"formula": _TEXT.sub(" ", text)})


def words_of(made: Mapping[str, str]) -> list[str]:
    """The values of made variables that its author has thought of, for a checker to look at."""
    return list(dict.fromkeys(one or other for text in made.values() for one, other in _TEXT.findall(text)))


def clashing(table: Table, made: Mapping[str, str], before: Iterable[Candidate]) -> dict[str, str]:
    """The made variables whose name meant something else in an earlier release, and in which."""
    whole = with_made_variables(table, made)
    found: dict[str, str] = {}
    for candidate in before:
        then = with_made_variables(table, candidate.made)
        for name in candidate.made:
            if name in made and name in whole.schema and name in then.schema and not _same(name, whole, then):
                found[name] = candidate.release
    return found


def together(
    table: Table, names: Iterable[str], made: Mapping[str, str], before: Sequence[Candidate]
) -> tuple[Table, list[Candidate]]:
    """The table with what is needed to judge new outputs beside earlier ones, and the earlier ones that tell of them.

    names, made: the variables of the new outputs, and how some of them are made.
    """
    sources = _sources(names, made, table)
    related, every = list[Candidate](), dict(made)
    for one in before:
        is_related = bool((one.made or made) and sources & _sources(_used(one), one.made, table))
        related.append(replace(one, related=True) if is_related else one)
        if is_related:
            every |= {name: text for name, text in one.made.items() if name not in every}
    return with_made_variables(table, every), related


def beside(
    inputs: Inputs, outputs: Sequence[Output], before: Sequence[Candidate]
) -> tuple[Inputs, Sequence[Candidate]]:
    """What an assessment rests on, with the variables that earlier outputs were made of, and the earlier ones."""
    table = inputs.table
    if table is None or table.people is not None or not any(one.made for one in before):
        return inputs, before
    used = {name for output in outputs for name in output.uses(table.schema)}
    wider, related = together(table, used, {}, before)
    return replace(inputs, table=wider, schema=wider.schema), related


def _used(one: Candidate) -> set[str]:
    """The variables of an earlier output; none where this Divulge cannot read it, which the assessment then says."""
    with suppress(DivulgeError):
        output = parse_output(one.document)
        return {*output.own_variables(), *_words(output.where or "")}
    return set()


def _sources(names: Iterable[str], made: Mapping[str, str], table: Table) -> set[str]:
    """The variables of the data from which others are made."""
    held = [*names]
    needed = needed_to_make(held, made)
    return {word for word in {*held, *(w for text in needed.values() for w in _words(text))} if word in table.schema}


def _same(name: str, one: Table, other: Table) -> bool:
    first, second = (np.array([*table.schema[name].texts], dtype=object)[table[name]] for table in (one, other))
    return bool(np.array_equal(first, second))


def _words(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_][\w.]*", text))


def _digits(text: str) -> int:
    return sum(c.isdigit() for c in text)
