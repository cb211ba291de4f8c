"""What somebody sent, as a proposal for the ledger: a spec with its files, a folder of ACRO's, or figures with a form.

Files go into the store piece by piece; whatever is then refused was at least never run, imported or unfolded.
"""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from starlette.datastructures import FormData, UploadFile

from divulge.errors import DivulgeError, SpecError, UploadError, raise_all
from divulge.ledger.model import Submission, Use
from divulge.ledger.proposals import CORRECTIONS, HANDED_IN, Proposal, is_public
from divulge.ledger.store import PIECE, Blob, Store, safe_name
from divulge.outputs import Output, read_released
from divulge.outputs.fields import in_field
from divulge.outputs.released.reading import LABEL_COLUMNS, SE_COLUMNS, VALUE_COLUMNS
from divulge.record import csv_text
from divulge.spec import parse_output
from divulge.spec.document import parse_json, parse_yaml
from divulge.table import Schema
from divulge.web.acro import read_outputs
from divulge.web.archives import Limits, unpack
from divulge.web.forms import find_form, read_fields
from divulge.web.parsing import within_limits

_SPEC_BYTES = 1 << 20  # a spec with every cell of a large crosstab inline has a tenth of it
_TOTALS = frozenset({"total", "totals", "all", "sum"})  # heads of margins
_FIGURES = "figures.csv"  # the name under which pasted figures are kept and released


def sent_files(fields: FormData, name: str) -> list[UploadFile]:
    """The files of a field; a field that was left empty comes as a file without name or content."""
    return [f for f in fields.getlist(name) if isinstance(f, UploadFile) and (f.filename or f.size)]


def pieces(file: BinaryIO) -> Iterator[bytes]:
    """The content of a file that was sent, a piece at a time."""
    file.seek(0)
    while piece := file.read(PIECE):
        yield piece


def keep(store: Store, files: Sequence[UploadFile], at_most: int) -> list[tuple[str, Blob]]:
    """Put files into the store, under the names that they came with."""
    return [(f.filename or "file", store.put(pieces(f.file), at_most=at_most)) for f in files]


def read_document(text: str, name: str = "") -> dict[str, Any]:
    """A spec's text as plain data: JSON where its name says so, else YAML."""
    return within_limits(_read_document, text, name)


def _read_document(text: str, name: str) -> dict[str, Any]:
    if len(text) > _SPEC_BYTES:
        raise SpecError(
            "the spec is longer than any spec is.", where="spec", hint="Send figures as files of their own."
        )
    try:
        return parse_json(text) if name.casefold().endswith(".json") else parse_yaml(text)
    except DivulgeError as error:
        error.where = f"spec, {error.where}" if error.where else "spec"
        raise


def spec_text(files: Sequence[UploadFile], pasted: str) -> tuple[str, str]:
    """The text of a spec and its name, from the one file that was sent or from what was pasted."""
    if not files:
        if not pasted:
            raise SpecError("a spec is needed.", where="spec", hint="Choose a file, or paste its text.")
        return pasted, "spec.yaml"
    content = files[0].file.read(_SPEC_BYTES + 1)
    try:
        return content.decode("utf-8-sig"), files[0].filename or ""
    except UnicodeDecodeError:
        raise SpecError("the spec is not in UTF-8.", where="spec", hint="Save it as UTF-8.") from None


def from_spec(
    title: str,
    purpose: str,
    document: Mapping[str, Any],
    uploads: Sequence[tuple[str, Blob]],
    others: Sequence[tuple[str, Blob, str]] = (),
) -> Proposal:
    """A proposal from a spec. Its outputs alone count: the data and how to judge them are the custodian's."""
    outputs = document.get("outputs")
    if not isinstance(outputs, list) or not all(isinstance(o, dict) for o in outputs):
        raise SpecError("a list of outputs is needed.", where="outputs", hint="See the example on this page.")
    # What is said of an output is no field of its kind.
    said = {i: o["context"] for i, o in enumerate(outputs, start=1) if "context" in o}
    plain = [{name: value for name, value in o.items() if name != "context"} for o in outputs]
    return Proposal(title, plain, uploads, others, purpose, "spec", said)


def from_form(
    store: Store, title: str, purpose: str, fields: FormData, pasted: str, files: Sequence[UploadFile], at_most: int
) -> Proposal:
    """A proposal of one output from a form and a table of figures."""
    kind = fields.get("kind")
    form = find_form(kind if isinstance(kind, str) else "")
    given = {f.name: [v.strip() for v in fields.getlist(f"field-{f.name}") if isinstance(v, str)] for f in form.fields}
    document = read_fields(form, given)
    if files:
        uploads = keep(store, files[:1], at_most)
        uploads = [(_csv_name(uploads[0][0]), uploads[0][1])]
    elif pasted:
        uploads = [(_FIGURES, store.put(figures_csv(pasted, document.get("variables") or ()).encode()))]
    else:
        raise SpecError(
            "the figures to be released are needed.", where="figures", hint="Choose a file, or paste the table."
        )
    document["released"] = uploads[0][0]
    return Proposal(title=title, outputs=[document], uploads=uploads, purpose=purpose, origin="table")


