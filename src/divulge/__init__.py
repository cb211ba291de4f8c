"""Divulge: how much would an analytical output give away about the people behind it?"""

__version__ = "0.1.0"
