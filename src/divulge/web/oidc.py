"""Log-ins at a provider of the organisation's own, by OpenID Connect: the code flow with PKCE, and nothing else.

OpenID Connect Core 1.0; RFC 7636 for the proof that whoever brings the code is who asked for it. Only the provider that
an administrator has named is spoken to, over TLS or on this machine.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any
from urllib.parse import urlencode

from divulge.client.calls import Address
from divulge.errors import DivulgeError, LedgerError, NotAllowedError, UsageError

_ALGORITHMS = ["RS256", "PS256", "ES256"]
"""How a provider signs. Neither unsigned nor with the secret that we hold too."""

_SECONDS = 10.0  # for each answer of the provider
_LEEWAY = 60  # seconds by which clocks may differ
_KEYS_SECONDS = 60.0  # between two looks at the provider's keys
_BACK = "/log-in/back"


@dataclass(frozen=True)
class Provider:
    """A provider as an administrator names it. claim: what of a log-in may be compared with a name at the proxy."""

    issuer: str
    client: str
    secret: str = field(repr=False)
    claim: str | None = None


@dataclass(frozen=True)
class Begun:
    """A log-in that has begun: what its browser keeps until it comes back. link: the log-in that asked to be linked."""

    state: str
    nonce: str
    verifier: str
    onward: str
    link: str = ""

    def as_cookie(self) -> str:
        return base64.urlsafe_b64encode(json.dumps(vars(self)).encode()).decode()

    @classmethod
    def read(cls, text: str | None) -> Begun | None:
        """What a cookie says; None where it says nothing of the kind."""
        try:
            held = json.loads(base64.urlsafe_b64decode((text or "").encode()))
            found = cls(**{str(name): str(value) for name, value in held.items()})
        except (ValueError, TypeError, AttributeError):
            return None
        return found if len(found.state) > 20 and len(found.nonce) > 20 else None


@dataclass(frozen=True)
class LoggedInThere:
    """A person whom the provider has logged in: its own name for them, and what it claims about them."""

    issuer: str
    subject: str
    claims: Mapping[str, Any]


def read_provider(issuer: str | None, client: str | None, claim: str | None, secret: str | None) -> Provider | None:
    """A provider as it is named on the command line; the secret is in the environment."""
    if issuer is None:
        return None
    if not client or not secret:
        raise UsageError(
            "a provider of log-ins needs the name and the secret of this service.",
            where="--oidc-client",
            hint="Give --oidc-client, and the secret in the environment as DIVULGE_OIDC_SECRET.",
        )
    try:
        import authlib  # noqa: F401
    except ModuleNotFoundError:
        raise UsageError(
            "what speaks to a provider of log-ins is not installed.",
            where="--oidc-issuer",
            hint="Install divulge with its extra: divulge[oidc].",
        ) from None
    Address(issuer)
    return Provider(issuer, client, secret, claim)


class LogIns:
    """Log-ins at one provider. address: where browsers find this service, to which the provider sends them back."""

    def __init__(self, provider: Provider, address: str) -> None:
        self._provider, self._back = provider, address.rstrip("/") + _BACK
        self._lock = Lock()
        self._found: Mapping[str, Any] | None = None
        self._keys: Mapping[str, Any] | None = None
        self._keys_at = 0.0

    @property
    def provider(self) -> Provider:
        return self._provider

    def begin(self, onward: str, link: str = "") -> tuple[Begun, str]:
        """What the browser keeps, and where it goes."""
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        begun = Begun(state, nonce, verifier, onward, link)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(begun.verifier.encode()).digest()).rstrip(b"=").decode()
        asked = {
            "response_type": "code",
            "client_id": self._provider.client,
            "redirect_uri": self._back,
            "scope": "openid email profile",
            "state": begun.state,
            "nonce": begun.nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        target = str(self._configuration()["authorization_endpoint"])
        return begun, f"{target}{'&' if '?' in target else '?'}{urlencode(asked)}"

    def end(self, begun: Begun, state: str, code: str) -> LoggedInThere:
        """The person whom the provider has logged in; an error if another browser comes back than the one that was
        sent."""
        if not code or not secrets.compare_digest(begun.state.encode(), state.encode()):
            raise NotAllowedError("the log-in was not begun in this browser.", hint="Begin again.")
        given = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._back,
            "client_id": self._provider.client,
            "client_secret": self._provider.secret,
            "code_verifier": begun.verifier,
        }
        told = _ask(str(self._configuration()["token_endpoint"]), given)
        claims = self._checked(str(told.get("id_token", "")), begun.nonce)
        return LoggedInThere(self._provider.issuer, str(claims["sub"])[:300], claims)

    def _checked(self, text: str, nonce: str) -> Mapping[str, Any]:
        """The claims of a signed statement of the provider's about this log-in, for us, and not an old one."""
        from authlib.oidc.core import CodeIDToken
        from joserfc import jwt
        from joserfc.jwk import KeySet

        asked = {
            "iss": {"essential": True, "values": [self._provider.issuer]},
            "aud": {"essential": True, "values": [self._provider.client]},
            "sub": {"essential": True},
        }
        params = {"nonce": nonce, "client_id": self._provider.client}
        try:
            keys = KeySet.import_key_set(self._provider_keys(_key_of(text)))  # type: ignore[arg-type]  # plain JSON
            signed = jwt.decode(text, keys, algorithms=_ALGORITHMS)
            found = CodeIDToken(signed.claims, signed.header, asked, params)
            found.validate(leeway=_LEEWAY)
        except DivulgeError:
            raise
        except Exception:
            # Every kind of wrong statement has an error of its own there; to us they are one.
            raise NotAllowedError("what the provider of log-ins says is not in order.", hint="Begin again.") from None
        return dict(found)

    def _configuration(self) -> Mapping[str, Any]:
        with self._lock:
            if self._found is None:
                found = _ask(self._provider.issuer.rstrip("/") + "/.well-known/openid-configuration")
                needed = ("authorization_endpoint", "token_endpoint", "jwks_uri")
                if found.get("issuer") != self._provider.issuer or any(name not in found for name in needed):
                    raise LedgerError("the provider of log-ins is not the one that was named.")
                Address(str(found["authorization_endpoint"]))
                self._found = found
            return self._found

    def _provider_keys(self, wanted: str | None) -> Mapping[str, Any]:
        where = str(self._configuration()["jwks_uri"])
        with self._lock:
            known = {key.get("kid") for key in (self._keys or {}).get("keys", ())}
            is_old = time.monotonic() - self._keys_at > _KEYS_SECONDS
            if self._keys is None or (wanted not in known and is_old):
                self._keys, self._keys_at = _ask(where), time.monotonic()
            return self._keys


def _key_of(text: str) -> str | None:
    """The name of the key in the head of a signed text."""
    try:
        head = json.loads(base64.urlsafe_b64decode(text.split(".")[0] + "=="))
        return str(head["kid"]) if isinstance(head, dict) and "kid" in head else None
    except ValueError:
        return None


def _ask(url: str, form: Mapping[str, str] | None = None) -> Mapping[str, Any]:
    """What the provider answers. Its words are not passed on: they may hold a secret."""
    headers = {"Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"}
    body = None if form is None else urlencode(form).encode()
    status, _, content = Address(url, _SECONDS).ask("GET" if form is None else "POST", "", headers, body)
    try:
        found = json.loads(content) if status == 200 else None
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise NotAllowedError("the provider of log-ins does not confirm it.", hint="Begin again.")
    return found
