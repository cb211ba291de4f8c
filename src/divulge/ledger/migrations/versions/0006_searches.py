"""Searches for changes that make a submission safe."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_STATES = ("queued", "running", "done", "failed", "cancelled")


def upgrade() -> None:
    state = sa.Enum(*_STATES, name="state", native_enum=False, create_constraint=True, length=20)
    op.create_table(
        "searches",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("state", state, nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("lease", sa.String(length=32), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("found", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("offered", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_searches_person_id")),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_searches_submission_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_searches")),
        sa.UniqueConstraint("submission_id", name=op.f("uq_searches_submission_id")),
    )
    op.create_index(op.f("ix_searches_state"), "searches", ["state"])


def downgrade() -> None:
    op.drop_table("searches")
