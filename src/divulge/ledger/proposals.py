"""What somebody wants released, before it is a submission: outputs and files, checked against the dataset's schema."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from divulge.errors import SpecError, UploadError, suggest
from divulge.ledger.carried import check_numbers
from divulge.ledger.model import Use
from divulge.ledger.store import Blob, safe_name
from divulge.outputs import Output
from divulge.outputs.fields import in_field
from divulge.spec import format_output, parse_output
from divulge.table import Schema

_MOST_OUTPUTS = 500  # Outputs of one submission. A thesis has a hundred; more is better sent in parts.
HANDED_IN = "files"
"""The origin of a submission whose outputs are in its files: a worker finds them there, beside the data."""

OFFERED = "offer"
"""The origin of a version that a checker offered and the author took."""

OF_AN_OFFER = ("coarser", "method")
"""Fields that a search fills in from the data: levels that were merged, and the key of random rounding or noise."""

CORRECTIONS = "corrections-of-readings.json"
"""The file in which such a submission keeps what its author corrected. Nobody sends one under this name."""

_LONGEST_WHY = 2000  # characters of the reason for a file


@dataclass(frozen=True)
class Proposal:
    """outputs: each as the spec has it (`kind` and its fields). uploads: names as they came, and what was stored.

    Only the outputs of a researcher's spec count: data, schema, policy, scenario and design are the custodian's. Of
    the uploads those that an output names are figures; the rest support them, and never leave. others: what is to leave
    without an assessment, each with the reason for it. context: by number of an output (0: all), what is said of it.
    """

    title: str
    outputs: Sequence[Mapping[str, Any]]
    uploads: Sequence[tuple[str, Blob]] = ()
    others: Sequence[tuple[str, Blob, str]] = ()
    purpose: str = ""
    origin: str = "spec"
    context: Mapping[int, Mapping[str, str]] = field(default_factory=dict)

    def check(self, schema: Schema, public: Collection[str]) -> tuple[list[_CheckedOutput], list[_CheckedFile]]:
        """The outputs and the files under harmless names; SpecError or UploadError says what is wrong, and where.

        public: the variables whose possible values a researcher may know. An output that speaks of another is taken
        as it is, whatever the data hold: to refuse it would tell something of them. A worker finds out, and tells the
        checkers.
        """
        self.check_characters()
        if not self.title.strip():
            raise SpecError("a title is needed.", where="title")
        # A folder of ACRO's of which nothing could be read is for the checkers to look at.
        fewest = 0 if self.origin == HANDED_IN or (self.origin == "acro" and self.others) else 1
        if not fewest <= len(self.outputs) <= _MOST_OUTPUTS:
            raise SpecError(f"1 to {_MOST_OUTPUTS} outputs are needed.", where="outputs")
        named = _named([*self.uploads, *((name, blob) for name, blob, _ in self.others)])
        if any(name == CORRECTIONS for name, _ in named) and self.origin != HANDED_IN:
            raise UploadError(f"{CORRECTIONS!r} is a name of the service's own.", where="uploads")
        names = {given: kept for (given, _), (kept, _) in zip(self.uploads, named, strict=False)}
        checked = []
        for i, document in enumerate(self.outputs):
            with in_field(f"outputs[{i}]"):
                checked.append(_checked(document, schema, names, public))
        figures = {c.document["released"] for c in checked if isinstance(c.document.get("released"), str)}
        n_uploads = len(self.uploads)
        files = [
            _CheckedFile(name, blob, Use.FIGURES if name in figures else Use.SUPPORTING)
            for name, blob in named[:n_uploads]
        ]
        for (name, blob), (_, _, why) in zip(named[n_uploads:], self.others, strict=True):
            files.append(_CheckedFile(name, blob, Use.OTHER, _reason(why, name)))
        return checked, files

    def check_characters(self) -> None:
        """Raise where there is a NUL, or half of a pair that stands for one character (RFC 8259, section 8.2).

        JSON can write both, and no database takes them.
        """
        names = [name for name, *_ in [*self.uploads, *self.others]]
        context = {str(number): said for number, said in self.context.items()}
        written = [self.title, self.purpose, names, context, self.outputs]
        text = json.dumps(written, default=str, ensure_ascii=False)
        if "\\u0000" in text or any("\ud800" <= c <= "\udfff" for c in set(text)):
            raise SpecError("there is a character in it that no text has (NUL, or half of one).", where="outputs")


CONTEXT = ("about", "population", "controls")
"""What is said of an output: what it is, about whom, and what was done to protect them."""

_LONGEST_CONTEXT = 5000  # characters of each


def check_context(context: Mapping[int, Mapping[str, Any]], n_outputs: int) -> dict[str, dict[str, str]]:
    """What is said of outputs, as it is kept: empty texts left out."""
    found: dict[str, dict[str, str]] = {}
    for number, given in context.items():
        where = f"context[{number}]"
        if not 0 <= number <= n_outputs:
            raise SpecError("there is no such output.", where=where)
        if not isinstance(given, Mapping) or not set(given) <= set(CONTEXT):
            raise SpecError(f"the context of an output has the fields {', '.join(CONTEXT)}.", where=where)
        texts = {name: given[name] for name in CONTEXT if given.get(name)}
        if not all(isinstance(t, str) and len(t) <= _LONGEST_CONTEXT and "\0" not in t for t in texts.values()):
            raise SpecError(f"a text of at most {_LONGEST_CONTEXT:,} characters is needed.", where=where)
        if texts:
            found[str(number)] = texts
    return found


@dataclass(frozen=True)
class _CheckedOutput:
    """An output that can be computed from the dataset: its document, and the variables that it speaks of."""

    kind: str
    name: str
    document: dict[str, Any]
    variables: tuple[str, ...]


@dataclass(frozen=True)
class _CheckedFile:
    """A file under a harmless name, and what becomes of it."""

    name: str
    blob: Blob
    use: Use
    why: str = ""


def _reason(why: str, name: str) -> str:
    if not why.strip():
        raise UploadError(
            f"the file {name!r} is to leave without an assessment, and no reason is given.",
            where="why",
            hint="Say what it shows and why it is needed, or send it as a supporting file, which stays here.",
        )
    return why.strip()[:_LONGEST_WHY]


def is_public(output: Output, schema: Schema, public: Collection[str]) -> bool:
    """Whether everything that an output speaks of may be known to whoever submits it, and is known to the ledger."""
    return _is_known(spoken_of(output, schema), schema, public)


def _is_known(names: Collection[str], schema: Schema, public: Collection[str]) -> bool:
    # Where some values stay in the data, the ledger cannot say which there are.
    return set(names) <= set(public) and not any(schema[name].is_open for name in names)


def spoken_of(output: Output, schema: Schema) -> tuple[str, ...]:
    """The variables of an output, from its own words alone: whether a condition makes sense depends on the data."""
    names = [*output.own_variables(), *([output.weights] if output.weights else []), *output.coarser]
    unknown = next((name for name in names if name not in schema), None)
    if unknown is not None:
        raise SpecError(f"there is no variable {unknown[:80]!r}.", hint=suggest(unknown, schema.names))
    return tuple(dict.fromkeys([*names, *(name for name in schema.names if _is_in(name, output.where or ""))]))


def _is_in(name: str, condition: str) -> bool:
    """Whether a condition may speak of a variable: a name such as `pay band` is more than a word."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", condition, re.IGNORECASE) is not None


