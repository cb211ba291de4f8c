"""Bytes as text, whatever program wrote them."""

from __future__ import annotations


def decode(data: bytes) -> tuple[str, str | None]:
    """The text of some bytes, and what was odd about their encoding."""
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding, errors="replace"), None
    try:
        return data.decode("utf-8"), None
    except UnicodeDecodeError as error:
        if error.start > len(data) - 4:
            return data[: error.start].decode("utf-8"), "The last character is cut off."
        return data.decode("cp1252", errors="replace"), "Not UTF-8; read as Windows-1252, so accents may be wrong."


def is_binary(data: bytes) -> bool:
    """Whether bytes are no text at all."""
    start = data[:4096]
    return b"\0" in start and not start.startswith((b"\xff\xfe", b"\xfe\xff"))
