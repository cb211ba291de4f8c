"""A small client of the service for Python programs, with the standard library alone."""

from divulge.client.client import Client

__all__ = ["Client"]
