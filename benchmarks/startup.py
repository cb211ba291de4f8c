"""How long until the command line answers, beside Python doing nothing and Python importing pandas."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

CASES = {
    "python, nothing": ["-c", "pass"],
    "python, import pandas": ["-c", "import pandas"],
    "divulge --version": ["-m", "divulge", "--version"],
    "divulge --help": ["-m", "divulge", "--help"],
    "divulge demo": ["-m", "divulge", "demo"],
}
REPEATS = 5  # the least of a few: what else the machine does only ever adds time


def run() -> list[dict[str, Any]]:
    seconds = dict.fromkeys(CASES, float("inf"))
    for _ in range(REPEATS):
        for what, arguments in CASES.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
            seconds[what] = min(seconds[what], time.perf_counter() - start)
    return [{"what": what, "seconds": round(s, 3)} for what, s in seconds.items()]
