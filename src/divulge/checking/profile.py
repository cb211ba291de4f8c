"""A custodian's rule book: rules by name with their settings, and what a breach of each does. Profiles are YAML files.

Those that come with the program are in `rules/profiles`; a custodian's own is a file of the same shape, which may be
`based_on` one of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from divulge.errors import SpecError, suggest
from divulge.rules import RULES, Rule, Severity
from divulge.settings import read_settings

DEFAULT = "divulge"
_FOLDER = resources.files("divulge.rules") / "profiles"
_FILES = sorted(p.name for p in _FOLDER.iterdir() if p.name.endswith(".yaml"))
PROFILES: tuple[str, ...] = tuple(name.removesuffix(".yaml") for name in _FILES)
"""The names of the profiles that come with the program."""


@dataclass(frozen=True)
class Profile:
    """rules: each with its settings; breach: what a breach of each does, by the rule's name."""

    name: str
    title: str
    source: str
    rules: tuple[Rule, ...]
    breach: Mapping[str, Severity]


def read_profile(given: str | None = None, folder: Path | None = None) -> Profile:
    """A profile by its name, or from a file in `folder` (a name that ends in .yaml); the default one for None."""
    name = given or DEFAULT
    check_profile(name, "policy.profile")
    if name in PROFILES:
        return _make_profile(name, yaml.safe_load((_FOLDER / f"{name}.yaml").read_text(encoding="utf-8")))
    file = (folder or Path()) / name
    try:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise SpecError(
            f"the profile {name!r} cannot be read ({type(error).__name__}).", where="policy.profile"
        ) from None
    return _make_profile(Path(name).stem, document)


def check_profile(name: str, where: str = "profile") -> None:
    """Raise where a name is neither that of a profile nor that of a file. Whether there is the file is not asked."""
    if name not in PROFILES and not name.endswith((".yaml", ".yml")):
        raise SpecError(
            f"there is no profile {name!r}.",
            where=where,
            hint=suggest(name, PROFILES) or f"The profiles are: {', '.join(PROFILES)}. A file's name ends in .yaml.",
        )


def _make_profile(name: str, document: Any) -> Profile:
    """A profile from plain data: title, source, based_on, rules."""
    if not isinstance(document, dict) or not isinstance(document.get("rules", {}), dict):
        raise SpecError(
            "a profile is a mapping with rules by name.",
            where="profile",
            hint="For example rules: {threshold: {fewest: 5}}.",
        )
    unknown = [key for key in document if key not in ("title", "source", "based_on", "rules")]
    if unknown:
        raise SpecError(
            f"a profile has no {unknown[0]!r}.", where="profile", hint="It has title, source, based_on and rules."
        )
    base = read_profile(str(document["based_on"])) if document.get("based_on") else None
    rules = {rule.name: rule for rule in base.rules} if base else {}
    breach = dict(base.breach) if base else {}
    known = {rule.name: rule for rule in RULES}
    for rule_name, settings in document.get("rules", {}).items():
        if rule_name not in known:
            raise SpecError(
                f"there is no rule {rule_name!r}.",
                where=f"profile.rules.{rule_name}",
                hint=suggest(str(rule_name), known) or f"The rules are: {', '.join(known)}.",
            )
        if settings is False:
            # A rule of the profile that this one is based on, which the custodian does not have.
            rules.pop(rule_name, None)
            continue
        given = dict(settings or {})
        breach[rule_name] = _severity(given.pop("breach", breach.get(rule_name, known[rule_name].severity)), rule_name)
        before = rules[rule_name].settings() if rule_name in rules else {}
        rules[rule_name] = read_settings(known[rule_name], {**before, **given}, f"profile.rules.{rule_name}")
    ordered = tuple(rules[r.name] for r in RULES if r.name in rules)
    return Profile(name, str(document.get("title", name)), str(document.get("source", "")), ordered, breach)


def _severity(given: Any, rule: str) -> Severity:
    if given not in list(Severity):
        raise SpecError(
            f"a breach does {', '.join(Severity)}; {given!r} is given.", where=f"profile.rules.{rule}.breach"
        )
    return Severity(given)
