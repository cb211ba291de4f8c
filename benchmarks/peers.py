"""Other programs, each in an environment of its own beside ours, so that their dependencies do not meet."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(sys.prefix) / "peers"
EXTRAS = {"mbi": Path(__file__).with_name("mbi.lock")}
"""Peers too large to be installed unasked: `make peers`, or `python -m benchmarks.peers`, installs them."""


def environment(package: str, lock: Path | None = None) -> Path | None:
    """The Python of an environment with a package; None where it cannot be installed.

    lock: the versions and hashes to install; without it, the newest version.
    """
    python = FOLDER / package / "bin" / "python"
    try:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(FOLDER / package)], check=True, capture_output=True)
        have = subprocess.run([str(python), "-c", f"import {package}"], capture_output=True, check=False)
        if have.returncode:
            wanted = [package] if lock is None else ["--require-hashes", "-r", str(lock)]
            subprocess.run([str(python), "-m", "pip", "install", "--quiet", *wanted], check=True, capture_output=True)
    except (subprocess.CalledProcessError, OSError):
        return None
    return python


def installed(package: str) -> Path | None:
    """The Python of an environment that has a package already; None where nobody installed it."""
    python = FOLDER / package / "bin" / "python"
    if not python.exists():
        return None
    found = subprocess.run([str(python), "-c", f"import {package}"], capture_output=True, check=False)
    return None if found.returncode else python


if __name__ == "__main__":
    for name, lock in EXTRAS.items():
        made = environment(name, lock)
        if made is None:
            sys.exit(
                f"{name} could not be installed from benchmarks/{lock.name}: is there an index that pip can reach?"
            )
        print(f"{name} is in {made.parent.parent}")
