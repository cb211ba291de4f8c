"""A new assessment file with comments, from what was asked or inferred. Nothing is written here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from divulge.table import Schema


@dataclass(frozen=True)
class Draft:
    """What a new spec says. keys, target: None leaves them open."""

    data: str | None
    schema: str | None
    rows: int | None
    outputs: Sequence[Mapping[str, Any]]
    target: str | None = None
    keys: Sequence[str] | None = None
    splits: int = 30
    seed: int = 1

    def document(self) -> dict[str, Any]:
        """As plain data, to be checked before it is written."""
        found: dict[str, Any] = {"outputs": [dict(o) for o in self.outputs], "seed": self.seed}
        for name in ("data", "schema", "rows"):
            value = getattr(self, name)
            if value is not None:
                found[name] = value
        if self.target is not None or self.keys is not None:
            found["scenario"] = self._scenario()
        return found

    def _scenario(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if self.target is not None:
            found["target"] = self.target
        if self.keys is not None:
            found["keys"] = list(self.keys)
        return found

    def text(self, schema: Schema) -> str:
        """The spec as YAML, with a comment for everything that one may want to change."""
        lines = ["# What is to be released, from which data, and how to judge it.", ""]
        if self.data is not None:
            lines.append(f"data: {_plain(self.data)}")
        if self.schema is not None:
            lines.append(f"schema: {_plain(self.schema)}  # what the variables are; edit it where it is wrong")
        elif self.data is not None:
            lines.append("# schema: S.json   # divulge inspect DATA --save-schema S.json writes one to edit")
        if self.rows is not None:
            lines.append(f"rows: {self.rows}  # how many rows the outputs were computed on")
        lines += [
            "",
            "# Each output that is to be released. divulge outputs lists the kinds and their fields.",
            "outputs:",
        ]
        for output in self.outputs:
            lines += _output(output)
        lines += ["", "# What an intruder knows of a person (keys) and wants to know (target)."]
        if self.target is None and self.keys is None:
            names = [v.name for v in schema]
            lines += [
                "# Left open: every variable of the outputs is the target in turn, the others are the keys. For one:",
                f"# scenario: {{target: {_plain(names[-1])}, keys: [{', '.join(_plain(n) for n in names[:-1][:6])}]}}",
            ]
        else:
            parts = [] if self.target is None else [f"target: {_plain(self.target)}"]
            parts += [] if self.keys is None else [f"keys: [{', '.join(_plain(k) for k in self.keys)}]"]
            lines.append(f"scenario: {{{', '.join(parts)}}}")
        if self.data is not None:
            lines += [
                "",
                "# Random halves of the data: people in against people out. More splits, narrower intervals.",
                f"design: {{kind: repeated-halves, splits: {self.splits}}}",
                "",
                "# measures: [TCAP, DCAP, DiSCO]   # the usual ones where absent",
                "# policy: policy.yaml             # the custodian's thresholds; the usual ones where absent",
            ]
        return "\n".join([*lines, "", f"seed: {self.seed}  # the same seed gives the same result", ""])


def _output(output: Mapping[str, Any]) -> list[str]:
    lines = []
    for i, (name, value) in enumerate(output.items()):
        start = "  - " if i == 0 else "    "
        if isinstance(value, Mapping):
            lines.append(f"{start}{name}:")
            lines += [f"      {_plain(str(k))}: {_plain(v)}" for k, v in value.items()]
        elif isinstance(value, list | tuple):
            lines.append(f"{start}{name}: [{', '.join(_plain(v) for v in value)}]")
        else:
            comment = "  # computed from the data; or give the printed numbers as released" if name == "compute" else ""
            lines.append(f"{start}{name}: {_plain(value)}{comment}")
    return lines


def _plain(value: Any) -> str:
    """A value as YAML on one line. A JSON text is a YAML text, and cannot be taken for anything else."""
    if isinstance(value, str):
        safe = value and value[0].isalpha() and all(c.isalnum() or c in "_./-" for c in value)
        reserved = value.casefold() in {"yes", "no", "true", "false", "on", "off", "null", "y", "n"}
        return value if safe and not reserved else json.dumps(value, ensure_ascii=False)
    return json.dumps(value)
