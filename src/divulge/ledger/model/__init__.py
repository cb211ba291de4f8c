"""The tables of the ledger. Nothing here decides: who may do what is in `divulge.ledger.states`."""

from divulge.ledger.model.base import Base, utc_now
from divulge.ledger.model.jobs import ACTIVE, Job, JobState
from divulge.ledger.model.notices import Identity, News, Notice
from divulge.ledger.model.people import ApiToken, BrowserSession, LogInAttempt, Membership, Person, Project, Role
from divulge.ledger.model.reasons import ReasonTemplate
from divulge.ledger.model.searches import Search
from divulge.ledger.model.submissions import (
    Assignment,
    Audience,
    CheckerDecision,
    Choice,
    Comment,
    Dataset,
    ProjectDataset,
    Release,
    State,
    StoredAssessment,
    Submission,
    SubmittedOutput,
    Upload,
    Use,
)
from divulge.ledger.model.trail import TrailEntry, TrailHead

__all__ = [
    "ACTIVE",
    "ApiToken",
    "Assignment",
    "Audience",
    "Base",
    "BrowserSession",
    "CheckerDecision",
    "Choice",
    "Comment",
    "Dataset",
    "Identity",
    "Job",
    "JobState",
    "LogInAttempt",
    "Membership",
    "News",
    "Notice",
    "Person",
    "Project",
    "ProjectDataset",
    "ReasonTemplate",
    "Release",
    "Role",
    "Search",
    "State",
    "StoredAssessment",
    "Submission",
    "SubmittedOutput",
    "TrailEntry",
    "TrailHead",
    "Upload",
    "Use",
    "utc_now",
]
