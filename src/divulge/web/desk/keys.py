"""Who may use the page: whoever came by the address that the terminal printed, once, and the browser they came with.

The page stands under a secret path and asks for a cookie of that path. Browsers send cookies to every port of a host:
without the path, a server of another user on the same machine could ask a browser for it.
"""

from __future__ import annotations

import secrets
import threading
import time
from dataclasses import dataclass, field

COOKIE = "divulge-open"


def _secret() -> str:
    return secrets.token_urlsafe(24)


@dataclass(eq=False)
class Keys:
    """The secrets of one run. path: under which every page stands; token: good for one visit; csrf: in every form."""

    path: str = field(default_factory=_secret)
    token: str = field(default_factory=_secret)
    cookie: str = field(default_factory=_secret)
    csrf: str = field(default_factory=_secret)
    last_use: float = field(default_factory=time.monotonic)
    _is_spent: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def root(self) -> str:
        return f"/{self.path}"

    def spend(self, given: str) -> bool:
        """Whether this is the token and nobody has used it before; from now on somebody has."""
        if not secrets.compare_digest(given.encode(), self.token.encode()):
            return False
        with self._lock:
            is_first, self._is_spent = not self._is_spent, True
        return is_first

    def knows(self, cookie: str | None) -> bool:
        """Whether a request has the cookie that the first visit was given; then the page is in use."""
        known = secrets.compare_digest((cookie or "").encode(), self.cookie.encode())
        if known:
            self.touch()
        return known

    def touch(self) -> None:
        self.last_use = time.monotonic()