def _checked(
    document: Mapping[str, Any], schema: Schema, names: Mapping[str, str], public: Collection[str]
) -> _CheckedOutput:
    output = parse_output(document)
    if not output.can_lower:
        raise SpecError(
            f"kind {output.kind!r} cannot be assessed here: it runs code of its own.",
            where="kind",
            hint="Ask an output checker to judge it by hand.",
        )
    spoken = spoken_of(output, schema)
    if _is_known(spoken, schema, public):
        output.check(schema)
    plain = format_output(output)
    check_numbers(plain)
    released = plain.get("released")
    if isinstance(released, str):
        # A path would lead out of the submission's own files.
        if released not in names:
            raise SpecError(
                f"the file {safe_name(released)!r} did not come with the submission.",
                where="released",
                hint="Send it along, under the name that the spec gives it.",
            )
        plain["released"] = names[released]
    return _CheckedOutput(output.kind, output.name or "", plain, spoken)


def _named(uploads: Sequence[tuple[str, Blob]]) -> list[tuple[str, Blob]]:
    found: list[tuple[str, Blob]] = []
    taken: set[str] = set()
    for given, blob in uploads:
        name = safe_name(given)
        if name.casefold() in taken:
            raise UploadError(f"two files are called {name!r}.", where="uploads", hint="Give one another name.")
        taken.add(name.casefold())
        found.append((name, blob))
    return found
