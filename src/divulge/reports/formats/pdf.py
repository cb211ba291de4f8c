"""The page as PDF, drawn by WeasyPrint (the extra divulge[pdf]): the same sections, with plots as pictures."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from divulge.errors import UsageError
from divulge.reports.formats.html import assessment_page


@dataclass(frozen=True)
class Pdf:
    """A4, everything open, tables in full."""

    format: ClassVar[str] = "pdf"
    suffix: ClassVar[str] = ".pdf"

    def render(self, record: Mapping[str, Any]) -> bytes:
        try:
            with warnings.catch_warnings():
                # Fonts are cut down without HarfBuzz-Subset too; that a later version needs it is no reader's concern.
                warnings.filterwarnings("ignore", "HarfBuzz-Subset", DeprecationWarning)
                from weasyprint import HTML
        except (ImportError, OSError) as error:
            # OSError: the package is there, but Pango, which it draws letters with, is not.
            missing = "the library Pango" if isinstance(error, OSError) else "the package WeasyPrint"
            raise UsageError(
                f"a PDF needs {missing}, which is not installed.",
                where="--format pdf",
                hint="Install divulge[pdf], or print the HTML report from a browser.",
            ) from None
        page = HTML(string=assessment_page(record, static=True), url_fetcher=_fetch_nothing)
        return bytes(page.write_pdf())


def _fetch_nothing(url: str, *_: object, **__: object) -> dict[str, Any]:
    raise ValueError("a report fetches nothing")
