"""`divulge serve`: the service in a browser, with its workers, on a ledger of its own or a named one."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table as Grid

from divulge.errors import UsageError
from divulge.terminal.ledger_options import LedgerOption, StoreOption, opened, private_files
from divulge.terminal.screen import screen
from divulge.terminal.serve_options import (
    AddressOption,
    MailFromOption,
    OidcClaimOption,
    OidcClientOption,
    OidcIssuerOption,
    SmtpOption,
    WebhookAllowOption,
    WebhookOption,
    with_others,
)

if TYPE_CHECKING:
    from divulge.ledger.database import Ledger
    from divulge.terminal.serve_demo import Account
    from divulge.web.serving import Place


_Demo = Annotated[
    bool | None,
    typer.Option(
        "--demo/--no-demo",
        help="Put data to play with, a project and accounts into a new ledger; usual on loopback.",
        show_default=False,
    ),
]
_TlsCertificate = Annotated[
    Path | None, typer.Option("--tls-certificate", metavar="FILE", help="The certificate (PEM), to serve HTTPS.")
]
_BehindProxy = Annotated[
    bool, typer.Option("--behind-proxy", help="A proxy in front of the service does TLS and hands requests on.")
]
_Proxy = Annotated[
    list[str] | None,
    typer.Option("--proxy", metavar="ADDRESS", help="Whose word about clients is believed; may be given again."),
]
_UserHeader = Annotated[
    str | None,
    typer.Option("--user-header", metavar="NAME", help="The header in which the proxy names who is logged in."),
]
_Name = Annotated[
    list[str] | None,
    typer.Option("--name", metavar="HOST", help="A name by which browsers know the service; may be given again."),
]
_Anchors = Annotated[
    Path | None,
    typer.Option(
        "--anchors",
        metavar="FILE",
        envvar="DIVULGE_ANCHORS",
        show_default=False,
        help="A file elsewhere, to which every release adds where the audit trail ends.",
    ),
]
_Check = Annotated[bool, typer.Option("--check", help="Prepare and check everything, say where it would be, and end.")]


def run(
    ledger: LedgerOption = None,
    store: StoreOption = None,
    host: Annotated[str, typer.Option(help="The address to listen at. Others than this machine's need TLS.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen at.")] = 8765,
    workers: Annotated[int, typer.Option(min=0, max=64, help="How many assessments run at once.")] = 1,
    demo: _Demo = None,
    tls_certificate: _TlsCertificate = None,
    tls_key: Annotated[Path | None, typer.Option("--tls-key", metavar="FILE", help="Its key (PEM).")] = None,
    behind_proxy: _BehindProxy = False,
    proxy: _Proxy = None,
    user_header: _UserHeader = None,
    name: _Name = None,
    anchors: _Anchors = None,
    address: AddressOption = None,
    smtp: SmtpOption = None,
    mail_from: MailFromOption = None,
    webhook: WebhookOption = None,
    webhook_allow: WebhookAllowOption = None,
    oidc_issuer: OidcIssuerOption = None,
    oidc_client: OidcClientOption = None,
    oidc_claim: OidcClaimOption = None,
    check: _Check = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document, at the start.")] = False,
) -> None:
    """Serve the queue of submissions to browsers on this machine, or with TLS to others.

    Without options it makes a SQLite ledger here, with data to play with, and prints passwords for the first log-ins
    once. Stop it with Ctrl-C: assessments under way go on when it is started again.
    """
    try:
        from divulge.web import create_app
        from divulge.web.serving import Place, Workers, serve
    except ModuleNotFoundError:
        raise UsageError(
            "the service is not installed.", hint="Install divulge with its extra: divulge[web]."
        ) from None

    place = Place(host, port, tls_certificate, tls_key, behind_proxy)
    settings = with_others(
        place.settings(name or [], proxy or [], user_header),
        address,
        (smtp, mail_from),
        (webhook, webhook_allow or []),
        (oidc_issuer, oidc_client, oidc_claim),
    )
    ready = replace(opened(ledger, store, create=True), anchors=anchors)
    _check_anchors(ready)
    _open_accounts(ready, place, demo, json)
    if not check:
        with private_files():
            serve(create_app(ready, settings), place, Workers(ready, workers))
    ready.close()


def _check_anchors(ready: Ledger) -> None:
    """Raise where the ledger lacks what was noted elsewhere, as a restored backup may."""
    from divulge.ledger.anchors import check_anchors

    if ready.anchors is not None:
        with ready.reading() as session:
            check_anchors(session, ready.anchors)


def _open_accounts(ready: Ledger, place: Place, demo: bool | None, json: bool) -> None:
    """Make the first accounts and show them; say where the service is."""
    from divulge.terminal.serve_demo import first_accounts
    from divulge.web.deployment import is_loopback

    is_file = ready.engine.dialect.name == "sqlite"
    with_demo = demo if demo is not None else is_file and is_loopback(place.host) and not place.behind_proxy

    def tell(accounts: list[Account]) -> None:
        _tell(accounts, {"address": place.address, "ledger": ready.shown} if json else None)

    first_accounts(ready, with_demo, tell)
    if not json:
        screen.show(f"Divulge is at {place.address}")
        screen.note(f"The ledger is {ready.shown}, files are in {ready.store.folder}. Stop with Ctrl-C.")


def _tell(accounts: list[Account], about: dict[str, str] | None) -> None:
    """Show the first accounts, as one JSON document beside what it is about where that is given."""
    if about is not None:
        told = [{"name": a.name, "role": a.role, "password": a.password} for a in accounts]
        screen.print_json({**about, "accounts": told})
        return
    if not accounts:
        return
    grid = Grid("name", "role", "password", title="Accounts: this is shown once, write it down", title_justify="left")
    for account in accounts:
        grid.add_row(account.name, account.role, account.password)
    screen.show(grid)
    # Here and now, not when the program ends: whoever cannot be told has no account yet.
    sys.stdout.flush()
