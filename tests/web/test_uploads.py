"""Files that somebody sends: too large, broken, bombs, paths that lead out, code in formulas. Each is refused."""

from __future__ import annotations

import io
import json
import socket
import stat
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pandas as pd
import pytest

from divulge.errors import UploadError
from divulge.web import Deployment
from divulge.web.archives import Limits, unpack
from tests.support.acro_folders import contents, table_entry, write_folder
from tests.support.service import OUTPUT, Service, api_headers, build, post, token_in

SPEC = 'outputs: [{kind: crosstab, variables: [SEX], released: {"SEX=F": 26, "SEX=M": 26}}]'


def _zipped(files: dict[str, bytes], path: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def _fields(service: Service, **more: Any) -> dict[str, Any]:
    return {"project": service.project, "dataset": service.dataset, "title": "Sent", **more}


def _nothing_was_submitted(service: Service) -> bool:
    return "The queue is empty" in service.client("chloe").get("/submissions").text


@pytest.mark.parametrize(
    "name",
    ["../outside.csv", "/etc/outside.csv", "a/../../outside.csv", "..\\outside.csv", "C:outside.csv", "a\x1bb.csv"],
)
def test_name_that_leads_out_of_the_folder_is_refused(name: str, tmp_path: Path) -> None:
    archive = tmp_path / "sent.zip"
    with zipfile.ZipFile(archive, "w") as opened:
        entry = zipfile.ZipInfo("x")
        entry.filename = name
        opened.writestr(entry, b"x")
    (tmp_path / "in").mkdir()
    with pytest.raises(UploadError):
        unpack(archive, tmp_path / "in", Limits())
    assert not list(tmp_path.rglob("outside.csv"))


def test_zip_bomb_is_refused_before_it_unfolds(tmp_path: Path) -> None:
    archive = _zipped({"bomb.csv": b"0" * (30 << 20)}, tmp_path / "bomb.zip")
    assert archive.stat().st_size < 40_000
    with pytest.raises(UploadError, match="far more"):
        unpack(archive, tmp_path / "in", Limits())
    assert not (tmp_path / "in").exists()


def test_archive_that_lies_about_its_size_is_caught_while_it_unfolds(tmp_path: Path) -> None:
    archive = _zipped({"bomb.csv": b"0" * 100_000}, tmp_path / "lie.zip")
    content = archive.read_bytes()
    # The size that the directory tells, in both places where it stands.
    archive.write_bytes(content.replace((100_000).to_bytes(4, "little"), (10).to_bytes(4, "little")))
    (tmp_path / "in").mkdir()
    with pytest.raises(UploadError):
        unpack(archive, tmp_path / "in", Limits(total=1000))


@pytest.mark.parametrize(
    ("limits", "what"),
    [(Limits(members=2), "3 files"), (Limits(total=5), "unfolds to"), (Limits(depth=1), "leads out")],
)
def test_archive_beyond_a_limit_is_refused(limits: Limits, what: str, tmp_path: Path) -> None:
    archive = _zipped({"a/1.csv": b"123", "2.csv": b"123", "3.csv": b"123"}, tmp_path / "sent.zip")
    with pytest.raises(UploadError, match=what):
        unpack(archive, tmp_path / "in", limits)


def test_links_and_twins_in_an_archive_are_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "link.zip", "w") as opened:
        entry = zipfile.ZipInfo("link.csv")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        opened.writestr(entry, "/etc/passwd")
    with pytest.raises(UploadError, match="link"):
        unpack(tmp_path / "link.zip", tmp_path, Limits())
    _zipped({"a.csv": b"1", "A.csv": b"2"}, tmp_path / "twins.zip")
    with pytest.raises(UploadError, match="same name"):
        unpack(tmp_path / "twins.zip", tmp_path, Limits())


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04" + b"\xff" * 60], ids=["empty", "text", "broken"])
def test_corrupt_upload_is_refused_in_words(service: Service, content: bytes) -> None:
    files = {"folder": ("sent.zip", content, "application/zip")}
    answer = post(service.client("rosa"), "/submit/acro", _fields(service), files=files)
    assert answer.status_code == 422
    assert "Traceback" not in answer.text
    assert _nothing_was_submitted(service)


