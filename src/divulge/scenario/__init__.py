"""Who attacks: keys, target, what is known; once for everybody."""

from divulge.scenario.scenario import Scenario

__all__ = ["Scenario"]
