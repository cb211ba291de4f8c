"""One signed message to the webhook: to an address that is allowed, once it is known which one the name stands for.

The name is looked up once and the connection goes to what was found, so that a name that changes its meaning in
between leads nowhere else. No redirect is followed, and a slow answer is not waited for.
"""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import socket
import ssl
import threading
import time
from contextlib import suppress
from datetime import datetime
from urllib.parse import urlsplit

from divulge.ledger.clock import moment
from divulge.ledger.model import News
from divulge.web.notify.ways import Webhook

_SECONDS = 10.0  # for the whole of it


def send_post(hook: Webhook, number: int, news: News, submission: int, at: datetime) -> None:
    """Post it, or raise OSError or HTTPException. number: of the message, the same where it is sent again."""
    body = json.dumps({"id": number, "event": news, "submission": submission, "at": moment(at)}).encode()
    now = int(time.time())
    headers = {
        "Content-Type": "application/json",
        "Divulge-Signature": f"t={now},v1={_signature(hook.secret, now, body)}",
    }
    parts = urlsplit(hook.url)
    link = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=_SECONDS)
    last = threading.Timer(_SECONDS, lambda: _cut(link))
    last.daemon = True
    last.start()
    try:
        link.sock = _connect(hook, parts.hostname or "", parts.port, parts.scheme == "https")
        link.request("POST", (parts.path or "/") + (f"?{parts.query}" if parts.query else ""), body, headers)
        answer = link.getresponse()
        if answer.status >= 300:
            raise http.client.HTTPException(f"status {answer.status}")
    finally:
        last.cancel()
        link.close()


def _signature(secret: str, at: int, body: bytes) -> str:
    """What proves that a message is from us, and from when: whoever takes it refuses old ones."""
    return hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()


def _connect(hook: Webhook, host: str, port: int | None, is_secret: bool) -> socket.socket:
    wanted = port or (443 if is_secret else 80)
    found = socket.getaddrinfo(host, wanted, type=socket.SOCK_STREAM)
    for *_, place in found:
        address = str(place[0])
        if hook.may_reach(address):
            made = socket.create_connection((address, wanted), timeout=_SECONDS)
            if not is_secret:
                return made
            return ssl.create_default_context().wrap_socket(made, server_hostname=host)
    raise OSError("the address is not one of those that may be reached")


def _cut(link: http.client.HTTPConnection) -> None:
    held = link.sock
    if held is not None:
        with suppress(OSError):
            held.shutdown(socket.SHUT_RDWR)
