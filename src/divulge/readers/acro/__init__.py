"""Folders that ACRO wrote: read (`read_folder`) and turned into outputs (`read_outputs`). Nothing of them is run."""

from divulge.readers.acro.folder import Entry, Folder, read_folder
from divulge.readers.acro.reading import Reading, read_outputs

__all__ = ["Entry", "Folder", "Reading", "read_folder", "read_outputs"]
