"""A command as somebody would type it, run in this process."""

from __future__ import annotations

import pytest

from divulge.cli import main


def divulge(*arguments: object) -> int:
    """The exit status of `divulge …`."""
    with pytest.raises(SystemExit) as end:
        main([str(a) for a in arguments])
    return int(end.value.code or 0)
