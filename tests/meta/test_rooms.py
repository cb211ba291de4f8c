"""A room is a folder of alternatives and a tuple that lists them: every file of it is in the tuple.

The one file beside them is named after a single member (`rules/rule.py`): it says what a member is.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import divulge

SOURCE = Path(divulge.__file__).parent

ROOMS = ("cli", "outputs.kinds", "measures.families", "synthesisers", "comparators", "rules", "readers")
ROOMS += (
    "reports.formats",
    "demo",
    "mitigations",
    "attacks",
    "readers.handed_in.programs",
    "outputs.methods",
    "sources",
    "web.hooks",
)


def _registered(value: Any, room: str) -> set[str]:
    """The files or folders of a room that an entry of its tuple comes from."""
    if isinstance(value, str):
        return {value}
    if isinstance(value, tuple | list):
        return set().union(*(_registered(v, room) for v in value))
    if isinstance(value, dict):
        return _registered(list(value.values()), room)
    if isinstance(value, ModuleType):
        name = value.__name__
    else:
        kind = value if hasattr(value, "__module__") and hasattr(value, "__qualname__") else type(value)
        name = str(kind.__module__)
    inside = name.removeprefix(f"divulge.{room}.")
    return {inside.split(".")[0]} if inside != name else set()


def _shape_of_a_member(room: str) -> str:
    """The name of a single member: `family` in `measures.families`, `rule` in `rules`."""
    plural = room.rsplit(".", 1)[-1]
    return plural.removesuffix("ies") + "y" if plural.endswith("ies") else plural.removesuffix("s")


def unregistered(room: str, package: ModuleType, folder: Path) -> list[str]:
    """Files and folders of the room that its tuples (names in capitals) do not name."""
    tuples = [v for k, v in vars(package).items() if k.isupper() and isinstance(v, tuple | dict)]
    listed = set().union(*(_registered(v, room) for v in tuples)) if tuples else set()
    found = {p.stem for p in folder.glob("*.py")} | {p.parent.name for p in folder.glob("*/*.py")}
    return sorted(found - listed - {"__init__", _shape_of_a_member(room)})


def _folder(room: str) -> Path:
    return SOURCE.joinpath(*room.split("."))


def test_folder_says_of_itself_that_it_is_a_room() -> None:
    said = [f for f in SOURCE.rglob("__init__.py") if f.read_text(encoding="utf-8").startswith('"""ROOM. ')]
    assert sorted(".".join(f.parent.relative_to(SOURCE).parts) for f in said) == sorted(ROOMS)


@pytest.mark.parametrize("room", [r for r in ROOMS if _folder(r).is_dir()])
def test_every_file_of_a_room_is_registered(room: str) -> None:
    package = import_module(f"divulge.{room}")
    missing = unregistered(room, package, _folder(room))
    assert missing == [], f"add these to the tuple of divulge/{room.replace('.', '/')}/__init__.py"


def test_unregistered_file_is_found(tmp_path: Path) -> None:
    for name in ("crosstab.py", "kind.py", "median.py", "shared/tool.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    room = ModuleType("divulge.outputs.kinds")
    room.KINDS = (type("Crosstab", (), {"__module__": "divulge.outputs.kinds.crosstab"}),)  # type: ignore[attr-defined]
    assert unregistered("outputs.kinds", room, tmp_path) == ["median", "shared"]
