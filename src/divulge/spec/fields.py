"""The fields of an assessment file: models generated from the outputs' own fields, and errors in plain words.

A new kind of output needs no change here. Sections that belong to other rooms (design, synthesiser) are handed on as
they are, with their kind.
"""

from __future__ import annotations

import dataclasses
import json
import types
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, create_model

from divulge.errors import SpecError, suggest
from divulge.outputs import OUTPUTS, Output
from divulge.spec.teaching import TeachingFields, WeightFields

_CLOSED = ConfigDict(extra="forbid", strict=True, frozen=True)


class ScenarioFields(BaseModel):
    """What the intruder knows and wants."""

    model_config = _CLOSED

    target: str | None = Field(None, description="The variable that the intruder wants to know.")
    keys: list[str] | None = Field(None, description="The variables that the intruder knows of a person.")
    key_sizes: str | int | list[int] | None = Field(
        None, description="How many of the keys at a time, as in 3-6; all of them where absent."
    )
    knows: Literal["nothing", "marginals", "earlier outputs"] = Field(
        "marginals", description="What the intruder knows of the data besides the outputs."
    )


class SectionFields(BaseModel):
    """A kind and its settings, which the part of the program that owns the kind reads."""

    model_config = ConfigDict(extra="allow", frozen=True)

    kind: str = Field(description="Which one.")


def spec_fields(kind: type[Output]) -> dict[str, tuple[Any, dataclasses.Field[Any], str]]:
    """A kind's fields as the spec has them: type, dataclass field and help text by name."""
    hints = get_type_hints(kind, include_extras=True)
    taken = {"weights": kind.takes_weights, "suppressed": kind.can_suppress, "threshold": kind.has_threshold}
    absent = {name for name, is_taken in taken.items() if not is_taken}
    found: dict[str, tuple[Any, dataclasses.Field[Any], str]] = {}
    for each in dataclasses.fields(kind):
        if each.name in absent or not each.metadata.get("spec", True):
            continue
        hint, help_text = hints[each.name], ""
        if get_origin(hint) is Annotated:
            hint, help_text, *_ = get_args(hint)
        found[each.name] = hint, each, help_text
    # What is the kind's own comes first.
    shared = {f.name for f in dataclasses.fields(Output)}
    return {name: found[name] for name in sorted(found, key=shared.__contains__)}


def _as_tuple(value: Any) -> Any:
    """A list as a tuple. One value needs no brackets: `by: SEX`."""
    return tuple(value) if isinstance(value, list) else (value,) if isinstance(value, str | float | int) else value


def _list_as_tuple(value: Any) -> Any:
    """The same where one value is not a list of one: `decimals: 4` is for every figure."""
    return tuple(value) if isinstance(value, list) else value


def output_model(kind: type[Output]) -> type[BaseModel]:
    """The pydantic model of a kind."""
    fields: dict[str, Any] = {"kind": (Literal[kind.kind], Field(description="Which kind of output."))}
    for name, (hint, each, help_text) in spec_fields(kind).items():
        default = ... if each.default is dataclasses.MISSING else each.default
        if get_origin(hint) is tuple:
            hint = Annotated[hint, BeforeValidator(_as_tuple)]
        elif any(get_origin(part) is tuple for part in get_args(hint)):
            hint = Annotated[hint, BeforeValidator(_list_as_tuple)]
        fields[name] = (hint, Field(default, description=help_text))
    return create_model(kind.__name__, __config__=_CLOSED, __doc__=kind.__doc__, **fields)


@cache
def spec_model(kinds: tuple[type[Output], ...] = OUTPUTS) -> type[BaseModel]:
    """The pydantic model of a whole assessment file."""
    union: Any = Union[tuple(output_model(kind) for kind in kinds)]  # noqa: UP007  # made at run time
    outputs: Any = list[Annotated[union, Field(discriminator="kind")]]
    return create_model(
        "Assessment",
        __config__=_CLOSED,
        __doc__="What is to be released, from which data, and how to judge it.",
        data=(str | None, Field(None, description="The file of microdata; absent where only the outputs are known.")),
        schema_=(
            str | None,
            Field(None, alias="schema", description="A Frictionless Table Schema; inferred from the data if absent."),
        ),
        holdout=(
            str | None,
            Field(None, description="A file of people of the same kind who were not in the data, for comparison."),
        ),
        rows=(int | None, Field(None, ge=1, description="How many rows the outputs were computed on, without data.")),
        outputs=(outputs, Field(min_length=1, description="What is to be released.")),
        earlier=(
            outputs,
            Field([], description="What is already out about the same data; judged together with the outputs."),
        ),
        scenario=(
            ScenarioFields | list[ScenarioFields] | None,
            Field(None, description="Keys, target and what else the intruder knows; one scenario or several."),
        ),
        design=(SectionFields | None, Field(None, description="How the data are split.")),
        synthesiser=(SectionFields | None, Field(None, description="How the synthetic data are made.")),
        measures=(list[str], Field([], description="Which risk measures; the usual ones where absent.")),
        policy=(
            str | dict[str, Any] | None,
            Field(None, description="The thresholds of the verdict: a file, or the thresholds themselves."),
        ),
        entity=(
            str | None,
            Field(None, description="Whom rules protect: a variable of firms or households; rows if absent."),
        ),
        holding=(
            str | None,
            Field(None, description="The variable that says which entities belong together and count as one."),
        ),
        waiver=(
            str | None,
            Field(None, description="A variable that is not 0 where protection was waived."),
        ),
        teaching=(
            TeachingFields | None,
            Field(None, description="What data for a class have; for divulge teach alone."),
        ),
        seed=(int, Field(1, ge=0, lt=2**63, description="Where the random numbers start.")),
    )


