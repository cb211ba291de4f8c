"""What holds for every file of the repository: length, spelling, no paths of one machine, nothing fetched."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from pathlib import Path

import pytest

from tests.support.repository import ROOT, long_files, name, python_files, text_files

FAR_TOO_LONG = 800
"""Twice the budget: here the reminder after a test run becomes a failure."""

MACHINE_PATHS = re.compile("/(" + "|".join(("root", "work", "home", "opt", "Users")) + r")/[\w.-]")

FETCHES = re.compile(
    r"""(<(script|img|iframe|link|source|video|object|embed)\b[^>]*\b(src|href|data)\s*=\s*["']?\s*(https?:)?//)"""
    r"""|(@import\s+(url\()?["']?\s*(https?:)?//)|(url\(\s*["']?\s*(https?:)?//)"""
    r"""|(\b(fetch|importScripts|EventSource|WebSocket)\s*\(\s*["'`]\s*((https?|wss?):)?//)""",
    re.IGNORECASE,
)
ASSETS = {".html", ".jinja", ".j2", ".css", ".js", ".svg"}
CLIENTS = {"requests", "httpx", "aiohttp", "urllib3", "ftplib", "smtplib"}
CLIENT_MODULES = {"urllib.request", "http.client"}
MAY_CONNECT = {"client/calls.py", "web/notify/ways.py", "web/notify/sender.py"}
"""Where a connection is made, each time to an address that somebody has named for this and nowhere else."""

AMERICAN = re.compile(
    r"\b((de)?synthesiz|(optim|minim|maxim|normal|standard|random|initial|summar|organ|recogn|general|visual|serial"
    r"|categor|util|linear|prior)iz|anal[y]z|behavior|colors?\b|colored|favor|neighbor|centers?\b|centered|labeled"
    r"|labeling|modeled|modeling|canceled)\w*",
    re.IGNORECASE,
)
QUOTED = re.compile(r"```.*?```|`[^`]*`|\"[^\"\n]*\"|https?://\S+", re.DOTALL)


def _prose(path: Path) -> str:
    """What people read in a file: a Markdown text, or the docstrings and comments of a Python file, less quotations."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        tree = ast.parse(text)
        documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        said = [ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, documented)]
        said += [n.name.replace("_", " ") for n in ast.walk(tree) if isinstance(n, documented[1:])]
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        said += [token.string for token in tokens if token.type == tokenize.COMMENT]
        text = "\n".join(said)
    return QUOTED.sub(" ", text)


def american_words(prose: str) -> list[str]:
    return sorted({match[0].casefold() for match in AMERICAN.finditer(prose)})


def test_no_file_is_far_too_long() -> None:
    assert long_files(python_files(), FAR_TOO_LONG) == []


def test_long_file_is_found(tmp_path: Path) -> None:
    (tmp_path / "short.py").write_text("x = 1\n" * 400, encoding="utf-8")
    (tmp_path / "long.py").write_text("x = 1\n" * 401, encoding="utf-8")
    assert long_files([tmp_path / "short.py", tmp_path / "long.py"]) == ["long.py: 401 lines"]


def test_no_path_of_one_machine_is_written_down() -> None:
    wrong = [f"{name(p)}: {m[0]}" for p in text_files() for m in MACHINE_PATHS.finditer(p.read_text(encoding="utf-8"))]
    assert wrong == []


def test_machine_path_is_found() -> None:
    assert MACHINE_PATHS.search("see " + "/home" + "/me/data.csv")


def test_no_asset_fetches_anything() -> None:
    assets = [p for p in text_files() if p.suffix in ASSETS]
    assert [name(p) for p in assets if FETCHES.search(p.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    "text",
    [
        '<script defer src="https://example.org/x.js"></script>',
        "<link rel=stylesheet href=//example.org/x.css>",
        "@import 'https://example.org/x.css'",
        "background: url(http://example.org/x.png)",
        "fetch('https://example.org')",
    ],
)
def test_fetch_is_found(text: str) -> None:
    assert FETCHES.search(text)


def test_link_to_a_paper_is_no_fetch() -> None:
    assert not FETCHES.search('<a href="https://doi.org/10.1007/978-3-319-99771-1_9">Taub et al. 2018</a>')


@pytest.mark.slow
def test_source_uses_no_network_client_but_where_it_is_asked_to() -> None:
    for path in (ROOT / "src").rglob("*.py"):
        if path.relative_to(ROOT / "src" / "divulge").as_posix() in MAY_CONNECT:
            continue
        imported = {
            (node.module if isinstance(node, ast.ImportFrom) else alias.name) or ""
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        wrong = {module for module in imported if module.split(".")[0] in CLIENTS or module in CLIENT_MODULES}
        assert not wrong, f"{name(path)} imports {wrong}"


@pytest.mark.slow
def test_prose_is_in_british_spelling() -> None:
    read = [p for p in text_files() if p.suffix in (".py", ".md")]
    assert {name(p): words for p in read if (words := american_words(_prose(p)))} == {}


def test_american_spelling_is_found() -> None:
    assert american_words("The synthesizer optimizes color.") == ["color", "optimizes", "synthesizer"]
    assert american_words("The synthesiser optimises colour and size; see `NO_COLOR`.".replace("`NO_COLOR`", "")) == []
