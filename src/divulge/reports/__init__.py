"""ROOM. Reports, one format per file: each renders a record, which is plain data, and recomputes nothing."""

from divulge.reports.card import card
from divulge.reports.csv import Csv
from divulge.reports.html import Html
from divulge.reports.json import Json
from divulge.reports.markdown import Markdown
from divulge.reports.pdf import Pdf

REPORTS = (Html, Markdown, Json, Csv, Pdf)
"""Every report; the first is written by `divulge assess`."""

__all__ = ["REPORTS", "Csv", "Html", "Json", "Markdown", "Pdf", "card"]
