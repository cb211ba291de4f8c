"""ACRO's folders: read (`read_folder`), turned into outputs, assessed, and shown beside the original in a viewer."""

from divulge.acro.check import Progress, Settings, assess_folder
from divulge.acro.folder import Entry, Folder, read_folder
from divulge.acro.reading import Reading, read_outputs
from divulge.acro.sidecar import check_target, write_viewer

__all__ = [
    "Entry",
    "Folder",
    "Progress",
    "Reading",
    "Settings",
    "assess_folder",
    "check_target",
    "read_folder",
    "read_outputs",
    "write_viewer",
]
