"""An assessment: plan -> splits/ -> statistics/ -> decision -> record. An assessment file in, a record out."""

from divulge.assess.conduct import Assessed, assess
from divulge.assess.earlier import Candidate
from divulge.assess.plan import Plan, plan
from divulge.assess.splits.runner import Listener, Step

__all__ = ["Assessed", "Candidate", "Listener", "Plan", "Step", "assess", "plan"]
