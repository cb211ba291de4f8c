"""Writes the pages of the documentation that follow from the program: `python -m docs.generate`.

A test fails when a page is out of date; run this and commit what it wrote.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from divulge.cli import command_tree
from docs.catalogue import catalogue_page, schema_file
from docs.digits import digits_page, digits_picture
from docs.embedded_kinds import embedded_kinds_page
from docs.house import house_svg
from docs.performance import performance_page
from docs.rulebook import rules_page
from docs.validation import validation_page

FOLDER = Path(__file__).parent


def commands_page() -> str:
    """docs/commands.md: every command with its arguments and options, from the help texts."""
    command = command_tree()
    parts = [
        "# Commands",
        "This page is generated from the commands themselves; `divulge COMMAND --help` says the same.",
        "Every command takes `--json` and then prints one JSON document on standard output and nothing else there. "
        "Notes, progress and errors go to standard error.",
        "## divulge",
        *_described(command, "divulge"),
    ]
    for name, sub in _subcommands(command, "divulge"):
        parts += [f"## {name}", *_described(sub, name)]
    return "\n\n".join(parts) + "\n"


def _subcommands(command: Any, path: str) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name, sub in getattr(command, "commands", {}).items():
        found += [(f"{path} {name}", sub), *_subcommands(sub, f"{path} {name}")]
    return found


def _described(command: Any, path: str) -> list[str]:
    with command.make_context(path, [], resilient_parsing=True) as context:
        usage = " ".join(command.collect_usage_pieces(context))
    parts = [command.help or "", f"```text\n{path} {usage}\n```"]
    rows = [_row(p) for p in command.params if not getattr(p, "hidden", False)]
    if rows:
        parts.append("\n".join(["| | |", "|---|---|", *rows]))
    return parts


def _row(parameter: Any) -> str:
    value = parameter.metavar or parameter.name.upper()
    if parameter.param_type_name == "option":
        names = ", ".join([*parameter.opts, *parameter.secondary_opts])
        shown = names if parameter.is_flag or parameter.count else f"{names} {value}"
    else:
        shown = value
    meaning = parameter.help or ""
    default = parameter.default
    if default not in (None, False, [], ()) and not callable(default) and not parameter.required:
        meaning += f" Default: {default}."
    return f"| `{_cell(shown)}` | {_cell(meaning)} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def glossary_page() -> str:
    """docs/glossary.md: GLOSSARY.md, which stands at the top of the repository for those who read the code."""
    return (FOLDER.parent / "GLOSSARY.md").read_text(encoding="utf-8")


PAGES = {
    "commands.md": commands_page,
    "digits.md": digits_page,
    "digits.svg": digits_picture,
    "glossary.md": glossary_page,
    "house.svg": house_svg,
    "limits-kinds.md": embedded_kinds_page,
    "performance.md": performance_page,
    "reference/catalogue.md": catalogue_page,
    "reference/rules.md": rules_page,
    "reference/spec.schema.json": schema_file,
    "validation.md": validation_page,
}
"""Generated pages by file name."""


def main() -> None:
    for name, page in PAGES.items():
        (FOLDER / name).parent.mkdir(exist_ok=True)
        (FOLDER / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
