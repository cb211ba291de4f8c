"""Run the checks named on the command line, or all of them; end with 1 where one fails."""

from __future__ import annotations

import sys
import time
from importlib import import_module

from benchmarks.validation import CHECKS


def main(names: list[str]) -> None:
    unknown = [name for name in names if name not in CHECKS]
    if unknown:
        sys.exit(f"There is no check {unknown[0]!r}. There are: {', '.join(CHECKS)}.")
    failed = []
    for name in names or CHECKS:
        start = time.perf_counter()
        try:
            found = import_module(f"benchmarks.validation.{name}").check()
        except AssertionError as error:
            failed.append(name)
            found = [f"FAILED: {error}"]
        print(f"\n{name} ({time.perf_counter() - start:.0f} s)")
        for line in found:
            print(f"  {line}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
