"""ROOM. Ways to use a release beside the look-up in synthetic rows, one a file. A new attack is a file and a line."""

from divulge.attacks.attack import Attack, Submitted
from divulge.attacks.held import MoreThanPeople
from divulge.attacks.model import ModelItself
from divulge.attacks.moments import MomentsOfFew
from divulge.attacks.responses import Responses
from divulge.attacks.sums import SumsTogether
from divulge.attacks.withheld import WithheldTried

ATTACKS: tuple[type[Attack], ...] = (ModelItself, Responses, SumsTogether, WithheldTried, MoreThanPeople, MomentsOfFew)
"""Every attack, in the order in which their findings are told."""

__all__ = ["ATTACKS", "Attack", "Submitted"]
