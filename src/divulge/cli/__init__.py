"""ROOM. The command line: one command per file, registered in COMMANDS.

Errors become exit codes here and nowhere else.
"""

from __future__ import annotations

import ast
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.exceptions import TyperException

from divulge import __version__
from divulge.errors import DivulgeError, ProgramError, UsageError
from divulge.terminal.screen import Screen, screen
from divulge.terminal.stopping import Stopped, going_on, heeded_stops

COMMANDS: tuple[str, ...] = (
    "new",
    "inspect",
    "outputs",
    "read",
    "compute",
    "rules",
    "audit",
    "embed",
    "measure",
    "check",
    "assess",
    "mitigate",
    "acro",
    "stata",
    "report",
    "compare",
    "teach",
    "ledger",
    "people",
    "worker",
    "serve",
    "open",
    "doctor",
    "demo",
)
"""The files of this folder that are commands, in the order in which `divulge --help` lists them."""

_COMPLETING = "_DIVULGE_COMPLETE"
"""Set by the script of `divulge --show-completion` when the shell asks what may come next."""


def _print_version(asked: bool) -> None:
    if asked:
        print(f"divulge {__version__}")
        raise typer.Exit


def _options(
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print nothing but errors and what was asked for.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say more about what is being done.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """How much would an analytical output give away about the people behind it?"""
    screen.quiet, screen.verbose = quiet, verbose


def build_app(names: Sequence[str] = COMMANDS) -> typer.Typer:
    """The command line with these commands. The rest are named and explained, but not imported.

    Importing them all takes longer than most of them run.
    """
    app = typer.Typer(
        name="divulge",
        callback=_options,
        help=_options.__doc__,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for name in COMMANDS:
        if name not in names and (explained := _docstring(name)) is not None:
            app.command(name, help=explained)(_not_imported)
            continue
        module = import_module(f"divulge.cli.{name}")
        # A command is a function `run`, or a Typer application `app` where it has commands of its own.
        if hasattr(module, "app"):
            app.add_typer(module.app, name=name)
        else:
            app.command(name)(module.run)
    return app


def _docstring(name: str) -> str | None:
    """What a command says of itself, read without importing it; None where that cannot be.

    The docstring of its `run`, or the help text of its `app` where it has commands of its own.
    """
    try:
        tree = ast.parse((Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8"))
    except OSError:
        return None
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "run":
            return ast.get_docstring(node)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and ast.unparse(node.targets[0]) == "app":
            texts = [
                k.value.value for k in node.value.keywords if k.arg == "help" and isinstance(k.value, ast.Constant)
            ]
            return str(texts[0]) if texts else None
    return None


def _not_imported() -> None:
    raise AssertionError("only the command that was asked for is run")


def _needed(given: Sequence[str]) -> Sequence[str]:
    """The command that is asked for, or that is being completed; none where only names are wanted."""
    words: Sequence[str] = given
    if _COMPLETING in os.environ:
        # bash hands the line over by one name, the other shells by another.
        words = (os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")).split()
    return [word for word in words if word in COMMANDS][:1]


def command_tree() -> Any:
    """The whole command line with its arguments, options and help texts, for the documentation and the tests."""
    return typer.main.get_command(build_app())


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its code. Errors go to standard error, and with --json to both as JSON."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        # Outside its standalone mode typer hands us its own errors, so that every error has one shape.
        app = build_app(_needed(given))
        with heeded_stops():
            code = app(args=given or ["--help"], prog_name="divulge", standalone_mode=False)
    except TyperException as error:
        _fail(_usage_error(error), given)
    except DivulgeError as error:
        _fail(error, given)
    except BrokenPipeError:
        # The reader of our output went away (`divulge … | head`): that is not an error of ours.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Stopped as stop:
        _stop(going_on(given, stop))
    except KeyboardInterrupt:
        code = _INTERRUPTED
    except Exception as error:  # whatever it is: people get a sentence, never a traceback
        _fail(_unforeseen(error), given)
    if code == _INTERRUPTED:  # typer makes a code of the exception
        _stop(going_on(given))
    sys.exit(code if isinstance(code, int) else 0)


def _stop(said: str) -> NoReturn:
    with suppress(OSError):  # the terminal may be closed
        screen.note(said)
    sys.exit(_INTERRUPTED)


_INTERRUPTED = 130
_TRACE = "divulge-trace.txt"


def _unforeseen(error: Exception) -> ProgramError:
    """What is said of an error that no message foresaw. With --verbose, a file says where it happened, and no more.

    The error's own words are left out: those of other libraries quote what they could not read.
    """
    frames = traceback.extract_tb(error.__traceback__)
    kind = type(error).__name__
    hint = f"This is a mistake of ours. divulge --verbose … writes where it happened to {_TRACE}, without any value."
    if screen.verbose:
        places = [f"{Path(f.filename).name}, line {f.lineno}, in {f.name}" for f in frames]
        with suppress(OSError):
            Path(_TRACE).write_text("\n".join([f"divulge {__version__}: {kind}", *places, ""]), encoding="utf-8")
            hint = f"This is a mistake of ours. Where it happened, without any value of the data, is in {_TRACE}."
    return ProgramError(f"something went wrong that no message foresaw ({kind}).", hint=hint)


def _fail(error: DivulgeError, given: list[str]) -> NoReturn:
    screen.error(error, as_json="--json" in given)
    sys.exit(error.exit_code)


def _usage_error(error: TyperException) -> UsageError:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "divulge"
    return UsageError(error.format_message(), where=path, hint=f"See {path} --help.")


__all__ = ["COMMANDS", "Screen", "build_app", "command_tree", "main", "screen"]
