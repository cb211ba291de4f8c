"""Other systems in which outputs are checked: how each is told a verdict, and how a decision of theirs is read."""

from divulge.web.hooks import airlock, five_safes_tes, sacro_viewer
from divulge.web.hooks.hook import Hook

HOOKS: tuple[Hook, ...] = (airlock.HOOK, sacro_viewer.HOOK, five_safes_tes.HOOK)

__all__ = ["HOOKS"]
