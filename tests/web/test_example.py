"""The example of the submission forms: offered for the demonstration's own data, whatever other data are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from divulge.ledger.model import Dataset
from tests.support.service import Service

OFFER = "/submit/spec?example=cps"


@pytest.mark.parametrize("is_the_demonstrations", [True, False])
def test_example_is_offered_for_the_demonstrations_data_alone(service: Service, is_the_demonstrations: bool) -> None:
    folder = service.ledger.store.demo_folder if is_the_demonstrations else Path("/elsewhere")
    with service.ledger.writing() as session:
        dataset = session.get_one(Dataset, service.dataset)
        dataset.name, dataset.path = "cps", str((folder / "cps.csv").absolute())
    page = service.client("rosa").get("/submit/spec")
    assert (OFFER in page.text) is is_the_demonstrations
