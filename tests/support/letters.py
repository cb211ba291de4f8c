"""A mail server and a receiver of webhooks on loopback, which keep what they are sent."""

from __future__ import annotations

import http.server
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.message import Message
from typing import Any


class _Smtp(socketserver.StreamRequestHandler):
    """As little of SMTP (RFC 5321) as a letter needs."""

    def handle(self) -> None:
        self._say("220 here")
        while line := self.rfile.readline():
            word = line[:4].upper()
            if word == b"DATA":
                self._say("354 go on")
                self.server.kept.append(message_from_bytes(self._letter()))  # type: ignore[attr-defined]
            self._say("221 bye" if word == b"QUIT" else "250 fine")
            if word == b"QUIT":
                return

    def _letter(self) -> bytes:
        lines = []
        while (line := self.rfile.readline()).rstrip() != b".":
            lines.append(line)
        return b"".join(lines)

    def _say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


@contextmanager
def mail_server() -> Iterator[tuple[int, list[Message]]]:
    """Its port, and the letters that it got."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Smtp) as server:
        server.daemon_threads = True
        server.kept = []  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_address[1], server.kept  # type: ignore[attr-defined]
        server.shutdown()


@contextmanager
def receiver(status: int = 200, location: str = "") -> Iterator[tuple[str, list[Any]]]:
    """Its address, and the path, headers and body of everything that was posted to it."""
    got: list[Any] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            got.append((self.path, self.headers, body))
            self.send_response(status)
            if location:
                self.send_header("location", location)
            self.end_headers()

        def log_message(self, *_: Any) -> None: ...

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/hook", got
        server.shutdown()
