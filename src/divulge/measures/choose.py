"""Which measures to compute, and with which settings: from the names that people write to families."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from divulge.errors import SpecError, suggest
from divulge.measures.families.family import Family
from divulge.settings import read_settings

OLD_NAMES = {"raab": "identity", "kolb": "group_disclosure"}  # families were named after their authors

Chosen = Mapping[str, Mapping[str, Any] | Family]
"""By family, the settings that differ from their defaults, or the family with its settings."""


def known_names(families: Sequence[type[Family]]) -> dict[str, tuple[str, ...]]:
    """What people may ask for (a measure, a whole family, or `all`), and the measures that it stands for."""
    of_family = {f.name: tuple(m.name for m in f.measures) for f in families}
    old = {name: of_family[new] for name, new in OLD_NAMES.items() if new in of_family}
    every = tuple(name for names in of_family.values() for name in names)
    return {"all": every, **old, **of_family, **{name: (name,) for name in every if name not in of_family}}


def choose(
    families: Sequence[type[Family]], names: Sequence[str] | None, settings: Chosen
) -> tuple[list[Family], set[str] | None]:
    """The families to ask, with their settings, and the measures to keep of what they answer (None: all).

    names: measures (`DCAP`), whole families (`identity`), or `all`; None is the families that run by default.
    """
    settings = {OLD_NAMES.get(name, name): given for name, given in settings.items()}
    _check_known("family of measures", settings, [f.name for f in families], "settings")
    made = {f.name: _made(f, settings.get(f.name, {})) for f in families}
    if names is None:
        return [made[f.name] for f in families if f.is_default or f.name in settings], None
    known = known_names(families)
    _check_known("measure", names, known, "measures")
    wanted = {measure for name in names for measure in known[name]}
    return [made[f.name] for f in families if wanted.intersection(known[f.name])], wanted


def _check_known(noun: str, given: Iterable[str], known: Collection[str], where: str) -> None:
    for name in given:
        if name not in known:
            hint = suggest(name, known) or f"There are: {', '.join(known)}."
            raise SpecError(f"there is no {noun} {name!r}.", where=where, hint=hint)


def _made(family: type[Family], settings: Mapping[str, Any] | Family) -> Family:
    return read_settings(family, settings, family.name) if isinstance(settings, Mapping) else settings
