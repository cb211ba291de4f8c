"""What a session has said so far: labels, derived variables, the rows in use, the last model. Readers add to it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from divulge.readers.handed_in.candidates.candidate import Candidate
from divulge.readers.handed_in.candidates.vocabulary import Vocabulary


@dataclass
class Session:
    """The state of a session in a statistical program as its log shows it.

    labels: {variable: {code: label}}. titles: {variable: label}. aliases: {new name: variable that it recodes}.
    derived: {name: expression}. where, weights: in force now. panel: the variables that make the groups of a panel.
    states: conditions and weights that were in force at some time, where nothing says which output was made when.
    asides: lines of tables that say how an output was made (cases in use, codes of a factor) and are no outputs.
    """

    words: Vocabulary
    labels: dict[str, dict[str, str]] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    derived: dict[str, str] = field(default_factory=dict)
    where: str | None = None
    weights: str | None = None
    panel: tuple[str, ...] = ()
    model: Candidate | None = None
    states: list[tuple[str | None, str | None]] = field(default_factory=list)
    asides: list[tuple[int, int]] = field(default_factory=list)
    objects: dict[str, str] = field(default_factory=dict)
    """Expressions that names of a session stand for: `x <- table(d$sex, d$workab)`."""

    claimed: list[tuple[int, int]] = field(default_factory=list)
    """Lines of the block that another program has explained already."""

    def explained(self, first: int, last: int) -> bool:
        """Whether some of these lines have been explained."""
        return any(a <= last and first <= b for a, b in self.claimed)

    def restrict(self, condition: str) -> None:
        """Keep the rows of a condition from now on."""
        self.where = condition if self.where is None else f"({self.where}) and ({condition})"

    def clear(self) -> None:
        """A new file of data: no condition and no weights are in force."""
        self.where, self.weights, self.derived = None, None, {}

    @property
    def vocabulary(self) -> Vocabulary:
        """The words of the data with what the session called them."""
        return self.words.with_words(self.labels, self.titles)

    def signed(self, candidate: Candidate, program: str) -> Candidate:
        """A candidate with what the session says of it."""
        where = candidate.where
        if self.where is not None and where != self.where:
            where = self.where if where is None else f"({self.where}) and ({where})"
        return replace(
            candidate,
            program=candidate.program or program,
            where=where,
            weights=candidate.weights or self.weights,
            labels={k: dict(v) for k, v in self.labels.items()},
            titles=dict(self.titles),
            derived=dict(self.derived),
            states=tuple(dict.fromkeys(self.states)),
            facts={**{f"alias {k}": v for k, v in self.aliases.items()}, **candidate.facts},
        )


def conditions(texts: Iterable[str | None]) -> str | None:
    """Conditions that all hold."""
    given = [t for t in texts if t]
    return None if not given else given[0] if len(given) == 1 else " and ".join(f"({t})" for t in given)


def as_condition(text: str) -> str:
    """A condition in the words of R, Stata, SPSS or Python as our conditions are written."""
    out = text.strip().strip("()") if text.count("(") == 1 and text.strip().startswith("(") else text.strip()
    out = re.sub(r"\b\w+\$(?=\w)", "", out)
    out = re.sub(r"\bdf\.|\bdf\[['\"](\w+)['\"]\]", r"\1", out)
    out = out.replace("&&", " and ").replace("||", " or ")
    out = re.sub(r"\s*&\s*", " and ", out)
    out = re.sub(r"(?<![|])\s*\|\s*(?![|])", " or ", out)
    out = re.sub(r"\bAND\b", "and", re.sub(r"\bOR\b", "or", re.sub(r"\bNOT\b", "not", out)))
    for word, sign in (("GE", ">="), ("LE", "<="), ("GT", ">"), ("LT", "<"), ("EQ", "=="), ("NE", "!=")):
        out = re.sub(rf"\b{word}\b", sign, out)
    out = re.sub(r"(?<![<>=!~])=(?!=)", "==", out).replace("~=", "!=")
    return re.sub(r"\s+", " ", out).strip().rstrip(".")
