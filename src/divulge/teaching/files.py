"""Everything that a class gets, written into one folder; "simulated" is in every name."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from divulge.errors import WriteError
from divulge.record import dumps, make_folder, write_text
from divulge.table import Schema, write_table
from divulge.table.frictionless import format_schema
from divulge.teaching.make import Dataset
from divulge.teaching.note import agreement, dictionary, note
from divulge.teaching.notebook import notebook, published_csv

FORMATS = (".csv", ".sav", ".dta")
"""For any program, for SPSS, for Stata."""


def write_dataset(data: Dataset, folder: Path, name: str) -> tuple[list[Path], dict[str, str]]:
    """Write rows, dictionary, note and notebook; the files, and the formats that do not take these data with why."""
    make_folder(folder)
    stem = f"{name}-simulated"
    title = f"{data.settings.title or name} (simulated)"
    files: list[Path] = []
    skipped: dict[str, str] = {}
    for number, version in enumerate(data.versions, start=1):
        ending = f"-{number}" if len(data.versions) > 1 else ""
        for suffix in FORMATS:
            path = folder / f"{stem}{ending}{suffix}"
            try:
                write_table(version.table, path, title=f"SIMULATED data: {data.settings.title or name}")
            except WriteError as error:
                if suffix == ".csv" or not path.parent.is_dir():
                    raise
                # SPSS and Stata are narrow about names and codes; the rest of the class need not go without.
                skipped[suffix] = error.message
                continue
            files.append(path)
    schema = _public(data)
    document = {
        "title": title,
        "description": "Simulated data: nobody in them exists. See the note for what they reproduce.",
        "simulated": True,
        **format_schema(schema),
    }
    missed = tuple(int((agreement(data, i) < len(data.versions)).sum()) for i in range(len(data.targets)))
    book = notebook(title, stem, data.targets, data.schema, len(data.versions), missed)
    texts = {
        f"{stem}.schema.json": dumps(document),
        f"{stem}-published.csv": published_csv(data.targets),
        f"{stem}-dictionary.md": dictionary(data, title),
        f"{stem}-note.md": note(data, title, stem, skipped),
        f"{stem}.ipynb": json.dumps(book, ensure_ascii=False, indent=1) + "\n",
    }
    for file, text in texts.items():
        write_text(folder / file, text)
        files.append(folder / file)
    return files, skipped


def _public(data: Dataset) -> Schema:
    """The schema of the files, without frequencies: those it was made from are not those that it has.

    With several versions the values of a weight are those of all of them.
    """
    first = data.versions[0].table.schema
    variables = [replace(v, frequencies=None) for v in first]
    if data.settings.weight is not None and len(data.versions) > 1:
        every = sorted({w for v in data.versions for w in v.table.schema.variables[-1].values.tolist()})
        variables[-1] = variables[-1].with_values(every)
    return Schema(tuple(variables), first.rules)
