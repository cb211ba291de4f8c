"""Whether a request comes from the browser that opened the page, and a form from the page itself."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Request

from divulge.errors import NotAllowedError
from divulge.web.access import MOST_FIELDS, Sent, check_csrf
from divulge.web.desk.desk import Desk
from divulge.web.desk.keys import COOKIE, Keys


def keys_of(request: Request) -> Keys:
    keys: Keys = request.app.state.keys
    return keys


def _desk(request: Request) -> Desk:
    if not keys_of(request).knows(request.cookies.get(COOKIE)):
        raise NotAllowedError(
            "this page belongs to the browser that opened it first.",
            hint="The address in the terminal works once. Stop divulge there with Ctrl-C, and start it again.",
        )
    desk: Desk = request.app.state.desk
    return desk


OpenDesk = Annotated[Desk, Depends(_desk)]


async def _sent(request: Request, desk: OpenDesk) -> AsyncIterator[Sent]:
    async with request.form(max_files=200, max_fields=MOST_FIELDS) as fields:
        check_csrf(fields, keys_of(request).csrf)
        yield Sent(fields)


Form = Annotated[Sent, Depends(_sent)]