def figures_csv(pasted: str, variables: Sequence[str] = ()) -> str:
    """Figures pasted from a spreadsheet or typed, as a CSV file with a header. variables: of a table with two."""
    delimiter = "\t" if "\t" in pasted else ";" if ";" in pasted and "," not in pasted else ","
    rows = [row for row in csv.reader(io.StringIO(pasted), delimiter=delimiter) if any(cell.strip() for cell in row)]
    if not rows or any(len(row) < 2 for row in rows):
        raise SpecError(
            "a label and a value are needed on every line.", where="figures", hint="For example: SEX=1 & LTILL=2, 240"
        )
    if (listed := _two_way([[cell.strip() for cell in row] for row in rows], variables)) is not None:
        return csv_text(listed)
    if rows[0][0].strip().casefold() not in LABEL_COLUMNS:
        # Labels may hold the sign between columns: the last one or two cells are numbers.
        rows.insert(0, ["term", "value", "se"][: max(len(row) for row in rows)])
    return csv_text([cell.strip() for cell in row] for row in rows)


def _two_way(rows: list[list[str]], variables: Sequence[str]) -> list[list[str]] | None:
    """A table with values of one variable above and of another at the side, as a list; None where it is none.

    The first cell may name the variable at the side; else it is the first one. Totals follow from the rest.
    """
    heads = rows[0]
    is_table = len(variables) == 2 and len(rows) > 1 and len(heads) > 2 and all(len(row) == len(heads) for row in rows)
    if not is_table or heads[0].casefold() in LABEL_COLUMNS or any("=" in row[0] for row in rows):
        return None
    side, above = (variables[1], variables[0]) if heads[0] == variables[1] else (variables[0], variables[1])
    body = [
        [side, row[0], above, head, cell]
        for row in rows[1:]
        for head, cell in zip(heads[1:], row[1:], strict=True)
        if not {row[0].casefold(), head.casefold()} & _TOTALS
    ]
    by_name = [({a: x, b: y}, cell) for a, x, b, y, cell in body]
    labels = [" & ".join(f"{name}={named[name]}" for name in variables) for named, _ in by_name]
    return [["term", "value"], *([label, cell] for label, (_, cell) in zip(labels, by_name, strict=True))]


def from_acro(
    store: Store, title: str, purpose: str, file: UploadFile, schema: Schema, limits: Limits, at_most: int
) -> Proposal:
    """A proposal from a zip of a folder that ACRO finalised."""
    with tempfile.TemporaryDirectory(prefix="divulge-") as made:
        files = _unpacked(file, made, limits)
        read = within_limits(read_outputs, [path for _, path in files], schema)
        uploads: list[tuple[str, Blob]] = []
        others: list[tuple[str, Blob, str]] = []
        for name, path in files:
            blob = store.put(_pieces_of(path), at_most=at_most)
            why = read.unread.get(path.resolve())
            if why is None:
                uploads.append((name, blob))
            else:
                others.append((name, blob, why))
    return Proposal(title=title, outputs=read.outputs, uploads=uploads, others=others, purpose=purpose, origin="acro")


def from_files(
    store: Store, title: str, purpose: str, files: Sequence[UploadFile], limits: Limits, at_most: int, why: str | None
) -> Proposal:
    """A proposal from files as they are; archives are unpacked. why: the reason why they are to leave themselves."""
    if not files:
        raise SpecError("at least one file is needed.", where="files")
    kept: list[tuple[str, Blob]] = []
    for file in files:
        if not _is_archive(file):
            kept += keep(store, [file], at_most)
            continue
        with tempfile.TemporaryDirectory(prefix="divulge-") as made:
            for name, path in _unpacked(file, made, limits):
                kept.append((name, store.put(_pieces_of(path), at_most=at_most)))
    if any(safe_name(name) == CORRECTIONS for name, _ in kept):
        raise UploadError(f"{CORRECTIONS!r} is a name of the service's own.", where="files", hint="Leave it out.")
    uploads, others = (kept, []) if why is None else ([], [(name, blob, why) for name, blob in kept])
    return Proposal(title=title, outputs=(), uploads=uploads, others=others, purpose=purpose, origin=HANDED_IN)


def _is_archive(file: UploadFile) -> bool:
    return (file.filename or "").casefold().endswith(".zip")


