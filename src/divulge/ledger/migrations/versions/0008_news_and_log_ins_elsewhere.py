"""Notices to people and programs, addresses of e-mail, and who people are at a provider of log-ins."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_NEWS = ("submitted", "waiting", "decided", "commented")


def upgrade() -> None:
    news = sa.Enum(*_NEWS, name="news", native_enum=False, create_constraint=True, length=20)
    op.create_table(
        "notices",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("news", news, nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_notices_person_id")),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_notices_submission_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notices")),
    )
    op.create_index("ix_notices_sent_at_due_at", "notices", ["sent_at", "due_at"])
    op.create_table(
        "identities",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("issuer", sa.String(length=300), nullable=False),
        sa.Column("subject", sa.String(length=300), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_identities_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_identities")),
        sa.UniqueConstraint("issuer", "subject", name=op.f("uq_identities_issuer_subject")),
    )
    op.create_index(op.f("ix_identities_person_id"), "identities", ["person_id"])
    op.add_column("people", sa.Column("email", sa.String(length=254), nullable=True))
    op.add_column("people", sa.Column("tell", sa.String(length=20), nullable=False, server_default="each"))


def downgrade() -> None:
    op.drop_table("identities")
    op.drop_table("notices")
    with op.batch_alter_table("people") as people:
        people.drop_column("tell")
        people.drop_column("email")
