"""Reports on a record: their formats, and the sections that every format shows."""

from divulge.reports.card import card
from divulge.reports.formats import REPORTS, Csv, Html, Json, Markdown, Pdf

__all__ = ["REPORTS", "Csv", "Html", "Json", "Markdown", "Pdf", "card"]
