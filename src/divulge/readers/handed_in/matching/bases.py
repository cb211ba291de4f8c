"""Multinomial models whose classes are compared with another one than the first: R's relevel(), Stata's base()."""

from __future__ import annotations

import numpy as np

from divulge.readers.handed_in.candidates.candidate import Candidate
from divulge.readers.handed_in.candidates.vocabulary import Vocabulary
from divulge.readers.handed_in.matching.columns import Labels, coded
from divulge.readers.handed_in.matching.data import Data
from divulge.table import Schema, Table


def with_base_first(candidate: Candidate, words: Vocabulary, data: Data, aliases: dict[str, str]) -> Data | None:
    """The data with the class first that has no equation in the table; None where it is first already, or unknown."""
    said = candidate.response or (candidate.formula or "").partition("~")[0].strip()
    name = aliases.get(said) or words.variable(said)
    shown = {f.of.partition(": ")[0] for f in candidate.figures if f.of is not None and ": " in f.of}
    if name is None or name not in data.names or not shown:
        return None
    texts = data.texts(name)
    equations = {words.level(name, s.removeprefix(f"{name}=")) for s in shown}
    left = [k for k, text in enumerate(texts) if text not in equations]
    if None in equations or len(left) != 1 or left == [0]:
        return None
    base = left[0]
    order = [base, *(k for k in range(len(texts)) if k != base)]
    place = np.full(len(texts) + 1, -1, dtype=np.int64)
    for new, old in enumerate(order):
        place[old] = new
    made = coded(name, Labels(place[data.codes(name)], tuple(texts[k] for k in order)))
    if made is None:
        return None
    variables = tuple(made[0] if v.name == name else v for v in data.table.schema.variables)
    columns = tuple(
        made[1].astype(np.uint32) if v.name == name else c
        for v, c in zip(data.table.schema.variables, data.table.columns, strict=True)
    )
    return Data(Table(Schema(variables), columns), data.blanks)
