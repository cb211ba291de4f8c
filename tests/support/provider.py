"""A provider of log-ins (OpenID Connect) on loopback: as much of one as our side speaks with, and wrong where asked."""

from __future__ import annotations

import base64
import hashlib
import http.server
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

CLIENT, SECRET = "divulge", "the secret of the service"


@dataclass
class LocalProvider:
    """wrong: by claim, what is told instead of the truth. signed_by: whose key."""

    issuer: str = ""
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "one"}))
    wrong: dict[str, Any] = field(default_factory=dict)
    signed_by: str = "its key"
    codes: dict[str, dict[str, Any]] = field(default_factory=dict)

    def log_in(self, address: str, **claims: Any) -> tuple[str, str]:
        """What somebody's browser brings back after a log-in here: state and code."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert asked["response_type"] == "code"
        assert asked["client_id"] == CLIENT
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_hex(16)
        self.codes[code] = {**asked, "claims": claims}
        return asked["state"], code

    def token(self, given: dict[str, str]) -> dict[str, Any] | None:
        """The statement for a code: once, to who asked for it, and to the service alone."""
        held = self.codes.pop(given.get("code", ""), None)
        if held is None or (given.get("client_id"), given.get("client_secret")) != (CLIENT, SECRET):
            return None
        proof = hashlib.sha256(given.get("code_verifier", "").encode()).digest()
        if base64.urlsafe_b64encode(proof).rstrip(b"=").decode() != held["code_challenge"]:
            return None
        if given.get("redirect_uri") != held["redirect_uri"]:
            return None
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "exp": now + 300, "iat": now, "nonce": held["nonce"]}
        return {"id_token": self._signed({**claims, **held["claims"], **self.wrong}), "token_type": "Bearer"}

    def _signed(self, claims: dict[str, Any]) -> str:
        if self.signed_by == "nobody":
            parts = ({"alg": "none"}, claims)
            return ".".join(base64.urlsafe_b64encode(json.dumps(p).encode()).rstrip(b"=").decode() for p in parts) + "."
        if self.signed_by == "our secret":
            return jwt.encode({"alg": "HS256", "kid": "one"}, claims, OctKey.import_key(SECRET.ljust(32, ".")))
        key = self.key if self.signed_by == "its key" else RSAKey.generate_key(2048, {"kid": "one"})
        return jwt.encode({"alg": "RS256", "kid": "one"}, claims, key)


@contextmanager
def local_provider() -> Iterator[LocalProvider]:
    made = LocalProvider()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            keys = {"keys": [made.key.as_dict(private=False)]}
            about = {
                "issuer": made.issuer,
                "authorization_endpoint": f"{made.issuer}/authorize",
                "token_endpoint": f"{made.issuer}/token",
                "jwks_uri": f"{made.issuer}/keys",
            }
            self._answer(keys if self.path == "/keys" else about)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"])).decode()
            self._answer(made.token({name: values[0] for name, values in parse_qs(body).items()}))

        def _answer(self, document: Any) -> None:
            self.send_response(400 if document is None else 200)
            self.send_header("content-type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(document or {"error": "invalid_grant"}).encode())

        def log_message(self, *_: Any) -> None: ...

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        made.issuer = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield made
        server.shutdown()
