"""The assessment file: YAML or JSON in, a frozen Assessment out, with errors that say where in the file."""

from divulge.spec.assessment import (
    Assessment,
    Inputs,
    format_output,
    parse_output,
    parse_spec,
    read_inputs,
    read_people,
    read_policy,
    read_spec,
)

__all__ = [
    "Assessment",
    "Inputs",
    "format_output",
    "parse_output",
    "parse_spec",
    "read_inputs",
    "read_people",
    "read_policy",
    "read_spec",
]
