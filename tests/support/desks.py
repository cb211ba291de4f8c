"""A page of `divulge open` on a folder, served on loopback as the command serves it."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import uvicorn

from divulge.web.desk import Desk, create_desk, open_desk
from divulge.web.desk.keys import Keys
from divulge.web.desk.serving import address_of, listen

PEOPLE = "AGE,SEX\n" + "".join(f"{40 + i % 2},{'FM'[i // 2 % 2]}\n" for i in range(52))
"""Four cells of thirteen."""

SLOW = 180.0
"""Seconds: what takes two of them takes a minute where kernels are compiled first on a busy machine."""


@dataclass(eq=False)
class Opened:
    """A page and browsers for it. address: with the token, as the terminal prints it."""

    desk: Desk
    keys: Keys
    address: str
    server: uvicorn.Server
    thread: threading.Thread
    clients: list[httpx.Client] = field(default_factory=list)

    @property
    def root(self) -> str:
        return self.address.partition("/?token=")[0]

    def stranger(self) -> httpx.Client:
        made = httpx.Client(timeout=SLOW, trust_env=False, follow_redirects=True)
        self.clients.append(made)
        return made

    def browser(self) -> httpx.Client:
        """The browser that opens the page first."""
        made = self.stranger()
        assert made.get(self.address).status_code == 200
        return made

    def post(self, client: httpx.Client, where: str, **fields: str) -> httpx.Response:
        return client.post(f"{self.root}/{where}", data={"csrf": self.keys.csrf, **fields})

    def wait(self) -> None:
        last = time.monotonic() + SLOW
        while self.desk.jobs.is_busy and time.monotonic() < last:
            time.sleep(0.05)
        assert not self.desk.jobs.is_busy
        job = self.desk.jobs.latest
        assert job is None or job.problem is None, job.problem

    def close(self) -> None:
        for client in self.clients:
            client.close()
        self.server.should_exit = True
        self.thread.join(timeout=10)
        self.desk.close()


def opened(folder: Path, data: Path | None = None) -> Opened:
    """Open a folder."""
    desk, keys = open_desk(folder, data), Keys()
    held = listen("127.0.0.1")
    app = create_desk(desk, keys)
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", proxy_headers=False, server_header=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [held]}, daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.005)
    return Opened(desk, keys, address_of(held, keys), server, thread)


def words(page: str) -> str:
    """A page without its tags."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))
