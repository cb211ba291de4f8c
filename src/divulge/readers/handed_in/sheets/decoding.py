"""Bytes as text, whatever program wrote them."""

from __future__ import annotations

_CUT = "The last character is cut off."


def decode(data: bytes) -> tuple[str, str | None]:
    """The text of some bytes, and what was odd about their encoding."""
    encoding, odd = encoding_of(data)
    if encoding == "utf-8":
        text = data.decode("utf-8", errors="ignore")
        return text, odd or (_CUT if len(text.encode()) < len(data) else None)
    return data.decode(encoding, errors="replace"), odd


def encoding_of(data: bytes) -> tuple[str, str | None]:
    """The encoding of a text that begins with these bytes, and what is odd about it. They may end inside a letter."""
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return encoding, None
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start <= len(data) - 4:
            return "cp1252", "Not UTF-8; read as Windows-1252, so accents may be wrong."
    return "utf-8", None


def is_binary(data: bytes) -> bool:
    """Whether bytes are no text at all."""
    start = data[:4096]
    return b"\0" in start and not start.startswith((b"\xff\xfe", b"\xfe\xff"))
