"""Settings: frozen dataclasses whose annotations say type, help text and limits, read from files, flags and forms.

A setting is a field such as `seconds: Annotated[float, "The longest that one run may take.", Range(above=0)] = 600.0`.
Whatever has settings (an output, a design, a synthesiser, a family of measures, the policy, the spec itself) is read,
checked, explained and written as JSON Schema here and nowhere else.
"""

from divulge.settings.json_schema import json_schema
from divulge.settings.limits import Called, Entries, Kinds, OnlyIf, Range, Shorthand
from divulge.settings.read import Choice, check_settings, read_kind, read_settings
from divulge.settings.setting import Setting, settings_of
from divulge.settings.texts import from_text, type_text

__all__ = [
    "Called",
    "Choice",
    "Entries",
    "Kinds",
    "OnlyIf",
    "Range",
    "Setting",
    "Shorthand",
    "check_settings",
    "from_text",
    "json_schema",
    "read_kind",
    "read_settings",
    "settings_of",
    "type_text",
]
