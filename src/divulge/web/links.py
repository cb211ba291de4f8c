"""The entries of the navigation, and who has them. What a page then lets somebody do is not decided here."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.ledger.model import Role


@dataclass(frozen=True)
class _NavigationLink:
    path: str
    text: str
    roles: frozenset[Role]


_ALL = frozenset(Role)
_OVERSEERS = frozenset({Role.CHECKER, Role.CUSTODIAN, Role.ADMINISTRATOR})

NAVIGATION: tuple[_NavigationLink, ...] = (
    _NavigationLink("/home", "Home", _ALL),
    _NavigationLink("/submissions", "Queue", _ALL),
    _NavigationLink("/submit", "Submit", _ALL),
    _NavigationLink("/datasets", "Datasets", _OVERSEERS),
    _NavigationLink("/dashboard", "Dashboard", frozenset({Role.CHECKER, Role.CUSTODIAN})),
    _NavigationLink("/projects", "Projects", _ALL),
    _NavigationLink("/people", "People", frozenset({Role.ADMINISTRATOR})),
)
