"""Lists by the time of a submission: its number is drawn, and no longer says what came first."""

from __future__ import annotations

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_COLUMNS = (("state",), ("author_id",), ("project_id",), ("dataset_id", "state"))


def upgrade() -> None:
    for columns in _COLUMNS:
        _replace(columns, ("id",), ("created_at", "id"))


def downgrade() -> None:
    for columns in _COLUMNS:
        _replace(columns, ("created_at", "id"), ("id",))


def _replace(columns: tuple[str, ...], old: tuple[str, ...], new: tuple[str, ...]) -> None:
    op.drop_index("_".join(("ix_submissions", *columns, *old)), "submissions", if_exists=True)
    op.create_index("_".join(("ix_submissions", *columns, *new)), "submissions", [*columns, *new], if_not_exists=True)
