"""ROOM. Other systems in which outputs are checked: how each is told a verdict, and how its decisions are read."""

from divulge.web.hooks.airlock import Airlock
from divulge.web.hooks.five_safes_tes import FiveSafesTes
from divulge.web.hooks.hook import Hook
from divulge.web.hooks.sacro_viewer import SacroViewer

HOOKS: tuple[Hook, ...] = (Airlock(), SacroViewer(), FiveSafesTes())

__all__ = ["HOOKS"]
