"""Datasets for a class, made from published figures and a schema alone, with what a class needs beside them.

The search is the synthesisers' own; here are the versions, the weight, the notes, the notebook and the risk.
"""

from divulge.teaching.files import write_dataset
from divulge.teaching.make import Dataset, Version, make_dataset
from divulge.teaching.risk import Risk, assess_dataset, write_risk

__all__ = ["Dataset", "Risk", "Version", "assess_dataset", "make_dataset", "write_dataset", "write_risk"]
