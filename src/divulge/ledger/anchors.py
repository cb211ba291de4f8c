"""Anchors: where the audit trail ended at some moment, written down elsewhere, where whoever changes the ledger is not.

A file of them has a line for each, `COUNT:HASH TIME`. Lines are only ever added.
"""

from __future__ import annotations

import os
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from divulge.errors import LedgerError, TamperedError, UsageError, WriteError
from divulge.ledger.clock import moment
from divulge.ledger.model import TrailEntry, utc_now
from divulge.ledger.trail import Head


def parse_anchor(text: str, where: str) -> Head:
    """An anchor as it is printed."""
    count, _, found = text.strip().partition(" ")[0].partition(":")
    if not (count.isascii() and count.isdigit()) or len(found) != 64:
        raise UsageError("this is not an anchor.", where=where, hint="It is a number, a colon, a hash.")
    return Head(int(count), found)


def read_anchors(path: Path) -> list[Head]:
    """The anchors of a file; none where it is not there yet."""
    try:
        lines = path.read_text(encoding="ascii").splitlines()
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError):
        raise LedgerError("the file of anchors cannot be read.", where=str(path)) from None
    return [parse_anchor(line, f"{path}, line {i}") for i, line in enumerate(lines, start=1) if line.strip()]


def check_anchors(session: Session, path: Path) -> None:
    """Raise where the trail lacks what was noted elsewhere: a backup was restored, or somebody has cut it off."""
    noted = read_anchors(path)
    numbers = select(TrailEntry.number, TrailEntry.hash).where(TrailEntry.number.in_({head.count for head in noted}))
    held = {Head(number, found) for number, found in session.execute(numbers)}
    missing = [head for head in noted if head.count and head not in held]
    if missing:
        raise TamperedError(
            f"entry {missing[0].count} of the audit trail was noted in {path} and is not in this ledger.",
            where="--anchors",
            hint="Was a backup restored? Enter what was released since with divulge ledger add, close the accounts and "
            "revoke the tokens that were closed and revoked since, and begin a new file of anchors.",
        )


def write_anchor(path: Path, head: Head) -> None:
    """Add an anchor to a file, and wait until it is on the disk."""
    try:
        with path.open("a", encoding="ascii") as file:
            file.write(f"{head} {moment(utc_now())}\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise WriteError(f"the anchor cannot be written: {error.strerror}.", where=str(path)) from None
