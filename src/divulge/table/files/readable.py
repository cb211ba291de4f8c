"""Whether a file is there to be read, said in the same words for tables, schemas and whatever else is read."""

from __future__ import annotations

from pathlib import Path

from divulge.errors import EmptyFileError, FileIsDirectoryError, FileMissingError


def check_readable(path: Path) -> None:
    """Raise where there is no file, it is a folder, it is empty, or we may not read it."""
    try:
        if path.is_dir():
            raise FileIsDirectoryError(
                "a file is needed, this is a folder.", where=str(path), hint="Name a file inside it."
            )
        with path.open("rb") as file:
            if not file.read(1):
                raise EmptyFileError("the file is empty.", where=str(path), hint="Was the export interrupted?")
    except FileNotFoundError:
        raise FileMissingError("there is no such file.", where=str(path), hint=_near(path)) from None
    except OSError as error:
        raise FileMissingError(
            f"the file cannot be opened: {error.strerror}.", where=str(path), hint="May you read it?"
        ) from None


def _near(path: Path) -> str:
    if not path.parent.is_dir():
        return f"There is no folder {str(path.parent)!r} either."
    return "Is the name spelt as on disk, with its ending?"
