"""A PostgreSQL of the tests' own: a cluster in a temporary folder, reached by a socket in it and by nothing else."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
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
            self._as_user([str(self.bin / "initdb"), *options]), check=True, capture_output=True, cwd=self.folder
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
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        self.server = subprocess.Popen(
            self._as_user(words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder
        )
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

    def pid(self) -> int:
        return int((self.data / "postmaster.pid").read_text().split()[0])

    def kill(self) -> None:
        """kill -9, as when the machine's memory runs out; what it had started ends by itself."""
        os.kill(self.pid(), signal.SIGKILL)
        self._wait()

    def stop(self) -> None:
        """Stop the server and remove its folder."""
        if self.server is not None and self.server.poll() is None:
            # At once: nobody needs what it has not written yet.
            os.kill(self.pid(), signal.SIGQUIT)
            self._wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _wait(self) -> None:
        assert self.server is not None, "started"
        self.server.wait(timeout=30)

    def _as_user(self, words: list[str]) -> list[str]:
        return ["runuser", "-u", self.user, "--", *words] if os.geteuid() == 0 else words
