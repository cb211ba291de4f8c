"""The assessment file: YAML or JSON in, a frozen Assessment out, with errors that say where in the file."""

from divulge.spec.assessment import (
    Assessment,
    Inputs,
    Settings,
    format_output,
    parse_output,
    parse_spec,
    profile_of,
    read_inputs,
    read_spec,
)
from divulge.spec.fields import json_schema

__all__ = [
    "Assessment",
    "Inputs",
    "Settings",
    "format_output",
    "json_schema",
    "parse_output",
    "parse_spec",
    "profile_of",
    "read_inputs",
    "read_spec",
]