def _unpacked(file: UploadFile, made: str, limits: Limits) -> list[tuple[str, Path]]:
    """The files of an archive, under names without folders: what two folders call the same is told apart."""
    archive, folder = Path(made) / "sent.zip", Path(made) / "folder"
    with archive.open("wb") as target:
        for piece in pieces(file.file):
            target.write(piece)
    folder.mkdir()
    return [("-".join(path.relative_to(folder).parts), path) for path in unpack(archive, folder, limits)]


def kept_context(submission: Submission) -> dict[int, dict[str, str]]:
    """What was said of the outputs of a submission, for a new version of it."""
    return {int(number): dict(said) for number, said in (submission.context or {}).items()}


def kept_files(submission: Submission, without: str = "") -> tuple[list[tuple[str, Blob]], list[tuple[str, Blob, str]]]:
    """The files of a submission for a new version: those that stay here, and those that are to leave as they are."""
    found = [u for u in submission.uploads if u.name != without]
    uploads = [(u.name, Blob(u.digest, u.size)) for u in found if u.use is not Use.OTHER]
    return uploads, [(u.name, Blob(u.digest, u.size), u.why) for u in found if u.use is Use.OTHER]


def check_figures(store: Store, proposal: Proposal, schema: Schema, public: Collection[str]) -> None:
    """Raise where figures do not fit their output: now, to whoever sent them, not to a checker an hour later.

    Only where every variable of the output is public. Of others nothing is compared with the data: whether something
    is refused, and in which words, would tell what they hold. Whatever the ledger will ask of the proposal is asked
    here first, within limits of time and memory.
    """
    # First: what is wrong with a text is said in its own words, and these go into no answer.
    proposal.check_characters()
    within_limits(_check, store, proposal, schema, public)


def _check(store: Store, proposal: Proposal, schema: Schema, public: Collection[str]) -> None:
    _check_figures(store, proposal, schema, public)
    proposal.check(schema, public)


def _check_figures(store: Store, proposal: Proposal, schema: Schema, public: Collection[str]) -> None:
    problems: list[DivulgeError] = []
    for i, document in enumerate(proposal.outputs):
        try:
            with in_field(f"outputs[{i}]"), tempfile.TemporaryDirectory(prefix="divulge-") as made:
                _check_output(store, dict(proposal.uploads), document, schema, public, Path(made))
        except DivulgeError as error:
            problems += error.every
    raise_all(problems)


def _check_output(
    store: Store,
    held: Mapping[str, Blob],
    document: Mapping[str, Any],
    schema: Schema,
    public: Collection[str],
    folder: Path,
) -> None:
    output = parse_output(document)
    is_known = is_public(output, schema, public)
    if is_known:
        output.check(schema)
    if isinstance(output.released, str):
        if output.released not in held:
            # The ledger says in its own words that the file did not come along.
            return
        content = store.read(held[output.released].digest)
        with in_field("released"):
            _check_columns(content, schema, output)
        (folder / "figures.csv").write_bytes(content)
        output = replace(output, released="figures.csv")
    with in_field("released"):
        if isinstance(output.released, dict) and any(isinstance(v, dict) for v in output.released.values()):
            _check_se(output)
        if is_known:
            read_released(output, schema, folder)


def _check_se(output: Output) -> None:
    if not output.has_se:
        raise SpecError(
            f"the figures of the kind {output.kind!r} have no standard errors.",
            hint="Leave them out: nothing leaves that is not assessed.",
        )


def _check_columns(content: bytes, schema: Schema, output: Output) -> None:
    """Raise where a file of figures has a column that is none of a figure's: it would be neither read nor released."""
    first = content[: 1 << 16].decode("utf-8-sig", errors="replace").partition("\n")[0]
    header = [cell.strip() for cell in next(csv.reader(io.StringIO(first)), [])]
    folded = [name.casefold() for name in header]
    # As they are read: the first of each, and a column for each variable only where there is none of labels.
    read = [next((folded.index(n) for n in of if n in folded), -1) for of in (VALUE_COLUMNS, SE_COLUMNS)]
    labels = [folded.index(n) for n in LABEL_COLUMNS if n in folded and header[folded.index(n)] not in schema][:1]
    read += labels or [i for i, name in enumerate(header) if name in schema]
    if read[1] >= 0:
        _check_se(output)
    odd = [name for i, name in enumerate(header) if i not in read]
    if odd:
        raise SpecError(
            f"a file of figures has a label, a value and perhaps a standard error; {len(odd)} of its columns is "
            f"none of these: {', '.join(repr(name[:40]) for name in odd[:5])}.",
            hint="Take other columns out: nothing leaves that is not assessed.",
        )


def _pieces_of(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from pieces(file)


def _csv_name(name: str) -> str:
    return name if name.casefold().endswith(".csv") else f"{name}.csv"
