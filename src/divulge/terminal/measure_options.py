"""What people write after the options of `divulge measure`, read into what the measures take."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from divulge.errors import UsageError
from divulge.measures import FAMILIES, Exclusions, Groups
from divulge.measures.choose import OLD_NAMES
from divulge.settings import from_text, settings_of

_ITEM = re.compile(r"""\s*(?:'([^']*)'|"([^"]*)"|([^,'"]+))\s*(?:,|$)""")


def read_names(texts: Sequence[str]) -> list[str]:
    """Names separated by commas, over all uses of an option."""
    return [name.strip() for text in texts for name in text.split(",") if name.strip()]


def read_groups(groups: Sequence[str], special: Sequence[str]) -> dict[str, Groups]:
    """`income=20` and `income=-8`. A special code of a variable that is not grouped is a level anyway."""
    codes: dict[str, list[float]] = {}
    for text in special:
        name, value = _pair(text, "--special", "income=-8")
        codes.setdefault(name, []).append(_number(value, text, "--special"))
    found = {}
    for text in groups:
        name, value = _pair(text, "--groups", "income=20")
        number = _number(value, text, "--groups")
        if number != int(number):
            raise UsageError(f"a whole number of groups is needed, {value!r} is given.", where="--groups")
        found[name] = Groups(int(number), tuple(codes.get(name, ())))
    return found


def read_exclusions(
    levels: Sequence[str],
    missing: Sequence[str],
    pairs: Sequence[str],
    limit: int,
    targets: Sequence[str],
    grouped: Any,
) -> Exclusions:
    """The exclusions as options say them. A level may be a list, `t=[A, B]`, unless its variable is grouped."""
    out: list[tuple[str, str | None]] = []
    for text in levels:
        name, level = _pair(text, "--exclude-target-level", "workab=NO")
        listed = None if name in grouped else _list(level)
        out += [(name, one or None) for one in (listed if listed is not None else [level])]
    return Exclusions(
        tuple(out),
        tuple(read_names(missing)),
        tuple(_key_pair(text, targets) for text in pairs),
        limit,
    )


def read_settings(texts: Sequence[str], tau: float | None) -> dict[str, dict[str, Any]]:
    """`suda.sampling_fraction=0.1`: settings by family and field; --tau is short for tcap.tau."""
    found: dict[str, dict[str, Any]] = {} if tau is None else {"tcap": {"tau": tau}}
    for text in texts:
        name, value = _pair(text, "--set", "suda.sampling_fraction=0.1")
        family, dot, field = name.partition(".")
        if not dot:
            raise UsageError(f"{text!r} does not say of which family.", where="--set", hint="Write FAMILY.FIELD=VALUE.")
        known = {f.name: settings_of(f) for f in FAMILIES}.get(OLD_NAMES.get(family, family), {})
        # What is not known as a setting is refused with the others.
        found.setdefault(family, {})[field] = from_text(known[field].hint, value) if field in known else value
    return found


def _pair(text: str, option: str, example: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise UsageError(f"{text!r} has no name and value.", where=option, hint=f"Write for example {example}.")
    return name.strip(), value


def _number(value: str, text: str, option: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise UsageError(f"{text!r} does not end in a number.", where=option) from None


def _list(text: str) -> list[str] | None:
    """The items of `[A, B]`, quotes taken off; None where the text is no list."""
    if not (text.startswith("[") and text.endswith("]")):
        return None
    inside, place, items = text[1:-1], 0, []
    while place < len(inside):
        match = _ITEM.match(inside, place)
        if match is None:
            return None
        items.append(
            next(g for g in match.groups() if g is not None).strip() if match[3] else match[1] or match[2] or ""
        )
        place = match.end()
    return items


def _key_pair(text: str, targets: Sequence[str]) -> tuple[str, str | None, str, str | None]:
    """`region=North, East,marital=SINGLE`: levels may hold commas, so the target's name marks the second's start."""
    for target in targets:
        first, comma, level = text.rpartition(f",{target}=")
        if comma:
            key, key_level = _pair(first, "--exclude-pair", f"age=16,{target}=SINGLE")
            return key, key_level or None, target, level or None
    raise UsageError(
        f"{text!r} does not name a level of {' or '.join(map(repr, targets))} at its end.",
        where="--exclude-pair",
        hint="Write KEY=LEVEL,TARGET=LEVEL.",
    )
