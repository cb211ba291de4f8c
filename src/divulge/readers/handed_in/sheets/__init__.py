"""Files as sheets: what each format holds, as lines and grids with their places. Nothing of a file is ever executed.

A new format is a file here with `SUFFIXES` and `read`, and a name in FORMATS.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from divulge.readers.handed_in.sheets import (
    delimited,
    excel,
    html,
    latex,
    markdown,
    notebook,
    opendocument,
    portable,
    r_objects,
    rich,
    smcl,
    text,
    viewer,
    word,
)
from divulge.readers.handed_in.sheets.sheet import Block, Document, Grid, Lines, Remark, Row

FORMATS = (
    text,
    smcl,
    html,
    latex,
    markdown,
    delimited,
    excel,
    word,
    opendocument,
    rich,
    portable,
    notebook,
    viewer,
    r_objects,
)

_UNREAD = {
    "a picture, whose numbers cannot be read as text": (
        ".png",
        ".jpg",
        ".jpeg",
        ".gif",
        ".bmp",
        ".tif",
        ".tiff",
        ".webp",
    ),
    "a drawing that carries the points it shows": (".svg", ".gph", ".emf", ".wmf", ".eps", ".ps"),
    "a pickle: loading it could run code": (".pkl", ".pickle", ".joblib", ".sav.pkl"),
    "microdata, not an output": (".dta", ".sav", ".por", ".sas7bdat", ".parquet", ".feather", ".xpt"),
    "an old binary format; save it anew as .xlsx or .docx": (".xls", ".doc", ".xlsb", ".ppt"),
    "an old viewer file of SPSS; export its tables as HTML, text or CSV": (".spo",),
    "slides; hand in the tables as files": (".pptx", ".key", ".odp"),
    "an archive; hand in what is in it": (".zip", ".gz", ".7z", ".tar", ".rar"),
    "a program; it is not run": (".exe", ".dll", ".so", ".sh", ".bat", ".jar"),
}


def open_document(path: Path, name: str | None = None) -> Document:
    """A file as blocks, or with the reason why it cannot be read. Never raises on what a file holds."""
    called = name or path.name
    suffix = path.suffix.casefold()
    for reason, suffixes in _UNREAD.items():
        if suffix in suffixes:
            return Document(called, reason=reason)
    read: Callable[[Path, str], Document] = next((f.read for f in FORMATS if suffix in f.SUFFIXES), text.read)
    try:
        return read(path, called)
    except RecursionError:
        return Document(called, reason="nested too deeply to be read")
    except OSError as error:
        return Document(called, reason=f"cannot be opened ({error.strerror or type(error).__name__})")


__all__ = ["FORMATS", "Block", "Document", "Grid", "Lines", "Remark", "Row", "open_document"]
