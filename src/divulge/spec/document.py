"""An assessment file's text as plain data: YAML 1.2's idea of what a value is, or JSON. No meaning is given to it here.

YAML 1.1 reads `no` as false, `1e-4` as text, `12:30` as 750 and `010` as 8; here these are text, number, text and 10.
A key that is there twice and aliases that unfold without end are refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from divulge.errors import DivulgeError, SpecError
from divulge.table.files.readable import check_readable

MOST_NODES = 1_000_000
"""Values in a document once all aliases are unfolded. A spec with every cell of a large crosstab has a tenth of it."""

_MOST_DIGITS = 300  # of a whole number: as many as the largest number that a computer's arithmetic holds


class _Loader(yaml.SafeLoader):
    """Plain data only (no Python objects), with YAML 1.2's scalars and without duplicate keys."""

    # A copy: the resolvers of the class above are shared by everybody who reads YAML in this process.
    yaml_implicit_resolvers = {}  # noqa: RUF012  # declared by the class above

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                if key.value in seen:
                    raise SpecError(
                        f"the key {key.value!r} is there twice.",
                        where=f"line {key.start_mark.line + 1}",
                        hint="Keep one of them.",
                    )
                seen.add(key.value)
        return super().construct_mapping(node, deep)


def _construct_int(loader: _Loader, node: yaml.ScalarNode) -> int:
    text = loader.construct_scalar(node)
    if len(text) > _MOST_DIGITS:
        raise SpecError(f"a whole number of {len(text):,} digits is none.", where=f"line {node.start_mark.line + 1}")
    return int(text)


def _construct_float(loader: _Loader, node: yaml.ScalarNode) -> float:
    return float(loader.construct_scalar(node))


_SCALARS = (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", r"[-+]?[0-9]+", "-+0123456789"),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", "-+.0123456789"),
    ("merge", r"<<", "<"),
)
for _tag, _pattern, _first in _SCALARS:
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"^(?:{_pattern})$"), list(_first))
_Loader.add_constructor("tag:yaml.org,2002:int", _construct_int)
_Loader.add_constructor("tag:yaml.org,2002:float", _construct_float)


def read_document(path: Path) -> dict[str, Any]:
    """The file's content: JSON where its name ends in .json, else YAML."""
    check_readable(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SpecError("the file is not in UTF-8.", where=str(path), hint="Save it as UTF-8.") from None
    try:
        return parse_json(text) if path.suffix.lower() == ".json" else parse_yaml(text)
    except DivulgeError as error:
        error.where = f"{path}, {error.where}" if error.where else str(path)
        raise


def parse_json(text: str) -> dict[str, Any]:
    """A JSON object as plain data."""

    def without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise SpecError(f"the key {key!r} is there twice.", hint="Keep one of them.")
            found[key] = value
        return found

    def refused(constant: str) -> None:
        raise SpecError(f"{constant} is no number that JSON knows.", hint="Write null where there is none.")

    try:
        return _mapping(json.loads(text, object_pairs_hook=without_twins, parse_constant=refused))
    except json.JSONDecodeError as error:
        raise SpecError(f"this is not JSON: {error.msg}.", where=f"line {error.lineno}") from None
    except RecursionError:
        raise SpecError("the document is nested too deeply.") from None
    except ValueError:
        # All that is left: a whole number with more digits than Python turns into one.
        raise SpecError(f"a whole number has at most {_MOST_DIGITS} digits.") from None


def parse_yaml(text: str) -> dict[str, Any]:
    """A YAML mapping as plain data."""
    try:
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            if node is None:
                return _mapping(None)
            _check_size(node)
            return _mapping(loader.construct_document(node))
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise SpecError(
            f"this is not YAML: {error.problem or error.context}.",
            where=f"line {mark.line + 1}" if mark else None,
            hint="Is the indentation even, and is every bracket and quotation closed?",
        ) from None
    except yaml.YAMLError:
        raise SpecError("this is not YAML: it has characters that are not text.") from None
    except RecursionError:
        raise SpecError("the document is nested too deeply.") from None


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise SpecError(
            "a spec is a mapping of names to values.", hint="It starts for example with data: census.csv and outputs:"
        )
    return {str(key): part for key, part in value.items()}


def _check_size(root: yaml.Node) -> None:
    """Raise where aliases unfold to more than MOST_NODES values, or into themselves."""
    sizes: dict[int, int] = {}
    open_nodes: set[int] = set()

    def size(node: yaml.Node) -> int:
        if id(node) in sizes:
            return sizes[id(node)]
        if id(node) in open_nodes:
            raise SpecError("an alias refers to what it stands in.", where=f"line {node.start_mark.line + 1}")
        open_nodes.add(id(node))
        total = 1
        if isinstance(node, yaml.SequenceNode):
            total += sum(size(part) for part in node.value)
        elif isinstance(node, yaml.MappingNode):
            total += sum(size(key) + size(part) for key, part in node.value)
        open_nodes.discard(id(node))
        if total > MOST_NODES:
            raise SpecError(f"the document has more than {MOST_NODES:,} values once its aliases are unfolded.")
        sizes[id(node)] = total
        return total

    size(root)
