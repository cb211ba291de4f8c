"""Reads reports back: the tables and the figures of an HTML page, and the tables of a Markdown text."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from typing import Any


class Page(HTMLParser):
    """tables: rows of cells as text. figures: (where in the record, as printed). tags: each with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[list[list[str]]] = []
        self.figures: list[tuple[str, str]] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._source: str | None = None
        self._in_cell = False
        self._is_over = False
        self._silent = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        self.tags.append((tag, found))
        self._silent += tag in ("script", "style")
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self._is_over = found.get("class") == "over"  # stands in Markdown above the table
            self.tables[-1] += [] if self._is_over else [[]]
        elif tag in ("td", "th") and not self._is_over:
            self.tables[-1][-1].append("")
            self._in_cell = True
        if "data-from" in found:
            self._source = found["data-from"]

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in ("script", "style")
        if tag in ("td", "th"):
            self._in_cell = False

    def handle_data(self, data: str) -> None:
        if self._silent:
            return
        self.words.append(data)
        if self._in_cell:
            self.tables[-1][-1][-1] += data
        if self._source is not None:
            self.figures.append((self._source, data))
            self._source = None


def markdown_tables(text: str) -> list[list[list[str]]]:
    """Every table, its rows as cells; the rule under the head is left out."""
    found: list[list[list[str]]] = []
    previous = ""
    for line in text.splitlines():
        if line.startswith("| "):
            if not previous.startswith("|"):
                found.append([])
            cells = re.split(r"(?<!\\) \| ", line[2:].removesuffix(" |").removesuffix("|"))
            found[-1].append([unescape(re.sub(r"\\(.)", r"\1", cell)) for cell in cells])
        previous = line
    return found


def at(record: Any, pointer: str) -> Any:
    """What a JSON pointer (RFC 6901) points to."""
    value = record
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        value = value[int(name)] if isinstance(value, list) else value[name]
    return value


def is_printed(text: str, value: float | None) -> bool:
    """Whether `text` is `value`, to the digits that were printed."""
    if value is None:
        return text == "undefined"
    bare = text.replace(",", "")
    scale = 100 if bare.endswith("%") else 1
    number = bare.removesuffix("%")
    decimals = len(number.partition(".")[2])
    if "e" in number:
        return abs(float(number) - value) <= 1e-3 * abs(value)
    # Half a unit of the last printed digit, and what floating point adds to it.
    return abs(float(number) - scale * value) <= 0.5 * 10.0**-decimals * (1 + 1e-9) + 1e-12
