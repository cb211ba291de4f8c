"""The seals of every row that there is: from here on the audit trail covers all that a decision rests on."""

from __future__ import annotations

from alembic import op
from sqlalchemy.orm import Session

from divulge.ledger.trail import seal_everything

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with Session(op.get_bind(), join_transaction_mode="rollback_only") as session:
        seal_everything(session)
        session.commit()


def downgrade() -> None:
    # Entries are never removed, and older versions pass over what they do not know.
    pass
