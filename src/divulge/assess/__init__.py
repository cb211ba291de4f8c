"""The conductor: an assessment file in, a record out. Splits, searches, scores and their statistics."""

from divulge.assess.conduct import Assessed, assess
from divulge.assess.cumulative import Candidate
from divulge.assess.plan import Plan, plan
from divulge.assess.splits.workers import Step

__all__ = ["Assessed", "Candidate", "Plan", "Step", "assess", "plan"]
