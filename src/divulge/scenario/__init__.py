"""Who attacks: keys, target, what is known, and the score of a person; once for everybody."""

from divulge.scenario.knowledge import Knowledge, Knows
from divulge.scenario.scenario import EVERY, Scenario, granted_by, place_of
from divulge.scenario.score import Lookup, Matches

__all__ = ["EVERY", "Knowledge", "Knows", "Lookup", "Matches", "Scenario", "granted_by", "place_of"]
