"""What else a checker looks for in files: people, numbers of people, rows of data, paths, hidden parts."""

from divulge.readers.handed_in.finds.looking import ROWS, Find, find_in

__all__ = ["ROWS", "Find", "find_in"]
