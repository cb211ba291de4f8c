"""Run the benchmarks named on the command line, or all; print what they measured and keep it with what they ran on."""

from __future__ import annotations

import json
import os
import platform
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks import BENCHMARKS

RESULTS = Path(__file__).parent / "results"


def machine() -> dict[str, Any]:
    """What a timing depends on besides the program."""
    libraries = {name: version(name) for name in ("divulge", "numpy", "numba", "pyarrow", "pandas", "statsmodels")}
    return {"cores": os.cpu_count(), "machine": platform.machine(), "python": platform.python_version(), **libraries}


def main(names: list[str]) -> None:
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        sys.exit(f"There is no benchmark {unknown[0]!r}. There are: {', '.join(BENCHMARKS)}.")
    RESULTS.mkdir(exist_ok=True)
    # Commands are timed as users have them: Python keeps what it compiled, which this machine may have forbidden.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for name in names or BENCHMARKS:
        lines = import_module(f"benchmarks.{name}").run()
        print(f"\n{name}")
        for line in lines:
            print("  " + "  ".join(f"{key} {_shown(value)}" for key, value in line.items()))
        result = {"benchmark": name, "ran_on": machine(), "lines": lines}
        (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def _shown(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    main(sys.argv[1:])
