"""What holds for every request and every answer: its host, its size, its origin, and the headers that browsers obey."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from divulge.errors import DivulgeError, NotAllowedError, TooLargeError, TooSlowError
from divulge.web.deployment import Deployment

_CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'; "
    "frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
"""No inline script or style, nothing from elsewhere, in nobody's frame."""

BESIDE_HEADERS: Mapping[str, str] = {
    "content-security-policy": _CONTENT_POLICY.replace("frame-ancestors 'none'", "frame-ancestors 'self'"),
    "x-frame-options": "SAMEORIGIN",
}
"""For a page of ours that another page of ours shows beside what it says."""

REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; script-src 'unsafe-inline'; "
    "form-action 'none'; frame-ancestors 'self'; base-uri 'none'; sandbox allow-scripts allow-popups"
)
"""A report brings its styles and its script with it. The sandbox gives it an origin of its own."""

DOWNLOAD_POLICY = "default-src 'none'; sandbox"
"""Somebody else's file: shown, if at all, without script, style or origin."""

_HEADERS: Mapping[str, str] = {
    "content-security-policy": _CONTENT_POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "cache-control": "no-store",
}


_DRAINED = 8 << 20  # bytes of what is too large that are still read and thrown away; then the connection is cut

_HEADER_BYTES = 32 << 10  # more than browsers send
_BODY_SECONDS = 30.0  # between two pieces of what somebody sends

_Refuse = Callable[[Request, DivulgeError], Response]
_Fail = Callable[[Request, Exception], Response]


class Guard:
    """The outermost layer. Uploads are let through up to their own limit, everything else up to that of a form."""

    def __init__(
        self, app: ASGIApp, settings: Deployment, uploads: frozenset[str], refuse: _Refuse, fail: _Fail
    ) -> None:
        self.app, self.settings, self.uploads, self.refuse, self.fail = app, settings, uploads, refuse, fail

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        has_begun = False
        coming = _Coming(receive, self._most(scope))

        async def guarded_send(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                answer = MutableHeaders(scope=message)
                if coming.is_slow:
                    # Whatever the pages made of it; and the rest is not waited for.
                    message["status"] = 408
                    answer["connection"] = "close"
                for name, value in _HEADERS.items():
                    answer.setdefault(name, value)
                if self.settings.secure:
                    answer.setdefault("strict-transport-security", "max-age=31536000")
            await send(message)

        refusal = self._refusal(scope, headers)
        if refusal is not None:
            if isinstance(refusal, TooLargeError) and _length(headers) <= _DRAINED:
                await _drain(receive)
            await self.refuse(Request(scope), refusal)(scope, receive, guarded_send)
            return
        try:
            await self.app(scope, coming, guarded_send)
        except Exception as error:
            if has_begun:
                raise
            await self.fail(Request(scope), error)(scope, receive, guarded_send)

    def _most(self, scope: Scope) -> int:
        return self.settings.upload_bytes if scope["path"] in self.uploads else self.settings.form_bytes

    def _refusal(self, scope: Scope, headers: Headers) -> DivulgeError | None:
        host = headers.get("host", "")
        if self.settings.host_names and _host_name(host) not in self.settings.host_names:
            return NotAllowedError(
                "the service is not known by this name.", hint="Open it by the name that its administrator gave it."
            )
        if sum(len(name) + len(value) for name, value in scope["headers"]) > _HEADER_BYTES:
            return TooLargeError("the head of the request is too long.", hint="Clear the cookies of this site.")
        if _length(headers) > self._most(scope):
            return _too_large(self._most(scope))
        if scope["method"] not in ("GET", "HEAD", "OPTIONS") and not _same_origin(headers, host):
            return NotAllowedError("the form was sent from another site.", hint="Send it from the page itself.")
        return None


class _Coming:
    """What somebody sends, counted while it comes: too much is refused, and so is what stops coming."""

    def __init__(self, receive: Receive, most: int) -> None:
        self.receive, self.most = receive, most
        self.seen, self.is_whole, self.is_slow = 0, False, False

    async def __call__(self) -> Message:
        try:
            # Once all has come, what is waited for is that somebody leaves.
            message = await (self.receive() if self.is_whole else asyncio.wait_for(self.receive(), _BODY_SECONDS))
        except TimeoutError:
            self.is_slow = True
            raise TooSlowError("what was being sent stopped coming.", hint="Send it again.") from None
        self.is_whole = message["type"] != "http.request" or not message.get("more_body")
        if message["type"] == "http.request":
            self.seen += len(message.get("body", b""))
            if self.seen > self.most:
                if message.get("more_body"):
                    await _drain(self.receive)
                raise _too_large(self.most)
        return message


def _length(headers: Headers) -> float:
    """What the sender says of the size of what follows; infinite where that is no number."""
    said = headers.get("content-length", "0")
    return int(said) if said.isascii() and said.isdigit() else float("inf")


async def _drain(receive: Receive) -> None:
    """Let somebody who is still sending finish, so that they can read the answer; up to a point."""
    left = _DRAINED
    while left > 0:
        message = await receive()
        left -= max(1, len(message.get("body", b"")))
        if message["type"] != "http.request" or not message.get("more_body"):
            return


def _host_name(host: str) -> str:
    """The name in a Host header, without its port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _too_large(most: int) -> TooLargeError:
    said = f"{most / 1_000_000:,.0f} MB" if most >= 1_000_000 else f"{most:,} bytes"
    return TooLargeError(
        f"at most {said} are taken at a time; this is more.", hint="Outputs are small: was a dataset sent by mistake?"
    )


def _same_origin(headers: Headers, host: str) -> bool:
    """Whether a browser says that the form is from one of our pages. Other programs say nothing, and have no cookie."""
    site = headers.get("sec-fetch-site")
    if site is not None and site not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    if origin is None or origin == "null":
        return origin is None
    return urlsplit(origin).netloc.casefold() == host.casefold()


def client_address(request: Request, settings: Deployment) -> str:
    """Where a request comes from: the peer, or, where that is a proxy of ours, what it says of its own peer."""
    peer = request.client.host if request.client else ""
    if not settings.trusts(peer):
        return peer
    hops = [hop.strip() for hop in request.headers.get("x-forwarded-for", "").split(",") if hop.strip()]
    # The last hop was written by our proxy; what stands before it anybody can write.
    return next((hop for hop in reversed(hops) if not settings.trusts(hop)), peer)[:60]


def safe_next(text: str | None) -> str:
    """Where to go after a log-in: a page of ours, never another site."""
    if not text or not text.startswith("/") or text.startswith(("//", "/\\")) or any(ord(c) < 32 for c in text):
        return "/"
    parts = urlsplit(text)
    if parts.scheme or parts.netloc or "\\" in text:
        return "/"
    return text
