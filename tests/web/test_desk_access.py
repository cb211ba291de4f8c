"""Who can use the page of `divulge open`: the browser that came first by the printed address, and nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from divulge.errors import UsageError
from divulge.web.desk.serving import listen
from tests.support.desks import PEOPLE, Opened, opened, words


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    made = opened(Path(tmp_path_factory.mktemp("desk")) / "mine")
    yield made
    made.close()


@pytest.fixture(scope="module")
def client(place: Opened) -> httpx.Client:
    return place.browser()


def test_the_printed_address_works_once(place: Opened, client: httpx.Client) -> None:
    late = place.stranger().get(place.address)
    assert late.status_code == 403
    assert "was used before" in late.text
    # Whoever came first may come by it again.
    assert client.get(place.address).status_code == 200


def test_a_page_of_ones_own_opens_nobody_elses(place: Opened, client: httpx.Client, tmp_path: Path) -> None:
    other = opened(tmp_path / "theirs")
    theirs = other.browser()
    try:
        # Their token, their cookie under our path, and their cookie's value under our cookie's name.
        assert theirs.get(f"{place.root}/?token={other.keys.token}").status_code == 403
        assert theirs.get(f"{place.root}/desk").status_code == 403
        cookies = {"divulge-open": other.keys.cookie}
        assert httpx.get(f"{place.root}/desk", cookies=cookies, trust_env=False).status_code == 403
    finally:
        other.close()


def test_nothing_is_answered_outside_the_secret_path(place: Opened, client: httpx.Client) -> None:
    base = place.root.rpartition("/")[0]
    for path in ("/", "/desk", "/submissions", "/api/session", "/api/openapi.json", "/x/desk"):
        assert client.get(base + path).status_code in (403, 404), path


def test_the_cookie_is_for_the_secret_path_alone(place: Opened) -> None:
    # Browsers send a cookie to every port of a host: the path keeps it from the servers of other users.
    place.keys._is_spent = False
    answer = httpx.get(place.address, trust_env=False)
    cookie = answer.headers["set-cookie"]
    assert f"Path={place.keys.root}/" in cookie
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie


def test_a_page_that_calls_itself_by_another_name_is_refused(place: Opened, client: httpx.Client) -> None:
    # DNS rebinding: a stranger's name that leads to this machine.
    for host in ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80"):
        assert client.get(f"{place.root}/desk", headers={"host": host}).status_code == 403


@pytest.mark.parametrize("given", [None, "", "wrong"])
def test_a_form_without_the_pages_own_token_changes_nothing(
    place: Opened, client: httpx.Client, given: str | None
) -> None:
    before = place.desk.version
    fields = {"path": __file__} if given is None else {"path": __file__, "csrf": given}
    assert client.post(f"{place.root}/data", data=fields).status_code == 403
    assert place.desk.version == before
    assert place.desk.data is None


def test_a_form_from_another_site_changes_nothing(place: Opened, client: httpx.Client) -> None:
    for headers in ({"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}, {"origin": "null"}):
        fields = {"csrf": place.keys.csrf, "by": "x", "text": "y"}
        assert client.post(f"{place.root}/note", data=fields, headers=headers).status_code == 403
    assert not (place.desk.ours / "notes.json").exists()


@pytest.mark.parametrize(
    "name", ["../out.txt", "..\\out.txt", "/etc/out.txt", "C:\\out.txt", "a/../../out.txt"], ids=range(5)
)
def test_a_file_stays_in_the_folder_whatever_it_is_called(place: Opened, client: httpx.Client, name: str) -> None:
    files = {"files": (name, b"Nothing to see.")}
    client.post(f"{place.root}/files", data={"csrf": place.keys.csrf}, files=files)
    assert place.desk.files == ["out.txt"]
    assert not (place.desk.folder.parent / "out.txt").exists()


@pytest.mark.parametrize("name", ["..", ".hidden", "divulge", "DIVULGE", "a:b", "x" * 300])
def test_names_that_are_none_are_refused(place: Opened, client: httpx.Client, name: str) -> None:
    before = sorted(p.name for p in place.desk.folder.rglob("*"))
    answer = client.post(
        f"{place.root}/files", data={"csrf": place.keys.csrf}, files={"files": (name, b"Nothing to see.")}
    )
    assert answer.status_code in (200, 422)
    assert sorted(p.name for p in place.desk.folder.rglob("*")) == before


def test_a_link_in_the_folder_is_neither_read_nor_handed_in(place: Opened, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text(PEOPLE, encoding="utf-8")
    link = place.desk.folder / "innocent.csv"
    link.symlink_to(tmp_path / "secret.csv")
    (place.desk.folder / "more").symlink_to(tmp_path, target_is_directory=True)
    assert "innocent.csv" not in place.desk.files
    assert not any(name.startswith("more") for name in place.desk.files)
    link.unlink()
    (place.desk.folder / "more").unlink()


def test_an_address_that_others_can_reach_is_refused() -> None:
    for host in ("0.0.0.0", "192.168.1.10", "::", "example.org"):
        with pytest.raises(UsageError, match="can be reached from other machines"):
            listen(host)


def test_errors_are_pages_with_words(place: Opened) -> None:
    page = place.stranger().get(f"{place.root}/desk")
    assert page.status_code == 403
    assert "belongs to the browser that opened it first" in words(page.text)
