"""Running the service: the server in this process, workers in processes of their own, a graceful end of both."""

from __future__ import annotations

import gc
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import psutil
import uvicorn
from fastapi import FastAPI

from divulge.errors import UsageError
from divulge.ledger.database import Ledger
from divulge.web.connections import PatientProtocol
from divulge.web.deployment import LOOPBACK_NAMES, Deployment, is_loopback, parse_networks

_STOP_SECONDS = 3  # how long requests have to come to an end before they are ended
_WORKER_SECONDS = 5  # how long workers have at the same time: they put their jobs back
_END_SECONDS = 6.0
"""After which nothing is waited for any more. Whatever is still being done ends as by kill −9, which loses nothing."""

_LAST_SECONDS = 8
"""After which the system ends us, where threads that compute leave no turn to the one that would."""

_CONNECTIONS = 10_000  # at once; those that say nothing are closed, so they keep nobody out
_FILES = 16_384  # open files that so many connections need; systems often allow 1,024 unless asked
_NICE = 10
"""How far workers stand back where the cores are few: a tenth of a share beside somebody's page, and more than nothing
beside whatever else keeps the machine busy."""

_SWITCH_SECONDS = 0.0005  # how long one thread of the server may keep the others from the interpreter
_RESTART_SECONDS = 3.0
"""Between the end of a worker and the start of another: a worker that cannot start must not keep a core busy."""


@dataclass(frozen=True)
class Place:
    """Where the service listens, and what stands between it and the network."""

    host: str = "127.0.0.1"
    port: int = 8765
    certificate: Path | None = None
    key: Path | None = None
    behind_proxy: bool = False

    @property
    def has_tls(self) -> bool:
        return self.certificate is not None

    @property
    def address(self) -> str:
        shown = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.has_tls else 'http'}://{shown}:{self.port}/"

    def check(self) -> None:
        """Raise where passwords would travel readable over a network."""
        if (self.certificate is None) != (self.key is None):
            raise UsageError("a certificate and its key are needed together.", where="--tls-certificate, --tls-key")
        for file in (self.certificate, self.key):
            if file is not None and not file.is_file():
                raise UsageError("there is no such file.", where=str(file))
        if not is_loopback(self.host) and not self.has_tls and not self.behind_proxy:
            raise UsageError(
                f"{self.host} can be reached from other machines, and passwords would travel readable.",
                where="--host",
                hint="Give --tls-certificate and --tls-key, or --behind-proxy where a proxy before it does TLS.",
            )

    def settings(self, names: list[str], proxies: list[str], user_header: str | None) -> Deployment:
        """The settings that follow from where the service listens."""
        self.check()
        if user_header is not None and not (self.behind_proxy and proxies):
            raise UsageError(
                "whose word about people is believed must be said.",
                where="--user-header",
                hint="Give --behind-proxy and the addresses of the proxy with --proxy.",
            )
        trusted = parse_networks(proxies or ["127.0.0.0/8", "::1"]) if self.behind_proxy else ()
        hidden = is_loopback(self.host) and not self.behind_proxy
        return Deployment(
            secure=self.has_tls or self.behind_proxy,
            host_names=frozenset(names) | LOOPBACK_NAMES if names or hidden else frozenset(),
            proxies=trusted,
            user_header=user_header,
        )


class _Server(uvicorn.Server):
    """As soon as the end is asked for, ends the streams of those who watch and asks workers to end."""

    def __init__(self, config: uvicorn.Config, workers: Workers) -> None:
        super().__init__(config)
        self._workers = workers

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        # What is there now stays there. Looked through for what can be thrown away, hundreds of thousands of objects
        # hold up every page for a seventh of a second, again and again.
        gc.collect()
        gc.freeze()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        app = self.config.app
        if isinstance(app, FastAPI):
            app.state.stopping = True
        if not self._workers.stop.is_set():
            self._workers.ask_to_end()
            # A thread that computes cannot be ended, and would keep the program.
            last = threading.Timer(_END_SECONDS, self._end)
            last.daemon = True
            last.start()
            if hasattr(signal, "alarm"):  # not on Windows
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                signal.alarm(_LAST_SECONDS)
        super().handle_exit(sig, frame)

    def _end(self) -> None:
        # Not waited for: on a busy machine a worker that stands back takes seconds even to be killed.
        self._workers.kill()
        os._exit(0)


