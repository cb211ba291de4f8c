"""What a verdict rests on."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Empty for what was assessed before: it is assessed again before it is released.
    for name in ("jobs", "assessments"):
        op.add_column(name, sa.Column("basis", sa.JSON(none_as_null=True), nullable=True))


def downgrade() -> None:
    for name in ("jobs", "assessments"):
        op.drop_column(name, "basis")
