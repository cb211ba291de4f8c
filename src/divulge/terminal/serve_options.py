"""Options by which `divulge serve` is told of other machines that it speaks to. Secrets come from the environment
alone."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from divulge.errors import UsageError

if TYPE_CHECKING:
    from divulge.web.deployment import Deployment

AddressOption = Annotated[
    str | None,
    typer.Option("--address", metavar="URL", help="Where browsers find the service, for links: https://…"),
]
SmtpOption = Annotated[
    str | None,
    typer.Option("--smtp", metavar="HOST:PORT", help="The mail server by which people are told of news."),
]
MailFromOption = Annotated[
    str | None, typer.Option("--mail-from", metavar="ADDRESS", help="Whom those letters are from.")
]
WebhookOption = Annotated[
    str | None, typer.Option("--webhook", metavar="URL", help="Where news is posted, signed: https://…")
]
WebhookAllowOption = Annotated[
    list[str] | None,
    typer.Option(
        "--webhook-allow", metavar="ADDRESS", help="An address or a network that it may be at; may be given again."
    ),
]
OidcIssuerOption = Annotated[
    str | None,
    typer.Option("--oidc-issuer", metavar="URL", help="The provider at which people log in (OpenID Connect)."),
]
OidcClientOption = Annotated[
    str | None, typer.Option("--oidc-client", metavar="NAME", help="What the provider calls this service.")
]
OidcClaimOption = Annotated[
    str | None,
    typer.Option(
        "--oidc-claim",
        metavar="CLAIM",
        help="What of a log-in there is the name at the proxy of an account, for example email. Without it people link "
        "their accounts themselves.",
    ),
]


def with_others(
    settings: Deployment,
    address: str | None,
    mail: tuple[str | None, str | None],
    webhook: tuple[str | None, list[str]],
    provider: tuple[str | None, str | None, str | None],
) -> Deployment:
    """The settings with the machines that are named; each is checked here, before anything starts."""
    from divulge.web.notify import read_mail, read_webhook
    from divulge.web.oidc import read_provider

    issuer, client, claim = provider
    if address is not None and urlsplit(address).scheme not in ("http", "https"):
        raise UsageError("the address begins with https://.", where="--address")
    if issuer is not None and address is None:
        raise UsageError(
            "the provider must know where to send people back to.",
            where="--address",
            hint="Give the address at which browsers find the service.",
        )
    return replace(
        settings,
        address=None if address is None else address.rstrip("/"),
        mail=read_mail(*mail, os.environ),
        webhook=read_webhook(*webhook, os.environ),
        provider=read_provider(issuer, client, claim, os.environ.get("DIVULGE_OIDC_SECRET")),
    )
