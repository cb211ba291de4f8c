"""Pictures in the viewer: shown as images, known by their bytes, and nothing in them is ever run."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import httpx
import pytest

from divulge.ledger import workflow
from divulge.ledger.proposals import Proposal
from divulge.web.pictures import kind_of
from tests.support.service import OUTPUT, Service


def png() -> bytes:
    """One grey pixel."""

    def chunk(name: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0\x80")) + chunk(b"IEND", b"")


def pdf() -> bytes:
    """A page without anything on it, 100 points wide (ISO 32000-1, 7.5)."""
    parts = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 50]>>",
    ]
    text, places = b"%PDF-1.4\n", []
    for i, part in enumerate(parts, start=1):
        places.append(len(text))
        text += b"%d 0 obj%sendobj\n" % (i, part)
    at = len(text)
    text += b"xref\n0 4\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
    return text + b"trailer<</Size 4/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % at


SVG = b"""<?xml version="1.0"?><svg onload="alert(1)"><script>alert(1)</script></svg>"""
FILES = {"plot.png": png(), "plot.svg": SVG, "paper.pdf": pdf(), "page.html": b"<script>alert(1)</script>", "a.R": b"x"}


@pytest.fixture
def sent(service: Service) -> tuple[str, dict[str, int]]:
    """The address of a submission with pictures beside it, and the numbers of its files."""
    with service.ledger.writing() as session:
        uploads = [(name, service.ledger.store.put(content)) for name, content in FILES.items()]
        proposal = Proposal("T", [dict(OUTPUT)], uploads)
        made = workflow.submit(session, service.ids["rosa"], service.project, service.dataset, proposal)
        return f"/submissions/{made.id}/files", {u.name: u.id for u in made.uploads}


def shown(
    service: Service, sent: tuple[str, dict[str, int]], name: str, who: str = "chloe", **more: Any
) -> httpx.Response:
    return service.client(who).get(f"{sent[0]}/{sent[1][name]}/picture", params=more)


def test_picture_is_shown_as_an_image_that_can_do_nothing(service: Service, sent: Any) -> None:
    for name, kind in (("plot.png", "image/png"), ("plot.svg", "image/svg+xml"), ("paper.pdf", "image/png")):
        answer = shown(service, sent, name)
        assert answer.status_code == 200, name
        assert answer.headers["content-type"] == kind
        policy = answer.headers["content-security-policy"]
        assert "sandbox" in policy
        assert "allow" not in policy
        assert policy.startswith("default-src 'none'")
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert shown(service, sent, "plot.png").content == FILES["plot.png"]
    assert shown(service, sent, "paper.pdf").content.startswith(b"\x89PNG")


@pytest.mark.parametrize(("name", "page"), [("page.html", 1), ("a.R", 1), ("paper.pdf", 2), ("paper.pdf", 10**8)])
def test_what_is_no_picture_is_not_shown_as_one(service: Service, sent: Any, name: str, page: int) -> None:
    assert shown(service, sent, name, page=page).status_code == 404


def test_picture_of_somebody_else_is_not_there(service: Service, sent: Any) -> None:
    assert shown(service, sent, "plot.png", "rosa").status_code == 200
    assert shown(service, sent, "plot.png", "remy").status_code == 404


def test_viewer_shows_pictures_and_stands_beside_the_outputs(service: Service, sent: Any) -> None:
    client = service.client("chloe")
    page = client.get(f"{sent[0]}/{sent[1]['plot.svg']}/view")
    assert f'<img class="picture" src="{sent[0]}/{sent[1]["plot.svg"]}/picture' in page.text
    assert "alert(1)" not in page.text.replace("alert(1)&lt;", "")  # as text, if at all
    assert page.headers["x-frame-options"] == "DENY"
    beside = client.get(f"{sent[0]}/{sent[1]['a.R']}/view?beside=yes")
    assert beside.headers["x-frame-options"] == "SAMEORIGIN"
    assert "frame-ancestors 'self'" in beside.headers["content-security-policy"]
    assert "<nav" not in beside.text
    assert f"{sent[0]}/{sent[1]['a.R']}/view?beside=yes" in client.get(sent[0].removesuffix("/files")).text


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF....WEBP", "image/webp"),
        (b"  <svg>", "image/svg+xml"),
        (b"<html><svg>", None),
        (b"<?xml version='1.0'?><html/>", None),
        (b"", None),
    ],
)
def test_kind_of_a_picture_is_in_its_bytes(tmp_path: Path, content: bytes, kind: str | None) -> None:
    (tmp_path / "x.png").write_bytes(content)
    assert kind_of(tmp_path / "x.png") == kind
