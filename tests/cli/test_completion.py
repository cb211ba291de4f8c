"""Shell completion: scripts for three shells, names of commands, options and assessment files, and a quick start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer import _completion_shared

from divulge.cli import COMMANDS, main
from divulge.terminal.complete import spec_files

LINES = {
    "bash": lambda words: {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)},
    "zsh": lambda words: {"_TYPER_COMPLETE_ARGS": " ".join(words)},
    "fish": lambda words: {"_TYPER_COMPLETE_ARGS": " ".join(words), "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
}
"""How each shell says what has been typed."""


def offered(shell: str, words: list[str], folder: Path) -> str:
    """What the shell is told, in a process of its own as a shell would start it."""
    environment = {**os.environ, **LINES[shell](words), "_DIVULGE_COMPLETE": f"complete_{shell}"}
    command = [sys.executable, "-c", "from divulge.cli import main; main()"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("shell", LINES)
def test_shell_is_offered_commands(shell: str, tmp_path: Path) -> None:
    printed = offered(shell, ["divulge", "ass"], tmp_path)
    assert "assess" in printed
    assert "inspect" not in printed


@pytest.mark.parametrize("shell", LINES)
def test_shell_is_offered_assessment_files(shell: str, tmp_path: Path) -> None:
    for name in ("first.yaml", "first.csv", "second.json"):
        (tmp_path / name).touch()
    printed = offered(shell, ["divulge", "compute", "fi"], tmp_path)
    assert "first.yaml" in printed
    assert "first.csv" not in printed
    assert "second.json" not in printed


@pytest.mark.parametrize("shell", LINES)
def test_completion_script_is_shown(
    shell: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("typer.completion._get_shell_name", lambda: shell)
    with pytest.raises(SystemExit) as end:
        main(["--show-completion"])
    assert end.value.code == 0
    assert f"_DIVULGE_COMPLETE=complete_{shell}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("shell", "file"),
    [
        ("bash", ".bash_completions/divulge.sh"),
        ("zsh", ".zfunc/_divulge"),
        ("fish", ".config/fish/completions/divulge.fish"),
    ],
)
def test_completion_is_installed_for_the_user(
    shell: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_completion_shared, "_get_shell_name", lambda: shell)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    with pytest.raises(SystemExit) as end:
        main(["--install-completion"])
    assert end.value.code == 0
    assert f"complete_{shell}" in (tmp_path / file).read_text(encoding="utf-8")


def test_folders_are_offered_beside_files_and_hidden_ones_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a/deep.yml", "ab.yaml", ".hidden.yaml"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).touch()
    assert spec_files("a") == ["ab.yaml", "a/"]
    assert spec_files("") == ["ab.yaml", "a/"]
    assert spec_files(".h") == [".hidden.yaml"]
    assert spec_files("a/") == ["a/deep.yml"]
    assert spec_files(f"{tmp_path}/ab") == [f"{tmp_path}/ab.yaml"]


def test_shell_is_left_alone_where_no_assessment_file_is(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    assert spec_files(f"{tmp_path}/fo") == []
    assert spec_files(f"{tmp_path}/nowhere/x") == []


def test_help_names_every_command_without_importing_any(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom divulge.cli import main\n"
        "try:\n    main(['--help'])\n"
        "finally:\n    print([m for m in ('numba', 'numpy', 'pandas', 'scipy') if m in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert [name for name in COMMANDS if f" {name} " not in done.stdout] == []
    assert done.stderr.strip() == "[]"
