"""The assessment file: YAML or JSON in, a frozen Assessment out, with errors that say where in the file."""

from divulge.spec.assessment import (
    Assessment,
    format_output,
    format_settings,
    parse_output,
    parse_spec,
    read_policy,
    read_spec,
)
from divulge.spec.inputs import Inputs, read_inputs, try_inputs

__all__ = [
    "Assessment",
    "Inputs",
    "format_output",
    "format_settings",
    "parse_output",
    "parse_spec",
    "read_inputs",
    "read_policy",
    "read_spec",
    "try_inputs",
]
