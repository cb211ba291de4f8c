"""One letter by SMTP, to the mail server that an administrator has named."""

from __future__ import annotations

import smtplib
import ssl
from email.message import EmailMessage
from email.utils import formatdate, make_msgid

from divulge.web.notify.news_text import SUBJECT
from divulge.web.notify.ways import Mail

_SECONDS = 20.0  # for each answer of the server
_TLS_PORT = 465


def send_letter(mail: Mail, to: str, text: str) -> None:
    """Send it, or raise OSError or SMTPException."""
    letter = EmailMessage()
    letter["From"], letter["To"], letter["Subject"] = mail.sender, to, SUBJECT
    letter["Date"], letter["Message-ID"] = formatdate(), make_msgid(domain=mail.sender.rpartition("@")[2])
    # No answer of a machine to a machine (RFC 3834).
    letter["Auto-Submitted"] = "auto-generated"
    letter.set_content(text)
    with _open(mail) as server:
        if mail.user is not None and mail.password is not None:
            server.login(mail.user, mail.password)
        server.send_message(letter)


def _open(mail: Mail) -> smtplib.SMTP:
    if mail.port == _TLS_PORT:
        return smtplib.SMTP_SSL(mail.host, mail.port, timeout=_SECONDS, context=ssl.create_default_context())
    server = smtplib.SMTP(mail.host, mail.port, timeout=_SECONDS)
    if not mail.is_here:
        try:
            # Where the server does not offer it, this fails, and nothing is sent readable.
            server.starttls(context=ssl.create_default_context())
        except (OSError, smtplib.SMTPException):
            server.close()
            raise
    return server
