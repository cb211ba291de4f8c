"""What each file is for, and decisions output by output, on the assessment that they are about."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_BEFORE = "choice IN ('release', 'refuse')"
_SINCE = "choice IN ('release', 'return', 'refuse')"
_USE = sa.Enum("figures", "supporting", "other", name="use", native_enum=False, create_constraint=True, length=20)


def upgrade() -> None:
    with op.batch_alter_table("uploads") as table:
        # What came before is for checkers: it leaves only where somebody says so.
        table.add_column(sa.Column("use", _USE, nullable=False, server_default="supporting"))
        table.add_column(sa.Column("why", sa.Text(), nullable=False, server_default=""))
    with op.batch_alter_table("decisions") as table:
        table.add_column(sa.Column("outputs", sa.JSON(none_as_null=True), nullable=False, server_default="{}"))
        table.add_column(sa.Column("files", sa.JSON(none_as_null=True), nullable=False, server_default="[]"))
        table.drop_constraint(op.f("uq_decisions_submission_id_person_id"), type_="unique")
        table.create_unique_constraint(
            op.f("uq_decisions_submission_id_person_id_assessment_id"), ["submission_id", "person_id", "assessment_id"]
        )
        table.drop_constraint(op.f("ck_decisions_choice"), type_="check")
        table.create_check_constraint(op.f("ck_decisions_choice"), sa.text(_SINCE))


def downgrade() -> None:
    with op.batch_alter_table("decisions") as table:
        table.drop_constraint(op.f("ck_decisions_choice"), type_="check")
        table.create_check_constraint(op.f("ck_decisions_choice"), sa.text(_BEFORE))
        table.drop_constraint(op.f("uq_decisions_submission_id_person_id_assessment_id"), type_="unique")
        table.create_unique_constraint(op.f("uq_decisions_submission_id_person_id"), ["submission_id", "person_id"])
        table.drop_column("files")
        table.drop_column("outputs")
    with op.batch_alter_table("uploads") as table:
        table.drop_constraint(op.f("ck_uploads_use"), type_="check")
        table.drop_column("why")
        table.drop_column("use")
