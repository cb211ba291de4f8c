"""Templates for reasons, and what researchers say of the context of their outputs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    choice = sa.Enum("release", "return", "refuse", name="choice", native_enum=False, create_constraint=True, length=20)
    op.create_table(
        "reason_templates",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("choice", choice, nullable=False),
        sa.Column("title", sa.String(length=100), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reason_templates")),
    )
    op.add_column("submissions", sa.Column("context", sa.JSON(none_as_null=True), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("submissions") as submissions:
        submissions.drop_column("context")
    op.drop_table("reason_templates")
