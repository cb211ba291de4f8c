"""Datasets for a class, made from published figures and a schema alone, with what a class needs beside them.

The search is the synthesisers' own; here are the versions, the weight, the notes, the notebook and the risk.
"""

from divulge.teaching.files import write_dataset
from divulge.teaching.make import Dataset, Version, make_dataset

# The risk (`risk.py`) is imported by who asks for it: it brings the assessment and the comparators with it.
__all__ = ["Dataset", "Version", "make_dataset", "write_dataset"]
