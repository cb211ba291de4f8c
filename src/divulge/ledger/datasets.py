"""Data that the ledger knows: their fingerprint, their schema, and where they are. The data themselves stay there."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from divulge.errors import (
    DivulgeError,
    LedgerError,
    NotAllowedError,
    NotFoundError,
    SourceError,
    SpecError,
    raise_all,
    suggest,
)
from divulge.ledger import states, trail
from divulge.ledger.basis import lock_people
from divulge.ledger.model import Dataset, Person, Project, ProjectDataset
from divulge.outputs import OUTPUTS
from divulge.outputs.fields import in_field
from divulge.policy import PRESETS
from divulge.sources.file import File
from divulge.spec import parse_spec
from divulge.table import Schema, Table, read_schema, read_table
from divulge.table.frictionless import format_schema, parse_schema
from divulge.table.shareable import told

_ANY_OUTPUT = {"kind": OUTPUTS[0].kind, "variables": ["x"], "compute": True}
"""A spec has outputs; here they say nothing."""

_SETTINGS = ("policy", "design", "scenario", "synthesiser", "measures", "seed")
"""What a custodian may fix for every assessment of a dataset. Researchers choose none of it."""

_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio: the odd multiplier of Knuth's multiplicative hashing


_PIECE = 1 << 16
"""Different rows whose people are hashed at a time."""


def fingerprint(table: Table) -> str:
    """What tells whether two tables hold the same people: SHA-256 over names and values, whatever the order.

    Columns in any order, rows in any order, the file's format and how values are coded make no difference.
    """
    names = sorted(table.names)
    rows = np.zeros(table.n_rows, dtype=np.uint64)
    for name in names:
        variable = table.schema[name]
        texts = [*variable.texts[: variable.n_values], *(f"missing\0{m}" for m in variable.missing)]
        values = np.array([_number(f"{name}\0{t}") for t in texts], dtype=np.uint64)
        # Mixed between columns, so that the same values in other columns make another row.
        rows = (rows ^ (rows >> np.uint64(29))) * _ODD + (values[table[name]] if len(values) else np.uint64(0))
    found = hashlib.sha256("\0".join([str(table.n_people), *names]).encode())
    if table.people is None:
        found.update(np.sort(rows).astype("<u8").tobytes())
        return found.hexdigest()
    # People who are alike are held once; written as often as there are of them, some rows at a time.
    order = np.argsort(rows)
    for start in range(0, len(order), _PIECE):
        some = order[start : start + _PIECE]
        found.update(np.repeat(rows[some], table.people[some]).astype("<u8").tobytes())
    return found.hexdigest()


def read_people(path: Path, schema: Schema | None) -> Table:
    """All that a file says of its people: many who are alike are held once, where few enough of them differ."""
    try:
        return File(file=path).read(schema, None, condensed=True)
    except SourceError:
        return read_table(path, schema)


def register(
    session: Session,
    by: Person | None,
    name: str,
    path: Path,
    *,
    schema: Schema | Path | None = None,
    collection: str | None = None,
    settings: Mapping[str, Any] | None = None,
    table: Table | None = None,
) -> Dataset:
    """Put data on record, or find them where they are known already (by what they hold, not by what they are called).

    by: who does it; None on the command line. table: the data, where they have been read already.
    """
    if by is not None:
        states.Rights(by).check_manage_data()
    if isinstance(schema, Path):
        schema = read_schema(schema)
    people = table if table is not None else read_people(path, schema)
    known = session.scalars(select(Dataset).where(Dataset.fingerprint == fingerprint(people))).one_or_none()
    if known is not None:
        return known
    if session.scalars(select(Dataset).where(Dataset.name == name)).one_or_none() is not None:
        raise LedgerError(f"other data are called {name!r} already.", where="name", hint="Choose another name.")
    dataset = Dataset(
        name=name,
        collection=collection or name,
        fingerprint=fingerprint(people),
        path=str(path.absolute()),
        schema=format_schema(_kept_schema(people, schema)),
        settings=_checked_settings(settings or {}),
        rows=people.n_people,
        variables=list(people.names),
    )
    session.add(dataset)
    session.flush()
    details = {"name": name, "collection": dataset.collection, "fingerprint": dataset.fingerprint}
    trail.append(session, by.name if by else trail.COMMAND_LINE, "register", "dataset", dataset.id, details)
    return dataset


def _kept_schema(table: Table, given: Schema | None) -> Schema:
    """The schema without any value that points at people: these stay in the data, and are read there by a worker.

    Identifiers, texts and dates are kept without values; so are numbers of which some are rare. Of categories those are
    kept that enough people have, or that the custodian's own schema lists.
    """
    kept = []
    for one in told(table, given):
        variable = one.variable
        if variable.holds == "levels" and one.is_whole:
            kept.append(variable)
            continue
        is_listed = variable.holds == "levels" and variable.kind == "categorical"
        values = variable.values[one.levels] if is_listed else variable.values[:0]
        labels = {v: t for v, t in variable.labels.items() if v in variable.missing or (v in set(values.tolist()))}
        kept.append(replace(variable, values=values, labels=labels, frequencies=None, is_open=True))
    return Schema(tuple(kept), table.schema.rules)


def change_settings(session: Session, by: Person, dataset_id: int, settings: Mapping[str, Any]) -> Dataset:
    """Fix anew what every later assessment of a dataset asks for."""
    states.Rights(by).check_manage_data()
    dataset = get_dataset(session, dataset_id)
    # Whoever is releasing something about these people comes first, or sees the new settings.
    lock_people(session, dataset)
    dataset.settings = _checked_settings(settings)
    trail.append(session, by.name, "settings", "dataset", dataset.id, {"settings": dataset.settings})
    return dataset


def change_public(session: Session, by: Person, dataset_id: int, names: Collection[str]) -> Dataset:
    """Say anew of which variables researchers may know the possible values."""
    states.Rights(by).check_manage_data()
    dataset = get_dataset(session, dataset_id)
    lock_people(session, dataset)
    dataset.public = [name for name in dataset.variables if name in names]
    trail.append(session, by.name, "public", "dataset", dataset.id, {"public": dataset.public})
    return dataset


def open_to(session: Session, by: Person | None, dataset_id: int, project_id: int, *, remove: bool = False) -> None:
    """Let the members of a project work with a dataset, or no longer. Doing it twice changes nothing."""
    if by is not None:
        states.Rights(by).check_manage_data()
    dataset = get_dataset(session, dataset_id)
    if session.get(Project, project_id) is None:
        raise NotFoundError(f"there is no project {project_id}.")
    held = session.get(ProjectDataset, (project_id, dataset_id))
    if (held is None) == remove:
        return
    if held is None:
        session.add(ProjectDataset(project_id=project_id, dataset_id=dataset_id))
    else:
        session.delete(held)
    session.flush()
    action = "remove dataset" if remove else "add dataset"
    who = by.name if by is not None else trail.COMMAND_LINE
    trail.append(session, who, action, "project", project_id, {"dataset": dataset.name})


def get_open_dataset(session: Session, project_id: int, dataset_id: int) -> Dataset:
    """A dataset that is open to a project. Others are as if there were none."""
    found = session.get(Dataset, dataset_id)
    if found is None or session.get(ProjectDataset, (project_id, dataset_id)) is None:
        raise NotAllowedError("a dataset that the project works with is to be chosen.", where="dataset")
    return found


def get_dataset(session: Session, dataset_id: int) -> Dataset:
    found = session.get(Dataset, dataset_id)
    if found is None:
        raise NotFoundError(f"there is no dataset {dataset_id}.")
    return found


def schema_of(dataset: Dataset) -> Schema:
    """What the variables of a dataset are."""
    return parse_schema(dataset.schema)


def _checked_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of assessments, checked as a spec would be: all that is wrong is told at once."""
    known, policy = {name: value for name, value in settings.items() if name in _SETTINGS}, settings.get("policy")
    problems: list[DivulgeError] = [
        SpecError(
            f"{name!r} is not something that is fixed for a dataset.",
            where=name,
            hint=suggest(name, _SETTINGS) or f"These are: {', '.join(_SETTINGS)}.",
        )
        for name in settings
        if name not in known
    ]
    if isinstance(policy, str) and policy not in PRESETS:
        presets = f"{', '.join(PRESETS)} are known by name."
        problems.append(SpecError("the thresholds themselves are needed, not a file.", where="policy", hint=presets))
        del known["policy"]
    with in_field("settings"):
        try:
            parse_spec({"outputs": [_ANY_OUTPUT], **known})
        except SpecError as error:
            problems += error.every
        raise_all(problems)
    return dict(settings)


def _number(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
