"""How much would an analytical output give away about the people behind it?

The public names are below; each is imported when it is first used, since the command line must start at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from divulge.notebook import Check, check
    from divulge.readers.acro.folder import read_folder
    from divulge.readers.pandas import from_pandas
    from divulge.readers.statsmodels import from_statsmodels
    from divulge.record import read_record
    from divulge.spec import read_spec
    from divulge.table import read_schema, read_table, table_from_frame

__version__ = "0.1.0"

_PLACES = {
    "Check": "divulge.notebook",
    "check": "divulge.notebook",
    "from_pandas": "divulge.readers.pandas",
    "from_statsmodels": "divulge.readers.statsmodels",
    "read_folder": "divulge.readers.acro.folder",
    "read_record": "divulge.record",
    "read_schema": "divulge.table",
    "read_spec": "divulge.spec",
    "read_table": "divulge.table",
    "table_from_frame": "divulge.table",
}

__all__ = [
    "Check",
    "check",
    "from_pandas",
    "from_statsmodels",
    "read_folder",
    "read_record",
    "read_schema",
    "read_spec",
    "read_table",
    "table_from_frame",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'divulge' has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
