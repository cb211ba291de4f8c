"""What the API takes and gives, as models: the names that programs rely on."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from divulge.web.access import Id


class _Closed(BaseModel):
    """What is sent to us has these fields and no others."""

    model_config = ConfigDict(extra="forbid")


class _Read(BaseModel):
    """What is told has the names of what it is read from."""

    model_config = ConfigDict(from_attributes=True)


class LogIn(_Closed):
    name: str = Field(max_length=150)
    password: str = Field(max_length=1000)


class Me(BaseModel):
    name: str
    full_name: str
    role: str
    csrf: str = Field(description="Send it with every change, in the header X-CSRF-Token.")
    must_change_password: bool


class Context(_Closed):
    about: str = Field("", max_length=5000, description="What the output is.")
    population: str = Field("", max_length=5000, description="About whom it is.")
    controls: str = Field("", max_length=5000, description="What was done to protect them.")


_Contexts = dict[Annotated[int, Field(ge=0, le=500)], Context]


class NewSubmission(_Closed):
    project: Id
    dataset: Id
    title: str = Field(min_length=1, max_length=300)
    purpose: str = Field("", max_length=20_000)
    outputs: list[dict[str, Any]] = Field(
        min_length=1, max_length=500, description="As in an assessment file; figures inline, as {label: value}."
    )
    context: _Contexts = Field(default_factory=dict, description="By the number of an output; 0 for all of them.")
    token: str | None = Field(
        None, min_length=8, max_length=64, description="Yours to choose; the same one again makes no second submission."
    )


class NewVersion(_Closed):
    title: str = Field(min_length=1, max_length=300)
    purpose: str = Field("", max_length=20_000)
    outputs: list[dict[str, Any]] = Field(min_length=1, max_length=500)
    context: _Contexts = Field(default_factory=dict)
    token: str | None = Field(None, min_length=8, max_length=64)


class NewComment(_Closed):
    text: str = Field(min_length=1, max_length=20_000)
    audience: Literal["everybody", "checkers"] = "everybody"


_Choice = Literal["release", "return", "refuse"]


class NewDecision(_Closed):
    choice: _Choice | None = Field(None, description="For all outputs; or say `outputs`.")
    outputs: dict[Annotated[int, Field(ge=1, le=500)], _Choice] | None = Field(
        None, description="For each output, by its number. The submission's is the strictest of them."
    )
    files: list[Id] = Field(
        default_factory=list, max_length=500, description="Files that were not assessed and of which you approve."
    )
    reason: str = Field(min_length=1, max_length=20_000)
    assessment: Id | None = Field(
        None, description="The assessment that you looked at. Where there is a newer one, nothing is decided."
    )


class Reason(_Closed):
    reason: str = Field(min_length=1, max_length=20_000)


class Named(_Closed):
    person: Id


class JobShape(BaseModel):
    state: str
    stage: str | None
    done: int
    total: int
    seconds_left: float | None
    words: str


class SubmissionLine(_Read):
    id: int
    title: str
    state: str
    version: int
    verdict: str | None = Field(description="Of the latest assessment; null for whoever may not see it.")
    project: str
    author: str
    dataset: str
    created_at: datetime
    changed_at: datetime
    checkers: list[str]
    decided: int = Field(description="How many checkers have decided.")
    needed: int


class SubmissionList(BaseModel):
    items: list[SubmissionLine]
    total: int
    page: int
    pages: int
    counts: dict[str, int]


class OutputShape(BaseModel):
    number: int
    name: str
    kind: str
    document: dict[str, Any]
    variables: list[str]
    made: dict[str, str] = Field(description="How variables of it were made that the data do not have, by name.")
    figures: list[dict[str, Any]] | None


class CommentShape(BaseModel):
    by: str
    at: datetime
    audience: str
    text: str


class DecisionShape(BaseModel):
    by: str
    at: datetime
    choice: str
    outputs: dict[str, str]
    files: list[int]
    reason: str


class FileShape(BaseModel):
    id: int
    name: str
    use: str = Field(
        description="figures: assessed; supporting: never leaves; other: not assessed, leaves if approved."
    )
    size: int
    sha256: str
    address: str


class SubmissionShape(BaseModel):
    id: int
    title: str
    purpose: str
    state: str
    version: int
    replaces: int | None
    replaced_by: int | None
    origin: str
    project: str
    dataset: str
    author: str
    created_at: datetime
    changed_at: datetime
    context: dict[str, dict[str, str]]
    outputs: list[OutputShape]
    files: list[FileShape]
    comments: list[CommentShape]
    job: JobShape | None
    can: dict[str, bool]
    verdict: str | None
    assessment: int | None = Field(description="The number of the latest assessment; null for whoever may not see it.")
    decisions: list[DecisionShape]
    checkers: list[str]
    needed: int
    release: str | None = Field(description="Where the released files are, as a zip.")


class VerdictShape(BaseModel):
    system: str
    verdict: str
    assessment: int = Field(description="Send it with the decision: where there is a newer one, nothing is decided.")
    document: dict[str, Any] = Field(description="As the other system takes it.")


class ProjectShape(_Read):
    id: int
    name: str
    about: str
    checkers_needed: int
    is_open: bool


class DatasetShape(_Read):
    id: int
    name: str
    variables: list[str]


class EventShape(_Read):
    at: datetime
    submission: int = Field(validation_alias="submission_id")
    title: str
    author: str
    dataset: str
    outputs: list[str]
    risk: float | None
    adds: float | None
    exposed: int


class DatasetLedger(BaseModel):
    id: int
    name: str
    collection: str
    rows: int
    fingerprint: str
    releases: list[EventShape]


class Failure(BaseModel):
    type: str
    message: str
    where: str | None
    hint: str | None


class ErrorShape(BaseModel):
    error: Failure
