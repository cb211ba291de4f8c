"""Who comes in by what, and the words that checkers start from, are sealed like all else that a decision rests on."""

from __future__ import annotations

import pytest

from divulge.ledger import trail
from divulge.ledger.model import Identity
from divulge.ledger.verify import verify
from tests.support.service import PASSWORD, Service, post

EDITS = {
    "UPDATE api_tokens SET person_id = 3": "api_tokens is not what was written: person_id",
    "UPDATE api_tokens SET scopes = '[\"check\"]'": "api_tokens is not what was written: scopes",
    "UPDATE api_tokens SET expires_at = '2099-01-01 00:00:00'": "api_tokens is not what was written: expires_at",
    "UPDATE api_tokens SET token_hash = 'a'": "api_tokens is not what was written: token_hash",
    "DELETE FROM api_tokens": "of api_tokens was removed by nobody",
    "UPDATE identities SET person_id = 3": "identities is not what was written: person_id",
    "UPDATE identities SET subject = 'x'": "identities is not what was written: subject",
    "INSERT INTO identities (issuer, subject, person_id, created_at) VALUES ('i', 's', 3, '2026-01-01 00:00:00')": (
        "of identities was added by nobody"
    ),
    "DELETE FROM identities": "of identities was removed by nobody",
    "UPDATE reason_templates SET text = 'Fine.'": "reason_templates is not what was written: text",
    "UPDATE reason_templates SET choice = 'release'": "reason_templates is not what was written: choice",
    "DELETE FROM reason_templates": "of reason_templates was removed by nobody",
    "UPDATE people SET email = 'a@example.org' WHERE id = 3": "people is not what was written: email",
    "UPDATE people SET proxy_name = 'x' WHERE id = 3": "people is not what was written: proxy_name",
    'UPDATE submissions SET context = \'{"0": {"about": "x"}}\'': "submissions is not what was written: context",
    "UPDATE uploads SET use = 'other', why = 'x'": "uploads is not what was written: use, why",
    "UPDATE uploads SET digest = 'x'": "uploads is not what was written: digest",
}


@pytest.fixture
def filled(either: Service) -> Service:
    """With a token, a link to a provider of log-ins, a template and a submission with a file."""
    assert post(either.client("rosa"), "/account/tokens", {"name": "n", "days": "3", "password": PASSWORD}).is_success
    template = {"choice": "return", "title": "Small cells", "text": "Merge them."}
    assert post(either.client("chloe"), "/reasons", template).status_code == 303
    spec = 'outputs: [{kind: crosstab, variables: [SEX], released: {"SEX=F": 26, "SEX=M": 26}}]'
    about = {"project": either.project, "dataset": either.dataset, "title": "T", "text": spec}
    sent = post(either.client("rosa"), "/submit/spec", about, files=[("files", ("code.R", b"table(SEX)"))])
    assert sent.status_code == 303
    with either.ledger.writing() as session:
        session.add(Identity(issuer="https://log-in.example", subject="rosa", person_id=either.ids["rosa"]))
        session.flush()
        trail.append(session, "rosa", "link", "person", either.ids["rosa"])
    assert verify(either.ledger).faults == ()
    return either


@pytest.mark.parametrize("table", ["api_tokens", "identities", "reason_templates", "people", "submissions", "uploads"])
def test_every_edit_is_named(filled: Service, table: str) -> None:
    """One after another on the same ledger: what was found before is told beside what is new."""
    edits = {statement: name for statement, name in EDITS.items() if f" {table} " in f"{statement} "}
    assert edits
    for statement, name in edits.items():
        with filled.ledger.engine.execution_options(divulge_writes=True).begin() as connection:
            connection.exec_driver_sql(statement)
        found = {fault.what for fault in verify(filled.ledger).faults}
        words = name.partition("written: ")
        assert any(words[0] in one and words[2] in one for one in found), statement
