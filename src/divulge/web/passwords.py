"""Passwords: kept as argon2 hashes, checked in the same time whether or not the person exists."""

from __future__ import annotations

import secrets
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from divulge.errors import UsageError

_SHORTEST = 12  # characters; NIST SP 800-63B asks for at least 8, and for 15 where there is nothing but a password
_LONGEST = 200  # hashing takes time with length; nobody types more

_hasher = PasswordHasher()  # RFC 9106's second choice, argon2's own default: 64 MiB, 3 passes


def hash_password(password: str) -> str:
    return _hasher.hash(password)


def is_right(password_hash: str | None, password: str) -> bool:
    """Whether it is the person's password. None (no such person, no password) takes as long as a wrong one."""
    known = password_hash if password_hash is not None else _nobodys()
    try:
        return _hasher.verify(known, password[:_LONGEST]) and password_hash is not None
    except (VerificationError, InvalidHashError):
        return False


def check_new(password: str, name: str) -> None:
    """Raise where a password that somebody chose is too easy to guess."""
    if not _SHORTEST <= len(password) <= _LONGEST:
        raise UsageError(f"a password has {_SHORTEST} to {_LONGEST} characters.", where="password")
    if name.casefold() in password.casefold() or len(set(password)) < 5:
        raise UsageError(
            "the password is too easy to guess.", where="password", hint="Three or four words are easy to remember."
        )


def new_password() -> str:
    """A password for somebody's first log-in: 100 bits, without letters that look alike."""
    letters = "abcdefghjkmnpqrstuvwxyz23456789"
    return "-".join("".join(secrets.choice(letters) for _ in range(5)) for _ in range(4))


@cache
def _nobodys() -> str:
    return _hasher.hash(secrets.token_urlsafe(16))
