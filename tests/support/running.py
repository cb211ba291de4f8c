"""A command as somebody would type it, run in this process."""

from __future__ import annotations

import json
from typing import Any

import pytest

from divulge.cli import main


def divulge(*arguments: object) -> int:
    """The exit status of `divulge …`."""
    with pytest.raises(SystemExit) as end:
        main([str(a) for a in arguments])
    return int(end.value.code or 0)


def said(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """The exit status of `divulge …`, and what it printed for people and for programs to read."""
    capsys.readouterr()
    code = divulge(*arguments)
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def answered(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    """The document that `divulge … --json` prints."""
    code, out, err = said(capsys, *arguments, "--json")
    assert code == 0, err
    return json.loads(out)