def json_schema() -> dict[str, Any]:
    """The JSON Schema of an assessment file, for editors that complete and check as one types."""
    schema = spec_model().model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "Divulge assessment"}


def validated(model: type[BaseModel], document: Mapping[str, Any]) -> BaseModel:
    """The document as a model; SpecError with the path of the first thing that is wrong."""
    try:
        text = json.dumps(document, allow_nan=False)
    except ValueError:
        raise SpecError("a number is infinite or not a number.", hint="Write null where there is no number.") from None
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        found = error.errors()
        place = _path(found[0]["loc"], document)
        # A union reports every alternative: the one that leads farthest into the document was meant.
        same = [e for e in found if _path(e["loc"], document).startswith(place)]
        deepest = max(same, key=lambda e: len(_path(e["loc"], document)))
        alternatives = [e for e in same if _path(e["loc"], document) == _path(deepest["loc"], document)]
        raise _in_words(deepest, alternatives, document) from None


def _in_words(error: Any, alternatives: list[Any], document: Any) -> SpecError:
    kind, location, given = error["type"], _path(error["loc"], document), error["input"]
    field = str(error["loc"][-1]) if error["loc"] else ""
    context = error.get("ctx", {})
    owner = _owner(error["loc"], document)
    if kind == "missing":
        return SpecError(f"{field!r} is needed{_of(owner)}.", where=location)
    if kind == "extra_forbidden":
        known = _known_fields(error["loc"], owner)
        if owner is not None and field in {f.name for f in dataclasses.fields(Output)}:
            return SpecError(f"kind {owner.kind!r} takes no {field!r}.", where=location, hint="Leave it out.")
        hint = suggest(field, known) or f"The fields are: {', '.join(known)}."
        return SpecError(f"there is no field {field!r}{_of(owner)}.", where=location, hint=hint)
    if kind == "union_tag_invalid":
        known = [k.kind for k in OUTPUTS]
        tag = str(context.get("tag", ""))
        return SpecError(
            f"there is no kind of output {tag!r}.",
            where=f"{location}.kind",
            hint=suggest(tag, known) or f"The kinds are: {', '.join(known)}.",
        )
    if kind == "union_tag_not_found":
        return SpecError("'kind' is needed.", where=location, hint="For example kind: crosstab.")
    if kind == "literal_error":
        return SpecError(f"{context['expected']} is needed, {_shown(given)} is given.", where=location)
    wanted = " or ".join(
        dict.fromkeys(_WANTED.get(e["type"], e["msg"][0].lower() + e["msg"][1:]) for e in alternatives)
    )
    if kind in _BOUNDS:
        wanted = f"a number {_BOUNDS[kind]} {next(iter(context.values()))}"
    try_this = None
    if isinstance(given, bool):
        try_this = "Put it in quotation marks if it is meant as text."
    elif kind == "string_type" and isinstance(given, int | float):
        try_this = f"Write {str(given)!r} in quotation marks."
    return SpecError(f"{wanted} is needed, {_shown(given)} is given.", where=location, hint=try_this)


_WANTED = {
    "string_type": "a text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a mapping of names to values",
    "model_type": "a mapping of names to values",
    "model_attributes_type": "a mapping of names to values",
    "too_short": "at least one entry",
}
_BOUNDS = {"greater_than_equal": "of at least", "less_than": "below", "greater_than": "above"}


def _shown(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, dict | list | tuple):
        return {dict: "a mapping", list: "a list", tuple: "a list"}[type(value)]
    return repr(value)


def _path(location: tuple[Any, ...], document: Any) -> str:
    """`outputs[2].formula`: the path in the document, without the names that pydantic adds for unions."""
    text, here = "", document
    for i, part in enumerate(location):
        if isinstance(part, int):
            text += f"[{part}]"
            here = here[part] if isinstance(here, list) and part < len(here) else None
            continue
        is_last = i == len(location) - 1
        if isinstance(here, dict) and (part in here or (is_last and part.isidentifier())):
            text += f".{part}" if text else part
            here = here.get(part)
    return text or "the spec"


def _owner(location: tuple[Any, ...], document: Any) -> type[Output] | None:
    """The kind of the output that a path leads into."""
    if len(location) < 3 or location[0] not in ("outputs", "earlier"):
        return None
    return next((kind for kind in OUTPUTS if kind.kind == location[2]), None)


def _of(owner: type[Output] | None) -> str:
    return f" in kind {owner.kind!r}" if owner is not None else ""


def _known_fields(location: tuple[Any, ...], owner: type[Output] | None) -> list[str]:
    if owner is not None:
        return ["kind", *spec_fields(owner)]
    if location[0] == "scenario" and len(location) > 1:
        return list(ScenarioFields.model_fields)
    if location[0] == "teaching" and len(location) > 1:
        return list((WeightFields if location[1] == "weight" and len(location) > 2 else TeachingFields).model_fields)
    return [field.alias or name for name, field in spec_model().model_fields.items()]


def type_text(hint: Any) -> str:
    """A field's type as people say it: `list of text`, `number`, `one of: exclude, include`."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Literal:
        return "one of: " + ", ".join(str(p) for p in parts)
    if origin in (Union, types.UnionType):
        shown = dict.fromkeys(type_text(p) for p in parts if p is not type(None))
        return " or ".join(shown)
    if origin in (tuple, list) or (isinstance(origin, type) and origin.__name__ == "Sequence"):
        return "list" if not parts or parts[0] is Any else f"list of {type_text(parts[0])}"
    if isinstance(origin, type) and origin.__name__ in ("Mapping", "dict"):
        return "mapping"
    return {str: "text", int: "whole number", float: "number", bool: "true or false"}.get(hint, str(hint))
