"""Coded microdata: variables, schemas, tables; readers and writers of the files that people have."""

from divulge.table.align import align
from divulge.table.conditions import Condition, EditRule
from divulge.table.files.frames import table_from_frame
from divulge.table.files.read import read_table
from divulge.table.files.write import write_table
from divulge.table.frictionless import read_schema, write_schema
from divulge.table.schema import Schema
from divulge.table.table import Table
from divulge.table.variable import Variable

__all__ = [
    "Condition",
    "EditRule",
    "Schema",
    "Table",
    "Variable",
    "align",
    "read_schema",
    "read_table",
    "table_from_frame",
    "write_schema",
    "write_table",
]
