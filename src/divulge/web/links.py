"""The entries of the navigation, and who has them. What a page then lets somebody do is not decided here."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.ledger.model import Role


@dataclass(frozen=True)
class Entry:
    path: str
    text: str
    roles: frozenset[Role]


_ALL = frozenset(Role)
_OVERSEERS = frozenset({Role.CHECKER, Role.CUSTODIAN, Role.ADMINISTRATOR})

NAVIGATION: tuple[Entry, ...] = (
    Entry("/submissions", "Queue", _ALL),
    Entry("/submit", "Submit", _ALL),
    Entry("/datasets", "Datasets", _OVERSEERS),
    Entry("/projects", "Projects", _ALL),
    Entry("/people", "People", frozenset({Role.ADMINISTRATOR})),
)