def test_truncated_archive_is_refused(service: Service, tmp_path: Path) -> None:
    whole = _zipped({"results.json": b'{"results": {}}' * 100}, tmp_path / "sent.zip").read_bytes()
    for cut in (len(whole) // 2, len(whole) - 5):
        files = {"folder": ("sent.zip", whole[:cut], "application/zip")}
        assert post(service.client("rosa"), "/submit/acro", _fields(service), files=files).status_code == 422


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Service]:
    made = build(tmp_path, Deployment(upload_bytes=200_000, form_bytes=50_000))
    yield made
    made.close()


def test_upload_that_says_it_has_five_gigabytes_is_refused_unread(small: Service) -> None:
    client = small.client("rosa")
    host, port = small.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as line:
        said = f"POST /submit/spec HTTP/1.1\r\nHost: {host}\r\nCookie: divulge={client.cookies['divulge']}\r\n"
        said += f"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: {5 << 30}\r\n\r\n"
        line.sendall(said.encode())
        # Not a byte of it has been sent.
        assert line.recv(100).startswith(b"HTTP/1.1 413 ")
    assert _nothing_was_submitted(small)


def test_upload_without_end_is_cut_off_at_the_limit(small: Service) -> None:
    client = small.client("rosa")
    token = token_in(client.get("/account").text)
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        yield f'--x\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n{token}\r\n'.encode()
        yield b'--x\r\nContent-Disposition: form-data; name="files"; filename="big.csv"\r\n\r\n'
        while sent < 5 << 30:
            sent += 1 << 16
            yield b"a" * (1 << 16)

    headers = {"content-type": "multipart/form-data; boundary=x"}
    with suppress(httpx.HTTPError):
        assert client.post("/submit/spec", content=endless(), headers=headers).status_code == 413
    # The limit, and what fits into the buffers of the connection.
    assert sent < 20 << 20
    assert small.client("rosa").get("/submissions").status_code == 200
    assert _nothing_was_submitted(small)


def test_ordinary_forms_are_smaller_still(small: Service) -> None:
    number = small.submit()
    answer = post(small.client("rosa"), f"/submissions/{number}/comment", {"text": "a" * 60_000})
    assert answer.status_code == 413
    assert "t most" in answer.text


def test_stranger_cannot_send_a_file_at_all(service: Service) -> None:
    answer = service.client().post("/submit/spec", files={"files": ("a.csv", b"a" * 1000)})
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/log-in")


BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 10)}]\n" for i in range(9)
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BOMB, "once its aliases are unfolded"),
        ("a: &a [*a]", "an alias refers to what it stands in"),
        ("[" * 5000, "nested too deeply"),
        ("outputs: !!python/object/apply:os.system ['touch gone']", "not YAML"),
        ("outputs: [", "not YAML"),
        ("just text", "a spec is a mapping"),
        ("outputs: 3", "a list of outputs"),
        ("outputs: []", "1 to 500 outputs"),
    ],
    ids=["bomb", "loop", "deep", "object", "broken", "text", "number", "empty"],
)
def test_spec_that_is_a_trap_or_no_spec_is_refused_in_words(service: Service, text: str, said: str) -> None:
    answer = post(service.client("rosa"), "/submit/spec", _fields(service, text=text))
    assert answer.status_code == 422
    assert said in answer.text
    assert _nothing_was_submitted(service)


def test_all_mistakes_of_outputs_are_told_at_once(service: Service) -> None:
    outputs = [
        {"kind": "crostab", "variables": ["SEX"], "compute": True},
        {"kind": "crosstab", "varibles": ["SEX"], "variables": ["SEX"], "decimals": 2.5, "compute": True},
    ]
    client = service.client("rosa")
    given = {"project": service.project, "dataset": service.dataset, "title": "Typos", "outputs": outputs}
    answer = client.post("/api/submissions", json=given, headers=api_headers(client))
    assert answer.status_code == 422
    wrong = ["outputs[0].kind", "outputs[1].decimals", "outputs[1].varibles"]
    assert sorted(e["where"] for e in answer.json()["errors"]) == wrong
    assert "Did you mean 'crosstab'?" in answer.text
    assert "Did you mean 'variables'?" in answer.text
    page = post(client, "/submit/spec", _fields(service, text=json.dumps({"outputs": outputs})))
    assert page.status_code == 422
    assert all(where in page.text for where in wrong)


CODE = "__import__('os').system('touch gone')"


