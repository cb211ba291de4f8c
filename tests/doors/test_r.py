"""The R package: R's own check of it, with its tests, which run the command line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.repository import ROOT


@pytest.mark.needs("r")
@pytest.mark.slow
def test_r_check_of_the_package_has_no_error_warning_or_note(tmp_path: Path) -> None:
    program = Path(sys.executable).parent / "divulge"
    # No index can be reached, and packages that are only suggested need not be there.
    env = {**os.environ, "DIVULGE": str(program), "_R_CHECK_FORCE_SUGGESTS_": "false"}

    def run(*words: str) -> str:
        done = subprocess.run(
            ["R", "CMD", *words], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=600, check=False
        )
        return done.stdout + done.stderr

    built = run("build", "--no-build-vignettes", str(ROOT / "r"))
    package = next(tmp_path.glob("divulge_*.tar.gz"), None)
    assert package is not None, built
    said = run("check", "--no-manual", "--ignore-vignettes", package.name)
    # A note that says nothing of the package; R says Package where one is absent.
    absent = re.search("Packages? suggested but not available for checking", said) is not None
    assert "Status: OK" in said or (absent and "Status: 1 NOTE" in said), said[-4000:]
