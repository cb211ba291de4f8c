"""The files that start the service say what the program understands."""

from __future__ import annotations

import re
import shlex
from ipaddress import ip_address, ip_network
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


def test_image_is_given_nothing_but_what_it_copies() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    copied = re.findall(r"^COPY (\S+) ", (DEPLOY / "Containerfile").read_text(encoding="utf-8"), re.MULTILINE)
    assert [line for line in lines if not line.startswith("#")] == ["*", *(f"!{name}" for name in copied)]


def test_unit_may_write_where_it_is_told_to() -> None:
    unit = (DEPLOY / "divulge.service").read_text(encoding="utf-8")
    allowed = re.search(r"^ReadWritePaths=(.*)$", unit, re.MULTILINE)
    assert allowed is not None
    folders = [Path(word.removeprefix("-")) for word in allowed[1].split()]
    for name, value in re.findall(
        r"^(\w+)=(/\S+)$", (DEPLOY / "environment").read_text(encoding="utf-8"), re.MULTILINE
    ):
        assert any(Path(value).is_relative_to(folder) for folder in folders), name


def test_container_believes_the_gateway_of_its_network_and_nobody_else() -> None:
    composed = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    network = composed["networks"]["inside"]["ipam"]["config"][0]
    command = composed["services"]["service"]["command"]
    assert command[command.index("--proxy") + 1] == network["gateway"]
    assert ip_address(network["gateway"]) in ip_network(network["subnet"])
    assert all(one.get("init") for one in composed["services"].values() if one["image"] == "divulge")


def test_no_secret_is_in_the_files() -> None:
    for file in Path(DEPLOY).iterdir():
        assert not re.search(r"://\w+:(?!PASSWORD@)[^@/\s]+@", file.read_text(encoding="utf-8"))
