"""ROOM. Reports, one format per file: each renders a record, which is plain data, and recomputes nothing."""

from divulge.reports.html import Html

REPORTS = (Html,)
"""Every report; the first is written by `divulge assess`."""

__all__ = ["REPORTS", "Html"]
