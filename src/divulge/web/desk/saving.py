"""The copy of a folder that can be handed in, and what checkers leave in one: notes and decisions."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from divulge.errors import DivulgeError, SpecError, StateError, WriteError
from divulge.record import dumps, make_folder, read_record, write_bytes, write_text
from divulge.spec.document import read_document
from divulge.web.desk.desk import Desk
from divulge.web.desk.names import OURS

NOTES = "notes.json"
CHOICES = ("release", "return", "refuse")
_HANDED_IN = ("assessment.yaml", "record.json", "report.html", NOTES)


@dataclass(frozen=True)
class Copy:
    """The files of a folder that can be handed in."""

    desk: Desk

    @property
    def folder(self) -> Path:
        """Where the copy goes: beside the folder."""
        return self.desk.folder.with_name(f"{self.desk.folder.name}-hand-in")

    def files(self) -> dict[str, bytes]:
        """The files of the folder that can be handed in, by name. Never the data: not by name, nor by content."""
        found = self.desk.found
        if found is None or self.desk.data is None:
            raise StateError("what would be handed in was not assessed as it is now.", hint="Press Assess first.")
        data = _digest(self.desk.data.path.read_bytes())
        held = {name: (self.desk.folder / name).read_bytes() for name in self.desk.files}
        same = [name for name, content in held.items() if _digest(content) == data]
        if same:
            raise StateError(f"{same[0]} is the data.", hint="Leave this file out: data are never handed in.")
        ours = {
            p.name: p.read_bytes()
            for p in sorted(self.desk.ours.iterdir())
            if p.name in _HANDED_IN and not p.is_symlink()
        }
        held |= {f"{OURS}/{name}": content for name, content in ours.items()}
        listed = {name: _digest(content) for name, content in held.items()}
        held[f"{OURS}/manifest.json"] = dumps({"files": listed}).encode()
        return held

    def save(self) -> Path:
        """Write the copy that can be handed in; what an earlier copy held besides is removed with it."""
        files, target = self.files(), self.folder
        if target.exists():
            known = _listed(target)
            others = [p for p in target.rglob("*") if p.is_file() and p.relative_to(target).as_posix() not in known]
            if others:
                raise WriteError(
                    f"{target} holds files that are not of an earlier copy, {others[0].name} among them.",
                    hint="Move it away, and save again.",
                )
            for name in known:
                (target / name).unlink(missing_ok=True)
        for name, content in files.items():
            make_folder((target / name).parent)
            write_bytes(target / name, content)
        return target


@dataclass(frozen=True)
class Notes:
    """What was said and decided about a folder, and what a record in it says that was not made here."""

    desk: Desk

    def read(self) -> list[dict[str, str]]:
        """What was said and decided about the folder, the oldest first; nothing where the file is not ours."""
        try:
            notes = read_document(self.desk.ours / NOTES).get("notes")
        except DivulgeError:
            return []
        kept = [n for n in notes if isinstance(n, dict)] if isinstance(notes, list) else []
        words = ("at", "by", "text", "choice", "about")
        return [{w: str(n.get(w) or "")[:20_000] for w in words} for n in kept]

    def add(self, by: str, text: str, choice: str | None = None) -> None:
        """Leave a note in the folder, or a decision. Nobody decides on another's word that it was assessed."""
        if not by:
            raise SpecError("a name is needed.", where="your name")
        if not text:
            raise SpecError(
                "a reason is needed." if choice is not None else "a note without words is none.", where="text"
            )
        if choice is not None and choice not in CHOICES:
            raise SpecError("release, return or refuse is to be chosen.", where="choice")
        if choice == "release" and self.desk.found is None:
            raise StateError(
                "what is to be released was not assessed here as it is now.",
                hint="Press Assess first: a verdict that came with the folder is the word of whoever handed it in.",
            )
        note = {"at": datetime.now(UTC).isoformat(timespec="seconds"), "by": by, "text": text}
        if choice is not None:
            note |= {"choice": choice, "about": _digest(self.desk.text().encode())}
        make_folder(self.desk.ours)
        write_text(self.desk.ours / NOTES, dumps({"notes": [*self.read(), note]}))

    def is_about_now(self, note: dict[str, str]) -> bool:
        """Whether a decision is about the outputs as they are now."""
        return note["about"] == _digest(self.desk.text().encode())

    def came_with(self) -> dict[str, Any] | None:
        """What a record in the folder says that was not made here. Whoever handed it in may have written anything."""
        try:
            record = read_record(self.desk.ours / "record.json")
        except DivulgeError:
            return None
        verdict, reasons = record.get("verdict"), record.get("reasons")
        if verdict not in ("release", "review", "refuse"):
            return None
        said = [str(r)[:500] for r in reasons[:20]] if isinstance(reasons, list) else []
        return {"verdict": verdict, "reasons": said}


def _listed(target: Path) -> set[str]:
    """The files that an earlier copy consists of, by its own list; only such as are inside it."""
    own = f"{OURS}/manifest.json"
    try:
        named = read_document(target / own).get("files", {})
    except DivulgeError:
        return set()
    inside = {n for n in named if isinstance(n, str) and (target / n).resolve().is_relative_to(target.resolve())}
    return inside | {own}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
