"""A PostgreSQL of the tests' own: a cluster in a temporary folder, reached by a socket in it and by nothing else."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any


def binaries() -> Path | None:
    """Where PostgreSQL's programs are: the newest version, or None where there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3].split(".")[0]))
    named = shutil.which("initdb")
    return found[-1].parent if found else Path(named).parent if named else None


class Cluster:
    """One server. Everything it has is in one folder, and goes with it."""

    def __init__(self) -> None:
        where = binaries()
        assert where is not None, "PostgreSQL is not installed; .ci/run installs it"
        self.bin = where
        self.user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        self.folder = Path(tempfile.mkdtemp(prefix="divulge-pg-"))
        self.server: subprocess.Popen[bytes] | None = None
        if os.geteuid() == 0:
            # PostgreSQL refuses to run as root.
            entry = pwd.getpwnam(self.user)
            os.chown(self.folder, entry.pw_uid, entry.pw_gid)
        options = ["-D", str(self.data), "-A", "trust", "-U", self.user, "-E", "UTF8", "--no-sync", "--locale=C"]
        subprocess.run(
            [str(self.bin / "initdb"), *options], check=True, capture_output=True, cwd=self.folder, **self._as_user()
        )
        self.start()

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def start(self) -> None:
        """Start the server, and wait until it takes connections."""
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.folder),
            # A killed process loses nothing that it wrote; only a machine that fails would.
            "fsync": "off",
            "max_connections": "60",
            "shared_buffers": "16MB",
        }
        words = [str(self.bin / "postgres"), "-D", str(self.data)]
        for name, value in settings.items():
            words += ["-c", f"{name}={value}"]
        nowhere = subprocess.DEVNULL
        self.server = subprocess.Popen(words, stdout=nowhere, stderr=nowhere, cwd=self.folder, **self._as_user())
        for _ in range(600):
            ready = subprocess.run(
                [str(self.bin / "pg_isready"), "-q", "-h", str(self.folder), "-U", self.user], check=False
            )
            if ready.returncode == 0:
                return
            time.sleep(0.05)
        raise RuntimeError("PostgreSQL did not start within 30 s")

    def url(self, database: str) -> str:
        return f"postgresql+psycopg://{self.user}@/{database}?host={self.folder}"

    def run(self, statement: str) -> None:
        """One statement outside of any transaction (CREATE DATABASE)."""
        import psycopg

        link: Any = psycopg.connect(host=str(self.folder), user=self.user, dbname="postgres", autocommit=True)
        with link:
            link.execute(statement)

    def kill(self) -> None:
        """kill -9 of the server and everything that it has started, as when the machine's memory runs out."""
        import psutil

        assert self.server is not None, "started"
        server = psutil.Process(self.server.pid)
        everything = [server, *server.children(recursive=True)]
        for process in everything:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self._wait()
        psutil.wait_procs(everything, timeout=30)

    def stop(self) -> None:
        """Stop the server and remove its folder."""
        if self.server is not None and self.server.poll() is None:
            # At once: nobody needs what it has not written yet.
            self.server.send_signal(signal.SIGQUIT)
            self._wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _wait(self) -> None:
        assert self.server is not None, "started"
        self.server.wait(timeout=30)

    def _as_user(self) -> dict[str, Any]:
        if os.geteuid() != 0:
            return {}
        return {"user": self.user, "group": pwd.getpwnam(self.user).pw_gid, "extra_groups": []}
