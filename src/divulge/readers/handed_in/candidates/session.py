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

    frames: dict[str, str | None] = field(default_factory=dict)
    """The condition under which rows of the data are in a frame of R's, by the frame's name; the last made is last."""

    stumbles: list[str] = field(default_factory=list)
    """Where a reader failed, for the list of what was not read."""

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
        self.where, self.weights, self.derived, self.frames = None, None, {}, {}

    def frame(self, name: str, source: str, *condition: str) -> None:
        """A frame made of another one, with fewer rows where conditions are given."""
        joined = conditions((self.frames.get(source), *condition))
        self.frames.pop(name, None)
        self.frames[name] = joined

    def frame_in(self, command: str) -> str | None:
        """The condition of the frame that a statement speaks of; of the last one made where it names none."""
        named = next((w for w in re.findall(r"[A-Za-z][\w.]*", command) if w in self.frames), None)
        return self.frames[named or next(reversed(self.frames))] if self.frames else None

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
