"""Says after a test run which files have become long. A reminder, not a failure."""

from __future__ import annotations

from typing import Any

from tests.support.repository import N_LINES, long_files, python_files


def pytest_terminal_summary(terminalreporter: Any) -> None:
    long = long_files(python_files())
    if long:
        terminalreporter.section(f"files over {N_LINES} lines: split by subject", sep="-")
        for line in long:
            terminalreporter.line(line)
