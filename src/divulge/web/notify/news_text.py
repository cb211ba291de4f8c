"""News in words. Nothing in them was written by anybody: no title, no comment, no name, no figure, no outcome.

E-mail leaves the safe setting. A title could carry a row of data out, so none is in it; and the words are the same
whatever was decided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from divulge.ledger.model import News

_SAID: Mapping[News, str] = {
    News.SUBMITTED: "Submission #{number} was submitted.",
    News.WAITING: "Submission #{number} waits for a decision.",
    News.DECIDED: "There is a decision on submission #{number}.",
    News.COMMENTED: "There is a comment on submission #{number}.",
}

SUBJECT = "Divulge: news about submissions"
_MOST = 50  # lines of one letter; whoever logs in sees the rest


def letter(news: Sequence[tuple[News, int]], address: str | None) -> str:
    """The text of an e-mail about some news, each line once. address: of the service, where it is known."""
    lines = list(dict.fromkeys(_line(word, number, address) for word, number in news))
    more = len(lines) - _MOST
    if more > 0:
        lines = [*lines[:_MOST], f"And {more} more."]
    where = "Log in to read more." if address is None else f"Log in to read more: {address}/"
    return "\n".join([*lines, "", where, "On the page of your account you choose how you are told.", ""])


def _line(word: News, number: int, address: str | None) -> str:
    said = _SAID[word].format(number=number)
    return said if address is None else f"{said} {address}/submissions/{number}"
