"""Templates for reasons: kept by checkers and custodians, for everybody who decides."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from divulge.errors import NotFoundError, SpecError
from divulge.ledger import states, trail
from divulge.ledger.model import Choice, Person, ReasonTemplate

_MOST = 100  # templates in all; more than that nobody finds again
_LONGEST = 20_000


def list_templates(session: Session) -> list[ReasonTemplate]:
    return list(session.scalars(select(ReasonTemplate).order_by(ReasonTemplate.choice, ReasonTemplate.title)))


def add_template(session: Session, by: Person, choice: str, title: str, text: str) -> ReasonTemplate:
    """Keep a reason for others to start from."""
    states.Rights(by).check_keep_reasons()
    said, named = text.replace("\0", "").strip(), title.strip()
    if choice not in set(Choice):
        raise SpecError(f"a reason is for one of: {', '.join(Choice)}.", where="choice")
    if not named or len(named) > 100 or not named.isprintable():
        raise SpecError("a title of 1 to 100 characters is needed.", where="title")
    if not said or len(said) > _LONGEST:
        raise SpecError(f"a text of 1 to {_LONGEST:,} characters is needed.", where="text")
    if session.scalars(select(func.count()).select_from(ReasonTemplate)).one() >= _MOST:
        raise SpecError(f"there are {_MOST} already.", where="title", hint="Remove one that nobody uses.")
    made = ReasonTemplate(choice=Choice(choice), title=named, text=said)
    session.add(made)
    session.flush()
    trail.append(session, by.name, "add", "reason", made.id, {"title": named, "digest": trail.digest(said)})
    return made


def remove_template(session: Session, by: Person, template_id: int) -> None:
    states.Rights(by).check_keep_reasons()
    found = session.get(ReasonTemplate, template_id)
    if found is None:
        raise NotFoundError("there is no such template.")
    session.delete(found)
    session.flush()
    trail.append(session, by.name, "remove", "reason", template_id, {"title": found.title})
