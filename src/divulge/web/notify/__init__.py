"""Telling people and programs that something happened: by e-mail and by a webhook, in words that anybody may read."""

from divulge.web.notify.sender import Notifier
from divulge.web.notify.ways import Mail, Webhook, read_mail, read_webhook

__all__ = ["Mail", "Notifier", "Webhook", "read_mail", "read_webhook"]
