"""Datasets belong to projects, and say which of their variables are public."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("datasets", sa.Column("public", sa.JSON(none_as_null=True), nullable=False, server_default="[]"))
    op.create_table(
        "project_datasets",
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["dataset_id"], ["datasets.id"], name=op.f("fk_project_datasets_dataset_id")),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_project_datasets_project_id")),
        sa.PrimaryKeyConstraint("project_id", "dataset_id", name=op.f("pk_project_datasets")),
    )
    op.create_index(op.f("ix_project_datasets_dataset_id"), "project_datasets", ["dataset_id"])
    # A project keeps what it has worked with; a custodian opens the rest to it.
    op.execute(
        "INSERT INTO project_datasets (project_id, dataset_id, since) "
        "SELECT project_id, dataset_id, min(created_at) FROM submissions GROUP BY project_id, dataset_id"
    )


def downgrade() -> None:
    op.drop_table("project_datasets")
    op.drop_column("datasets", "public")
