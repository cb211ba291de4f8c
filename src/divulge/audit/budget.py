"""How much time an audit may take; what it has not reached by then it says."""

from __future__ import annotations

import time
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Budget:
    """So many seconds from now on."""

    seconds: float
    _start: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> float:
        return max(0.0, self.seconds - (time.monotonic() - self._start))

    @property
    def is_spent(self) -> bool:
        return self.left <= 0
