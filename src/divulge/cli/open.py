"""`divulge open`: a page in the browser for one person: from a file to a verdict, and to a folder to hand in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from divulge.errors import UsageError
from divulge.terminal.options import PolicyOption
from divulge.terminal.screen import screen


def run(
    folder: Annotated[Path, typer.Argument(help="What is to be handed in, or was; made where there is none.")] = Path(
        "to-release"
    ),
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="FILE", help="The data of the outputs; else chosen on the page."),
    ] = None,
    policy: PolicyOption = None,
    host: Annotated[str, typer.Option(help="An address of this machine alone.")] = "127.0.0.1",
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page, or only print its address.")
    ] = True,
    check: Annotated[bool, typer.Option("--check", help="Prepare everything, say where it would be, and end.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document, at the start.")] = False,
) -> None:
    """Open a page for yourself: data and outputs in, a verdict and a folder to hand in out.

    Without accounts, for one person on this machine: the address that is printed works once. A checker opens a folder
    that was handed in the same way, and leaves notes and decisions in it. Ends with Ctrl-C, with the terminal, or after
    an hour without use; data that were dropped in are then deleted.
    """
    try:
        from divulge.web.desk import create_desk, open_desk
        from divulge.web.desk.keys import Keys
        from divulge.web.desk.serving import address_of, listen, open_browser, serve_desk
    except ModuleNotFoundError:
        raise UsageError("the page is not installed.", hint="Install divulge with its extra: divulge[web].") from None

    held, keys = listen(host), Keys()
    desk = open_desk(folder, data, policy)
    if desk.must_read and not check:
        desk.start_reading()
    address = address_of(held, keys)
    if json:
        screen.print_json({"address": address, "folder": str(desk.folder)})
    else:
        screen.show(f"Divulge is at {address}")
        screen.note("The address works once, in one browser. Stop with Ctrl-C.")
    if check:
        held.close()
        desk.close()
        return
    if browser:
        open_browser(address, desk.private)
    if serve_desk(create_desk(desk, keys), held, desk, keys):
        screen.note("Ended: nobody has used the page for an hour.")
