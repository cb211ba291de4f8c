"""Files that are cut off, shuffled or doubled: no reader crashes, and none invents a figure."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.candidates.vocabulary import Vocabulary
from divulge.readers.handed_in.folder import _read_document
from divulge.readers.handed_in.matching.data import Data
from divulge.readers.handed_in.matching.match import Matcher
from divulge.readers.handed_in.sheets import FORMATS, open_document
from divulge.readers.handed_in.sheets.boxes import with_boxes
from divulge.readers.handed_in.sheets.sheet import Document, Lines
from tests.support.handed_in import TEXTS, table
from tests.support.sessions import LAYOUTS

FILES = {**TEXTS, **LAYOUTS}

BRIEF = settings(max_examples=6, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@lru_cache(maxsize=1)
def data() -> Data:
    return Data(table())


@lru_cache(maxsize=16)
def lines_of(program: str) -> tuple[str, ...]:
    return tuple(FILES[program]().split("\n"))


@st.composite
def damaged(draw: st.DrawFn, program: str) -> tuple[str, ...]:
    """The lines of a file: cut off, some twice, some gone, some in another order, some cut in the middle."""
    lines = list(lines_of(program))
    start = draw(st.integers(0, len(lines) - 1))
    lines = lines[start : draw(st.integers(start + 1, len(lines)))]
    for _ in range(draw(st.integers(0, 4))):
        i, j = draw(st.integers(0, len(lines) - 1)), draw(st.integers(0, len(lines) - 1))
        way = draw(st.sampled_from(["double", "swap", "cut", "drop"]))
        if way == "double":
            lines.insert(i, lines[j])
        elif way == "swap":
            lines[i], lines[j] = lines[j], lines[i]
        elif way == "cut":
            lines[i] = lines[i][: draw(st.integers(0, len(lines[i])))]
        elif len(lines) > 1:
            lines.pop(i)
    return tuple(lines)


@pytest.mark.slow
@pytest.mark.parametrize("program", FILES)
@given(draw=st.data())
@BRIEF
def test_damaged_text_is_read_without_inventing_a_figure(program: str, draw: st.DataObject) -> None:
    lines = draw.draw(damaged(program))
    document = Document("t.txt", tuple(with_boxes(Lines(lines))))
    candidates = list(_read_document(document, Session(Vocabulary(table().schema))))
    matcher = Matcher(data())
    for candidate in candidates:
        for figure in candidate.figures:
            printed = re.sub(r"\s+", "", figure.printed.text)
            around = re.sub(r"\s+", "", "".join(lines))
            assert printed in around or printed.rstrip("%") in around
        reading = matcher.match(candidate)
        assert len(reading.figures) == len(candidate.figures)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", sorted({s for f in FORMATS for s in f.SUFFIXES if s}))
@given(content=st.binary(max_size=400) | st.text(max_size=300).map(lambda t: t.encode("utf-8")))
@BRIEF
def test_any_bytes_are_opened_or_refused_with_a_reason(
    suffix: str, content: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = Path(tmp_path_factory.mktemp("f")) / f"a{suffix}"
    path.write_bytes(content)
    document = open_document(path)
    list(_read_document(document, Session(Vocabulary(table().schema))))
    assert document.reason is None or document.reason
