"""The files that start the service say what the program understands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from tests.support.repository import ROOT

DEPLOY = ROOT / "deploy"
COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")


def _started() -> dict[str, list[str]]:
    """The words after `divulge` in every unit and container."""
    found = {}
    for unit in DEPLOY.glob("*.service"):
        line = re.search(r"^ExecStart=(.*)$", unit.read_text(encoding="utf-8"), re.MULTILINE)
        assert line is not None
        found[unit.name] = shlex.split(line[1])[1:]
    composed = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    found |= {name: one["command"] for name, one in composed["services"].items() if one["image"] == "divulge"}
    image = re.search(r"^CMD (\[.*\])$", (DEPLOY / "Containerfile").read_text(encoding="utf-8"), re.MULTILINE)
    assert image is not None
    found["Containerfile"] = yaml.safe_load(image[1])
    return found


@pytest.mark.parametrize("name", sorted(_started()))
def test_what_is_started_is_a_command_with_options_that_it_has(name: str) -> None:
    command, *words = _started()[name]
    start = COMMANDS.index(f"## divulge {command}")
    end = COMMANDS.find("\n## ", start + 1)
    said = COMMANDS[start : end if end > 0 else None]
    for option in (word for word in words if word.startswith("--")):
        assert option in said


def test_image_is_built_without_a_network_from_the_lock() -> None:
    text = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
    installs = [line for line in text.splitlines() if "pip install" in line and not line.startswith("#")]
    assert all("--no-index" in line for line in installs)
    assert "--require-hashes -r /tmp/requirements.lock" in text
    assert (ROOT / "requirements.lock").is_file()


def test_no_secret_is_in_the_files() -> None:
    for file in Path(DEPLOY).iterdir():
        assert not re.search(r"://\w+:(?!PASSWORD@)[^@/\s]+@", file.read_text(encoding="utf-8"))
