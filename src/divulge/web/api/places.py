"""Projects and datasets by program."""

from __future__ import annotations

from fastapi import APIRouter, Request

from divulge.ledger import queries, states
from divulge.ledger.datasets import get_dataset
from divulge.web.access import Id, SignedIn, ledger_of
from divulge.web.api.shapes import DatasetLedger, DatasetShape, EventShape, ProjectShape
from divulge.web.views.datasets import events_of, same_people

router = APIRouter(tags=["projects and datasets"])


@router.get("/projects", name="projects")
def _projects(request: Request, visitor: SignedIn) -> list[ProjectShape]:
    """Projects: a researcher's own, everybody else's all."""
    with ledger_of(request).reading() as session:
        found = queries.list_projects(session, visitor.person, per_page=500).items
        return [ProjectShape.model_validate(p) for p in found]


@router.get("/datasets", name="datasets")
def _datasets(request: Request, visitor: SignedIn) -> list[DatasetShape]:
    """Datasets that outputs can be about, with the names of their variables."""
    with ledger_of(request).reading() as session:
        found = queries.list_datasets(session, visitor.person, per_page=500).items
        return [DatasetShape.model_validate(d) for d in found]


@router.get("/datasets/{dataset_id}/ledger", name="ledger")
def _ledger(request: Request, visitor: SignedIn, dataset_id: Id) -> DatasetLedger:
    """Everything that was released about the people of a dataset, and the risk of it together: for checkers."""
    states.Rights(visitor.person).check_see_ledger()
    with ledger_of(request).reading() as session:
        found = get_dataset(session, dataset_id)
        events = events_of(session, [d.id for d in same_people(session, found)])
        return DatasetLedger(
            id=found.id,
            name=found.name,
            collection=found.collection,
            rows=found.rows,
            fingerprint=found.fingerprint,
            releases=[EventShape.model_validate(e) for e in events],
        )
