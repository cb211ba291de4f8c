"""Browsers in which somebody has logged in before: a cookie that lets the right password in, whoever else is guessing.

The cookie holds a random number and proof that we made it for this person. The proof is made with the hash of the
password, which nobody outside has, so it ends with the password and needs no table.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

from starlette.requests import Request
from starlette.responses import Response

from divulge.ledger.model import Person
from divulge.web.deployment import Deployment

_LASTS = 400 * 24 * 3600  # seconds; browsers keep no cookie longer


def known_device(request: Request, settings: Deployment, person: Person | None) -> str | None:
    """The number of the browser, where this person has logged in there before."""
    if person is None or person.password_hash is None:
        return None
    number, _, proof = request.cookies.get(_cookie(settings, person.name), "").partition(".")
    is_ours = hmac.compare_digest(_proof(person.name, person.password_hash, number).encode(), proof.encode())
    return number if is_ours and len(number) == 32 else None


def remember_device(request: Request, response: Response, settings: Deployment, person: Person) -> None:
    """Mark the browser as one in which this person has logged in."""
    if person.password_hash is None:
        return
    number = known_device(request, settings, person) or secrets.token_hex(16)
    value = f"{number}.{_proof(person.name, person.password_hash, number)}"
    response.set_cookie(
        _cookie(settings, person.name),
        value,
        path="/",
        max_age=_LASTS,
        secure=settings.secure,
        httponly=True,
        samesite="lax",
    )


def _cookie(settings: Deployment, name: str) -> str:
    # One for each person: several may share a desk. What it is called does not tell who.
    short = hashlib.sha256(name.encode()).hexdigest()[:12]
    return f"__Host-divulge-device-{short}" if settings.secure else f"divulge-device-{short}"


def _proof(name: str, password_hash: str, number: str) -> str:
    return hmac.new(password_hash.encode(), f"{name}\0{number}".encode(), hashlib.sha256).hexdigest()
