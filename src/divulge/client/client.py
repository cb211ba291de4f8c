"""The service from a Python program: hand in, look, decide, take away. The token and its owner say what may be done."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from divulge import errors
from divulge.client.calls import Address, Files, as_form
from divulge.errors import DivulgeError, LedgerError, StateError, UsageError

_UNDECIDED = frozenset({"submitted", "assessing", "ready"})
_Shape = dict[str, Any]


class Client:
    """The service at an address, asked by a token from the page /account/tokens.

    certificate: a PEM file with the authority of the service's certificate, where it is one of your own.
    """

    def __init__(self, url: str, token: str, *, seconds: float = 60.0, certificate: str | None = None) -> None:
        self._address = Address(url, seconds, certificate)
        self._headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}

    def __repr__(self) -> str:
        # Never the token.
        return f"Client({self._address.url!r})"

    def who_am_i(self) -> _Shape:
        """Whose token it is."""
        return self._get("/api/session")

    def projects(self) -> list[_Shape]:
        return self._asked("GET", "/api/projects")

    def datasets(self) -> list[_Shape]:
        return self._asked("GET", "/api/datasets")

    def submissions(self, **narrowed: Any) -> _Shape:
        """One page of submissions. narrowed: state, project, dataset, q, page."""
        return self._get("/api/submissions", **narrowed)

    def submission(self, number: int) -> _Shape:
        """A submission, with what the owner of the token may see of it."""
        return self._get(f"/api/submissions/{number}")

    def record(self, number: int) -> _Shape:
        """The record of the latest assessment: for checkers and custodians."""
        return self._get(f"/api/submissions/{number}/record")

    def submit(
        self,
        project: int,
        dataset: int,
        title: str,
        outputs: Sequence[Mapping[str, Any]],
        *,
        purpose: str = "",
        token: str | None = None,
    ) -> _Shape:
        """Hand in outputs, as in an assessment file. token: yours to choose; the same again makes no second one."""
        given = {"project": project, "dataset": dataset, "title": title, "purpose": purpose}
        return self._post("/api/submissions", {**given, "outputs": [dict(one) for one in outputs], "token": token})

    def submit_files(
        self,
        project: int,
        dataset: int,
        title: str,
        paths: Sequence[Path],
        *,
        purpose: str = "",
        way: str = "files",
        token: str | None = None,
    ) -> _Shape:
        """Hand in files as they are, or (`way="acro"`) one zip of a folder that ACRO wrote."""
        fields = {"project": str(project), "dataset": str(dataset), "title": title, "purpose": purpose, "way": way}
        files: Files = [("files", path.name, path.read_bytes()) for path in map(Path, paths)]
        kind, body = as_form({**fields, **({"token": token} if token else {})}, files)
        return self._asked("POST", "/api/submissions/files", body, {"Content-Type": kind})

    def resubmit(self, number: int, title: str, outputs: Sequence[Mapping[str, Any]], *, purpose: str = "") -> _Shape:
        """Hand in a new version of what was returned."""
        given = {"title": title, "purpose": purpose, "outputs": [dict(one) for one in outputs]}
        return self._post(f"/api/submissions/{number}/versions", given)

    def comment(self, number: int, text: str, *, audience: str = "everybody") -> _Shape:
        return self._post(f"/api/submissions/{number}/comments", {"text": text, "audience": audience})

    def withdraw(self, number: int) -> _Shape:
        return self._post(f"/api/submissions/{number}/withdraw")

    def decide(
        self,
        number: int,
        reason: str,
        *,
        choice: str | None = None,
        outputs: Mapping[int, str] | None = None,
        assessment: int | None = None,
    ) -> _Shape:
        """Be for or against a release: release, return or refuse, of all outputs (choice) or of each (outputs).

        assessment: the one that you looked at, as `submission` tells it; where there is a newer one, StateError.
        """
        given = {"choice": choice, "outputs": outputs, "reason": reason, "assessment": assessment}
        return self._post(f"/api/submissions/{number}/decisions", given)

    def give_back(self, number: int, reason: str) -> _Shape:
        """Return it to its author, with reasons."""
        return self._post(f"/api/submissions/{number}/return", {"reason": reason})

    def release(self, number: int) -> _Shape:
        return self._post(f"/api/submissions/{number}/release")

    def refuse(self, number: int) -> _Shape:
        return self._post(f"/api/submissions/{number}/refuse")

    def download(self, number: int, path: Path) -> Path:
        """Write what was released to a zip file."""
        Path(path).write_bytes(self._asked("GET", f"/api/submissions/{number}/release.zip"))
        return Path(path)

    def verdict_for(self, number: int, system: str, *, reference: str = "") -> _Shape:
        """What the assessment says, in the words of another system (airlock, sacro-viewer, five-safes-tes)."""
        return self._get(f"/api/submissions/{number}/verdict/{system}", reference=reference)

    def take_decision(
        self, number: int, system: str, document: Mapping[str, Any], *, assessment: int | None = None
    ) -> _Shape:
        """Enter what was decided in another system, as the decision of the token's owner.

        assessment: the one of the verdict that was told there; where there is a newer one, StateError.
        """
        query = "" if assessment is None else f"?{urlencode({'assessment': assessment})}"
        return self._post(f"/api/submissions/{number}/decisions/{system}{query}", document)

    def post_verdict(self, number: int, system: str, url: str, token: str, *, path: str, reference: str = "") -> int:
        """Hand the verdict to another system, at its own address and with its own token; the status that it answers."""
        told = self.verdict_for(number, system, reference=reference)
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        return Address(url, self._address.seconds).ask("POST", path, headers, json.dumps(told["document"]).encode())[0]

    def wait(self, number: int, *, seconds: float = 3600.0, every: float = 5.0, until_ready: bool = False) -> _Shape:
        """Look again and again until it is decided on, or (for checkers) until it is ready to be decided on."""
        ends = time.monotonic() + seconds
        while True:
            found = self.submission(number)
            if found["state"] not in _UNDECIDED or (until_ready and found["state"] == "ready"):
                return found
            if time.monotonic() + every > ends:
                raise StateError(f"submission {number} is still {found['state']}.", hint="Wait longer.")
            time.sleep(every)

    def _get(self, path: str, **query: Any) -> _Shape:
        asked = {name: value for name, value in query.items() if value not in (None, "")}
        return self._asked("GET", f"{path}?{urlencode(asked)}" if asked else path)

    def _post(self, path: str, given: Mapping[str, Any] | None = None) -> _Shape:
        body = None if given is None else json.dumps({k: v for k, v in given.items() if v is not None}).encode()
        return self._asked("POST", path, body, {"Content-Type": "application/json"})

    def _asked(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Any:
        return _read_answer(*self._address.ask(method, path, {**self._headers, **(headers or {})}, body))


def _read_answer(status: int, kind: str, content: bytes) -> Any:
    """What was answered, as plain data or bytes; where it was refused, the error that the service raised."""
    if status < 300:
        return json.loads(content) if kind == "application/json" else content
    try:
        told = json.loads(content)["error"]
        named = getattr(errors, str(told["type"]), UsageError)
        found = named if isinstance(named, type) and issubclass(named, DivulgeError) else UsageError
        raise found(str(told["message"]), where=told.get("where"), hint=told.get("hint"))
    except (ValueError, KeyError, TypeError):
        raise LedgerError(f"the service answered with status {status}.") from None
