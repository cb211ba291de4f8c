"""Results as plain data: frozen dataclasses to JSON and back, with the version of the format.

What a command prints with `--json` and what a record file holds goes through `to_plain` and `dumps`; nothing else
in the program writes JSON by hand.
"""

from __future__ import annotations

import csv
import dataclasses
import enum
import io
import json
import math
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from divulge.errors import RecordError, WriteError

FORMAT_VERSION = 1
"""Raised when a field is renamed or removed or changes its meaning; a new field does not raise it.

1: first version.
"""


def to_plain(value: Any) -> Any:
    """`value` as dicts, lists, strings and numbers. An undefined number (NaN, infinity) becomes None.

    A field with the metadata `recorded: False` is left out: what is per row never reaches a record.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        kept = [f.name for f in dataclasses.fields(value) if f.metadata.get("recorded", True)]
        return {name: to_plain(getattr(value, name)) for name in kept}
    if isinstance(value, Mapping):
        return {str(k): to_plain(v) for k, v in value.items()}
    if type(value).__module__.partition(".")[0] == "numpy":
        # An array or a number, known by its name: most commands end before numpy would be imported.
        return to_plain(value.tolist())
    if isinstance(value, list | tuple | set | frozenset):
        return [to_plain(v) for v in value]
    if isinstance(value, enum.Enum):
        return to_plain(value.value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Path):
        return str(value)
    return value


def dumps(value: Any) -> str:
    """One JSON document, readable by people, ending in a newline."""
    return json.dumps(to_plain(value), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    """Rows of cells as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def no_formula(text: str) -> str:
    """Words for a cell of a CSV file, quoted where a spreadsheet would run them: words may come from strangers."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all: a temporary file in the same folder, then a rename."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file whole or not at all: a temporary file in the same folder, then a rename."""
    write_whole(path, (content,))


def write_whole(path: Path, content: Iterable[bytes]) -> None:
    """Write a file piece by piece, and yet whole or not at all."""
    with whole_file(path) as temporary, temporary.open("wb") as file:
        for piece in content:
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary file in the same folder, which takes the place of `path` where nothing goes wrong."""
    temporary: str | None = None
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=path.suffix)
        os.close(handle)
        yield Path(temporary)
        # As any new file, by the mask of the process: the service lets nobody else of the machine read.
        mask = os.umask(0o077)
        os.umask(mask)
        Path(temporary).chmod(0o666 & ~mask)
        Path(temporary).replace(path)
    except OSError as error:
        raise WriteError(
            f"cannot write {path.name!r}: {error.strerror}.",
            where=str(path.parent),
            hint="Choose a folder that exists, that you may write to, and that has room.",
        ) from None
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def make_folder(path: Path) -> None:
    """Make a folder, and those above it, unless it is there already."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(
            f"cannot make the folder: {error.strerror}.", where=str(path), hint="Choose another name or place."
        ) from None


def read_record(path: Path) -> dict[str, Any]:
    """A record file as plain data, checked to be of this format version."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RecordError(f"cannot read the record: {error.strerror}.", where=str(path)) from None
    except ValueError:
        raise RecordError("this is not a record: it is not JSON.", where=str(path)) from None
    version = record.get("format_version") if isinstance(record, dict) else None
    if version != FORMAT_VERSION:
        raise RecordError(
            f"a record of format version {FORMAT_VERSION} is needed, this one says {version!r}.",
            where=str(path),
            hint="Run the assessment again with this version of Divulge.",
        )
    return dict(record)
