"""ACRO's folders: read (`read_folder`), turned into outputs, assessed, and shown beside the original in SACRO-Viewer."""

from divulge.acro.folder import Entry, Folder, read_folder
from divulge.acro.reading import Reading, read_outputs

__all__ = ["Entry", "Folder", "Reading", "read_folder", "read_outputs"]
