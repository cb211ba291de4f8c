"""ROOM. Reports, one format a file: each renders a record, which is plain data, and recomputes nothing."""

from divulge.reports.formats.csv import Csv
from divulge.reports.formats.html import Html
from divulge.reports.formats.json import Json
from divulge.reports.formats.markdown import Markdown
from divulge.reports.formats.pdf import Pdf

REPORTS = (Html, Markdown, Json, Csv, Pdf)
"""Every report; the first is written by `divulge assess`."""

__all__ = ["REPORTS", "Csv", "Html", "Json", "Markdown", "Pdf"]
