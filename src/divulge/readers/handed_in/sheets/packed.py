"""Files that are archives (Word, Excel, OpenDocument): opened with limits, XML read without entities."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

LARGEST = 200_000_000
"""Bytes that the members of an archive may unpack to."""

RATIO = 200
"""How many times its packed size a member may unpack to, beyond a megabyte."""


class Unreadable(Exception):
    """Why a packed file cannot be read, in a few words."""


_FULL_NAME = re.compile(r"^[A-ZÀ-Þ][\w'’.-]*(?:(?: [\w'’.-]+)* [A-ZÀ-Þ][\w'’-]+|, [A-ZÀ-Þ][\w'’-]+)$")
_OF_PERSON = re.compile(
    r"owner|author|editor|reviewer|approver|[a-z] ?by$|manager|contact|analyst|researcher|supervisor|investigator|user",
    re.IGNORECASE,
)
"""Properties of a file that are about somebody."""


class Package:
    """The members of an archive. Nothing is unpacked to disk."""

    def __init__(self, path: Path) -> None:
        try:
            self.archive = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError) as error:
            raise Unreadable("a broken archive") from error
        total = sum(i.file_size for i in self.archive.infolist())
        for info in self.archive.infolist():
            if info.file_size > 1_000_000 and info.file_size > RATIO * max(info.compress_size, 1):
                raise Unreadable("an archive that unpacks to far more than it holds (a zip bomb)")
            if info.flag_bits & 1:
                raise Unreadable("it is protected by a password")
        if total > LARGEST:
            raise Unreadable(f"an archive that unpacks to {total / 1e6:,.0f} MB")
        self.names = tuple(self.archive.namelist())

    def bytes(self, name: str) -> bytes:
        try:
            with self.archive.open(name) as member:
                return member.read(LARGEST)
        except (KeyError, zipfile.BadZipFile, OSError, NotImplementedError) as error:
            raise Unreadable(f"its part {name} cannot be read") from error

    def has_author(self) -> bool:
        """Whether the properties of the file name a person, as a first and a last name."""
        told: list[str] = []
        for part in ("docProps/core.xml", "docProps/app.xml", "docProps/custom.xml"):
            try:
                root = self.xml(part)
            except Unreadable:
                continue
            for e in root.iter():
                if local(e) in ("creator", "lastModifiedBy", "Manager") or _OF_PERSON.search(e.attrib.get("name", "")):
                    told += [t.text or "" for t in e.iter()]
        return any(_FULL_NAME.match(t.strip()) for t in told)

    def xml(self, name: str) -> ET.Element:
        """A part as XML. Documents that declare types or entities are refused, whatever they would expand to."""
        data = self.bytes(name)
        if b"<!DOCTYPE" in data[:4096] or b"<!ENTITY" in data:
            raise Unreadable(f"its part {name} declares XML entities")
        try:
            return ET.fromstring(data)
        except ET.ParseError as error:
            raise Unreadable(f"its part {name} is broken") from error


def local(element: ET.Element) -> str:
    """The name of an element without its namespace."""
    return element.tag.rpartition("}")[2]


def attribute(element: ET.Element, name: str) -> str | None:
    """An attribute by its name without namespace."""
    for key, value in element.attrib.items():
        if key.rpartition("}")[2] == name:
            return value
    return None
