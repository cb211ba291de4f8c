"""The tests themselves reach nothing but loopback: the guard in tests/conftest.py works."""

from __future__ import annotations

import socket

import pytest

# An address reserved for documentation (RFC 5737), at which nobody listens.
NOWHERE = ("192.0.2.1", 80)


def test_socket_to_the_world_is_blocked() -> None:
    with socket.socket() as outward, pytest.raises(AssertionError, match="nothing is fetched at run time"):
        outward.connect(NOWHERE)


def test_looking_up_a_name_is_blocked() -> None:
    with pytest.raises(AssertionError, match=r"example\.org"):
        socket.create_connection(("example.org", 80), timeout=1)


def test_socket_to_loopback_is_open() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname(), timeout=5):
        pass