@dataclass
class Workers:
    """Worker processes, each started again where it ends by itself."""

    ledger: Ledger
    count: int
    stop: threading.Event = field(default_factory=threading.Event)
    _running: list[subprocess.Popen[bytes]] = field(default_factory=list)
    _asked_at: float = 0.0

    def start(self) -> None:
        self._running = [self._one() for _ in range(self.count)]
        threading.Thread(target=self._watch, name="workers", daemon=True).start()

    def ask_to_end(self) -> None:
        """Ask them to put their jobs back and end."""
        self._asked_at = time.monotonic()
        self.stop.set()
        for worker in self._running:
            with suppress(ProcessLookupError):
                worker.send_signal(signal.SIGTERM)

    def end(self) -> None:
        """Wait for their end; end them where they do not."""
        if not self.stop.is_set():
            self.ask_to_end()
        last = self._asked_at + _WORKER_SECONDS
        for worker in self._running:
            with suppress(subprocess.TimeoutExpired):
                worker.wait(max(0.1, last - time.monotonic()))
        self.kill()
        for worker in self._running:
            worker.wait()
            _let_go(worker)

    def kill(self) -> None:
        """End those that are left."""
        for worker in self._running:
            worker.kill()

    def _one(self) -> subprocess.Popen[bytes]:
        # The URL may hold a password, which a command line would show to everybody on the machine.
        places = {"DIVULGE_LEDGER": self.ledger.url, "DIVULGE_STORE": str(self.ledger.store.folder)}
        worker = subprocess.Popen(
            [sys.executable, "-m", "divulge", "--quiet", "worker", "--tied"],
            env=os.environ | places,
            # Nothing is ever written to it. However we end, it ends, and the worker puts its job back and ends too.
            stdin=subprocess.PIPE,
            # A Ctrl-C is for the server, which then tells its workers.
            start_new_session=True,
        )
        with suppress(psutil.Error):
            # People wait for pages; nobody waits for the last second of an assessment.
            psutil.Process(worker.pid).nice(_NICE)
        with suppress(OSError):
            # Its session may be a scheduling group of its own, in which nice counts for nothing.
            Path(f"/proc/{worker.pid}/autogroup").write_text(str(_NICE), encoding="ascii")
        return worker

    def _watch(self) -> None:
        while not self.stop.wait(_RESTART_SECONDS):
            for i, worker in enumerate(self._running):
                if worker.poll() is not None and not self.stop.is_set():
                    _let_go(worker)
                    self._running[i] = self._one()


def _let_go(worker: subprocess.Popen[bytes]) -> None:
    if worker.stdin is not None:
        worker.stdin.close()


def _server_config(app: FastAPI, place: Place) -> uvicorn.Config:
    """How the server speaks to browsers: what it says, what it waits for, how it ends."""
    return uvicorn.Config(
        app,
        host=place.host,
        port=place.port,
        ssl_certfile=place.certificate,
        ssl_keyfile=place.key,
        log_level="warning",
        # Addresses hold what people search for.
        access_log=False,
        # Who is asking is decided in one place of ours, which knows whom to believe.
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=_STOP_SECONDS,
        # People read for longer than the usual five seconds before they ask for the next page.
        timeout_keep_alive=75,
        limit_concurrency=_CONNECTIONS,
        http=PatientProtocol,
    )


def serve(app: FastAPI, place: Place, workers: Workers) -> None:
    """Serve until somebody asks for the end (Ctrl-C, SIGTERM)."""
    config = _server_config(app, place)
    _allow_files()
    # Every release says where the audit trail ends, on standard error like all that the service says.
    logging.basicConfig(format="%(message)s")
    logging.getLogger("divulge").setLevel(logging.INFO)
    # A page that fetches rows gives way at each of them, and by default waits 5 ms for its turn each time.
    sys.setswitchinterval(_SWITCH_SECONDS)
    server = _Server(config, workers)
    # From here on, not only once it listens. uvicorn raises the signal again when it has ended, and that must not keep
    # us from ending the workers.
    before = signal.signal(signal.SIGTERM, server.handle_exit)
    workers.start()
    app.state.renderer.warm_up()
    try:
        with suppress(KeyboardInterrupt):
            server.run()
    finally:
        workers.end()
        signal.signal(signal.SIGTERM, before)


def _allow_files() -> None:
    """As many open files as the system lets us have: every connection is one."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
        if soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
