"""docs/reference/rules.md: every rule with its source and settings, and every profile, from the program itself."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, get_args, get_origin, get_type_hints

from divulge.checking import PROFILES, read_profile
from divulge.rules import RULES, Rule


def rules_page() -> str:
    """Every rule, then every profile as a table."""
    parts = [
        "# Rules and profiles",
        "This page is generated from the rules themselves; `divulge rules` lists the same. How rules and measures go "
        "together is told in [Rules](../rules.md).",
        "## Rules",
    ]
    for rule in RULES:
        parts += [f"### {rule.name}", *_described(rule)]
    parts.append("## Profiles")
    for name in PROFILES:
        profile = read_profile(name)
        rows = ["| rule | settings | a breach does |", "|---|---|---|"]
        for one in profile.rules:
            settings = ", ".join(f"{key} {value}" for key, value in one.settings().items())
            rows.append(f"| {one.name} | {settings} | {profile.breach[one.name]} |")
        parts += [f"### {name}", f"{profile.title}. {profile.source}.", "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


def _described(rule: type[Rule]) -> list[str]:
    about = ", ".join(rule.statbarns) or "every output"
    parts = [rule.asks, " ".join((rule.__doc__ or "").split()), f"*Source:* {rule.source}. *About:* {about}."]
    hints = get_type_hints(rule, include_extras=True)
    rows = []
    for field in fields(rule):
        help_text = get_args(hints[field.name])[1] if get_origin(hints[field.name]) is Annotated else ""
        rows.append(f"| `{field.name}` | {field.default} | {help_text} |")
    if rows:
        parts.append("\n".join(["| setting | usually | |", "|---|---|---|", *rows]))
    return parts
