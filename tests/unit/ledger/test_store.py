"""Files under their hash, under names that can do no harm."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.errors import LedgerError, UploadError
from divulge.ledger.store import LONGEST_NAME, Store, safe_name


def test_content_comes_back(tmp_path: Path) -> None:
    store = Store(tmp_path)
    blob = store.put(iter([b"a,b\n", b"1,2\n"]))
    assert (store.read(blob.digest), blob.size) == (b"a,b\n1,2\n", 8)
    assert store.put(b"a,b\n1,2\n") == blob
    assert [p for p in tmp_path.iterdir() if p.is_file()] == []


def test_content_that_is_too_large_is_refused_while_it_comes(tmp_path: Path) -> None:
    pieces = 0

    def coming() -> object:
        nonlocal pieces
        for _ in range(1000):
            pieces += 1
            yield b"x" * 100

    with pytest.raises(UploadError, match="1,000 bytes"):
        Store(tmp_path).put(coming(), at_most=1000)  # type: ignore[arg-type]
    assert pieces == 11
    assert list(tmp_path.iterdir()) == []


def test_changed_content_is_noticed(tmp_path: Path) -> None:
    store = Store(tmp_path)
    blob = store.put(b"as it was")
    store.path(blob.digest).write_bytes(b"as it is not")
    assert not store.is_whole(blob.digest)
    with pytest.raises(LedgerError, match="not what it was"):
        store.read(blob.digest)


@pytest.mark.parametrize("digest", ["../../etc/passwd", "", "0" * 63 + "/", "A" * 64])
def test_path_that_is_no_hash_is_refused(tmp_path: Path, digest: str) -> None:
    with pytest.raises(LedgerError):
        Store(tmp_path).path(digest)


@pytest.mark.parametrize(
    ("given_name", "kept"),
    [
        ("results.csv", "results.csv"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\table.csv", "table.csv"),
        (".htaccess", "htaccess"),
        ("..", "file"),
        ("a\x00b\u202ecsv.exe", "abcsv.exe"),
        ("<script>.csv", "_script_.csv"),
        ("Tabelle für alle.csv", "Tabelle für alle.csv"),
    ],
)
def test_name_is_made_harmless(given_name: str, kept: str) -> None:
    assert safe_name(given_name) == kept


@given(st.text(max_size=400))
def test_any_name_is_made_harmless(text: str) -> None:
    kept = safe_name(text)
    assert 1 <= len(kept) <= LONGEST_NAME
    assert not set(kept) & set('/\\<>:"|?*\0\n')
    assert not kept.startswith(".")
    assert safe_name(kept) == kept
