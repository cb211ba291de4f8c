"""Which measures to compute, and with which settings: from the names that people write to families."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from divulge.errors import DivulgeError, MeasureError, suggest
from divulge.measures.families.family import Family

_OLD_NAMES = {"raab": "identity", "kolb": "group_disclosure"}  # families were named after their authors


def choose(
    families: Sequence[type[Family]], names: Sequence[str] | None, settings: Mapping[str, Mapping[str, Any]]
) -> tuple[list[Family], set[str] | None]:
    """The families to ask, with their settings, and the measures to keep of what they answer (None: all).

    names: measures (`DCAP`), whole families (`identity`), or `all`; None is the families that run by default.
    settings: by family, the fields that differ from their defaults.
    """
    settings = {_OLD_NAMES.get(name, name): given for name, given in settings.items()}
    known = {f.name: f for f in families}
    of_measure = {m.name: f.name for f in families for m in f.measures}
    for family in settings:
        if family not in known:
            raise MeasureError(
                f"there is no family of measures {family!r}.",
                where="settings",
                hint=suggest(family, known) or f"The families are: {', '.join(known)}.",
            )
    if names is None:
        return [_with(f, settings.get(f.name, {})) for f in families if f.is_default or f.name in settings], None
    wanted: set[str] = set()
    for name in (_OLD_NAMES.get(name, name) for name in names):
        if name == "all":
            wanted |= set(of_measure)
        elif name in known:
            wanted |= {m.name for m in known[name].measures}
        elif name in of_measure:
            wanted.add(name)
        else:
            raise MeasureError(
                f"there is no measure {name!r}.",
                where="measures",
                hint=suggest(name, [*known, *of_measure]) or f"The measures are: {', '.join(of_measure)}.",
            )
    asked = {of_measure[name] for name in wanted}
    return [_with(f, settings.get(f.name, {})) for f in families if f.name in asked], wanted


def _with(family: type[Family], settings: Mapping[str, Any]) -> Family:
    default: Any = family()
    names = [f.name for f in fields(default)]
    for name in settings:
        if name not in names:
            raise MeasureError(
                f"{family.name!r} has no setting {name!r}.",
                where="settings",
                hint=suggest(name, names) or (f"It has: {', '.join(names)}." if names else "It has none."),
            )
    try:
        made: Family = replace(default, **settings)
    except DivulgeError as error:
        raise error.at(family.name) from None
    except (TypeError, ValueError):
        raise MeasureError(
            f"{', '.join(settings)} cannot be what is given.", where=family.name, hint="See its documentation."
        ) from None
    return made