@pytest.mark.parametrize(
    "output",
    [
        {"kind": "linear", "formula": f"AGE ~ {CODE}", "compute": True},
        {"kind": "linear", "formula": "AGE ~ {open('gone', 'w').write('x')}", "compute": True},
        {"kind": "crosstab", "variables": ["SEX"], "where": CODE, "compute": True},
        {"kind": "custom", "function": "evil.py:run", "compute": True},
        {"kind": "crosstab", "variables": ["SEX"], "released": "../../../etc/passwd"},
        {"kind": "crosstab", "variables": ["SEX"], "released": "/etc/passwd"},
    ],
    ids=["formula", "braces", "condition", "function", "path", "absolute path"],
)
def test_output_that_would_run_code_or_read_a_file_is_refused(
    service: Service, output: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    client = service.client("rosa")
    given = {"project": service.project, "dataset": service.dataset, "title": "Code", "outputs": [output]}
    answer = client.post("/api/submissions", json=given, headers=api_headers(client))
    assert answer.status_code == 422
    assert "root:" not in answer.text
    assert not (tmp_path / "gone").exists()


def test_spec_with_its_file_is_taken_and_the_file_given_back_as_a_file(service: Service) -> None:
    client = service.client("rosa")
    spec = "outputs: [{kind: crosstab, variables: [SEX], released: sex.csv}]"
    files = [
        ("spec", ("spec.yaml", spec.encode())),
        ("files", ("sex.csv", b"term,value\nSEX=F,26\nSEX=M,26\n")),
    ]
    answer = post(client, "/submit/spec", _fields(service), files=files)
    assert answer.status_code == 303, answer.text
    page = client.get(answer.headers["location"]).text
    link = next(part.split('"')[0] for part in page.split("/files/")[1:] if "/view" not in part.split('"')[0])
    given = client.get(answer.headers["location"].split("?")[0] + f"/files/{link}")
    assert given.content.startswith(b"term,value")
    assert given.headers["content-disposition"].startswith("attachment")
    assert given.headers["content-type"] == "application/octet-stream"


def test_folder_of_acros_is_taken_with_what_acro_says_of_it(service: Service, tmp_path: Path) -> None:
    entry = {"status": "fail", "summary": "fail; threshold: 1 cell"}
    frame = pd.read_csv(service.folder / "people.csv")
    table = table_entry(pd.crosstab(frame["AGE"], frame["SEX"]), "acro.crosstab(df.AGE, df.SEX)", **entry)
    folder = write_folder(tmp_path / "acro", {"output_0": table})
    sent = _zipped({f"acro/{name}": content for name, content in contents(folder).items()}, tmp_path / "acro.zip")
    files = {"folder": ("acro.zip", sent.read_bytes(), "application/zip")}
    answer = post(service.client("rosa"), "/submit/acro", _fields(service), files=files)
    assert answer.status_code == 303, answer.text
    service.assess()
    page = service.client("chloe").get(answer.headers["location"]).text
    assert "ACRO: output_0" in page
    assert "fail; threshold: 1 cell" in page
    assert "acro-results.json" in page


def test_form_of_a_kind_takes_pasted_figures(service: Service) -> None:
    client = service.client("rosa")
    fields = _fields(service, kind="crosstab", figures="SEX=F\t26\nSEX=M\t26\n")
    answer = post(client, "/submit/table", {**fields, "field-variables": "SEX", "field-name": "Sexes"})
    assert answer.status_code == 303, answer.text
    assert "figures.csv" in client.get(answer.headers["location"]).text
    wrong = post(client, "/submit/table", {**fields, "field-variables": "SEX", "figures": "SEX=X,26"})
    assert wrong.status_code == 422
    assert "there is no figure" in wrong.text
    # What was typed is still there.
    assert "SEX=X,26" in wrong.text


def test_same_form_sent_twice_makes_one_submission(service: Service) -> None:
    client = service.client("rosa")
    fields = _fields(service, text=SPEC, token="a-token-of-one-page")
    first, second = (post(client, "/submit/spec", fields) for _ in range(2))
    assert first.headers["location"] == second.headers["location"]


def test_released_files_leave_as_a_zip_with_a_manifest(service: Service) -> None:
    number = service.make("released")
    answer = service.client("rosa").get(f"/submissions/{number}/release.zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.namelist() == ["manifest.json", "files/output-1.csv", "files/outputs.xlsx"]
        assert archive.read("files/output-1.csv").decode().splitlines()[1] == "AGE=40 & SEX=F,13"
    assert OUTPUT["kind"] == "crosstab"
