"""One request to a service at an address that the caller names: over TLS or on this machine, and never elsewhere.

No redirect is followed and no proxy of the environment is asked: the token goes to that address alone.
"""

from __future__ import annotations

import http.client
import secrets
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from divulge.errors import LedgerError, UsageError

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

Files = Sequence[tuple[str, str, bytes]]
"""The name of the field, the name of the file, and its content."""


@dataclass(frozen=True)
class Address:
    """Where a service is, and how long to wait for it. certificate: an authority of one's own, as a PEM file."""

    url: str
    seconds: float = 60.0
    certificate: str | None = None

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        is_here = (parts.hostname or "") in _LOOPBACK
        if parts.hostname is None or not (parts.scheme == "https" or (parts.scheme == "http" and is_here)):
            raise UsageError(
                "the address of the service begins with https://, or with http:// on this machine.",
                where="url",
                hint="A token that travels readable is everybody's.",
            )

    def ask(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None = None
    ) -> tuple[int, str, bytes]:
        """Status, kind of content, and content of the answer."""
        parts = urlsplit(self.url)
        link = self._link(parts.hostname or "", parts.port, parts.scheme == "https")
        try:
            link.request(method, parts.path.rstrip("/") + path, body, dict(headers))
            answer = link.getresponse()
            return answer.status, answer.headers.get_content_type(), answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise LedgerError(
                f"the service does not answer: {type(error).__name__}.", where=f"{parts.scheme}://{parts.netloc}"
            ) from None
        finally:
            link.close()

    def _link(self, host: str, port: int | None, is_secret: bool) -> http.client.HTTPConnection:
        if not is_secret:
            return http.client.HTTPConnection(host, port, timeout=self.seconds)
        context = ssl.create_default_context(cafile=self.certificate)
        return http.client.HTTPSConnection(host, port, timeout=self.seconds, context=context)


def as_form(fields: Mapping[str, str], files: Files) -> tuple[str, bytes]:
    """Fields and files as a form: the kind of content, and the content (multipart/form-data, RFC 7578)."""
    border = secrets.token_hex(16)
    parts = [(f'form-data; name="{_quoted(name)}"', value.encode()) for name, value in fields.items()]
    parts += [
        (f'form-data; name="{_quoted(name)}"; filename="{_quoted(file)}"', content) for name, file, content in files
    ]
    lines = b"".join(
        f"--{border}\r\nContent-Disposition: {head}\r\n\r\n".encode() + content + b"\r\n" for head, content in parts
    )
    return f"multipart/form-data; boundary={border}", lines + f"--{border}--\r\n".encode()


def _quoted(text: str) -> str:
    return text.replace("\r", "%0D").replace("\n", "%0A").replace('"', "%22")
