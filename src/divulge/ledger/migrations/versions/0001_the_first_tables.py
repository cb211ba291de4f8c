"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "datasets",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("collection", sa.String(length=200), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("schema", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("settings", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("rows", sa.Integer(), nullable=False),
        sa.Column("variables", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_datasets")),
        sa.UniqueConstraint("fingerprint", name=op.f("uq_datasets_fingerprint")),
        sa.UniqueConstraint("name", name=op.f("uq_datasets_name")),
    )
    op.create_index(op.f("ix_datasets_collection"), "datasets", ["collection"])

    op.create_table(
        "log_in_attempts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=150), nullable=False),
        sa.Column("address", sa.String(length=60), nullable=False),
        sa.Column("succeeded", sa.Boolean(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_log_in_attempts")),
    )
    op.create_index("ix_log_in_attempts_address_at", "log_in_attempts", ["address", "at"])
    op.create_index("ix_log_in_attempts_name_at", "log_in_attempts", ["name", "at"])

    op.create_table(
        "people",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=150), nullable=False),
        sa.Column("full_name", sa.String(length=200), nullable=False),
        sa.Column(
            "role",
            sa.Enum(
                "researcher",
                "checker",
                "custodian",
                "administrator",
                name="role",
                native_enum=False,
                create_constraint=True,
                length=20,
            ),
            nullable=False,
        ),
        sa.Column("password_hash", sa.String(length=300), nullable=True),
        sa.Column("proxy_name", sa.String(length=300), nullable=True),
        sa.Column("must_change_password", sa.Boolean(), nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people")),
        sa.UniqueConstraint("name", name=op.f("uq_people_name")),
        sa.UniqueConstraint("proxy_name", name=op.f("uq_people_proxy_name")),
    )
    op.create_table(
        "projects",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("checkers_needed", sa.Integer(), nullable=False),
        sa.Column("is_open", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("checkers_needed >= 1", name=op.f("ck_projects_checkers")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_projects")),
        sa.UniqueConstraint("name", name=op.f("uq_projects_name")),
    )
    op.create_table(
        "trail",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("person", sa.String(length=150), nullable=False),
        sa.Column("action", sa.String(length=40), nullable=False),
        sa.Column("subject", sa.String(length=40), nullable=False),
        sa.Column("subject_id", sa.Integer(), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("previous", sa.String(length=64), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_trail")),
        sa.UniqueConstraint("hash", name=op.f("uq_trail_hash")),
    )
    op.create_index("ix_trail_subject", "trail", ["subject", "subject_id", "number"])

    op.create_table(
        "trail_head",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_trail_head_one_row")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trail_head")),
    )
    op.create_table(
        "memberships",
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_memberships_person_id")),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_memberships_project_id")),
        sa.PrimaryKeyConstraint("project_id", "person_id", name=op.f("pk_memberships")),
    )
    op.create_index(op.f("ix_memberships_person_id"), "memberships", ["person_id"])

    op.create_table(
        "sessions",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("csrf_secret", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_sessions_person_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_sessions")),
    )
    op.create_index(op.f("ix_sessions_expires_at"), "sessions", ["expires_at"])
    op.create_index(op.f("ix_sessions_person_id"), "sessions", ["person_id"])

    op.create_table(
        "submissions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("author_id", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(length=300), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("origin", sa.String(length=20), nullable=False),
        sa.Column(
            "state",
            sa.Enum(
                "submitted",
                "assessing",
                "ready",
                "released",
                "returned",
                "refused",
                name="state",
                native_enum=False,
                create_constraint=True,
                length=20,
            ),
            nullable=False,
        ),
        sa.Column("verdict", sa.String(length=20), nullable=True),
        sa.Column("checkers_needed", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("replaces_id", sa.Integer(), nullable=True),
        sa.Column("form_token", sa.String(length=64), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("version >= 1", name=op.f("ck_submissions_version")),
        sa.ForeignKeyConstraint(["author_id"], ["people.id"], name=op.f("fk_submissions_author_id")),
        sa.ForeignKeyConstraint(["dataset_id"], ["datasets.id"], name=op.f("fk_submissions_dataset_id")),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_submissions_project_id")),
        sa.ForeignKeyConstraint(["replaces_id"], ["submissions.id"], name=op.f("fk_submissions_replaces_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submissions")),
        sa.UniqueConstraint("form_token", name=op.f("uq_submissions_form_token")),
        sa.UniqueConstraint("replaces_id", name=op.f("uq_submissions_replaces_id")),
    )
    op.create_index("ix_submissions_author_id_id", "submissions", ["author_id", "id"])
    op.create_index(op.f("ix_submissions_created_at"), "submissions", ["created_at"])
    op.create_index("ix_submissions_dataset_id_state_id", "submissions", ["dataset_id", "state", "id"])
    op.create_index("ix_submissions_project_id_id", "submissions", ["project_id", "id"])
    op.create_index("ix_submissions_state_id", "submissions", ["state", "id"])

    op.create_table(
        "assignments",
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_assignments_person_id")),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_assignments_submission_id")),
        sa.PrimaryKeyConstraint("submission_id", "person_id", name=op.f("pk_assignments")),
    )
    op.create_index(op.f("ix_assignments_person_id"), "assignments", ["person_id"])

    op.create_table(
        "comments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column(
            "audience",
            sa.Enum("everybody", "checkers", name="audience", native_enum=False, create_constraint=True, length=20),
            nullable=False,
        ),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_comments_person_id")),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_comments_submission_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comments")),
    )
    op.create_index(op.f("ix_comments_submission_id"), "comments", ["submission_id"])

    op.create_table(
        "jobs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column(
            "state",
            sa.Enum(
                "queued",
                "running",
                "done",
                "failed",
                "cancelled",
                name="state",
                native_enum=False,
                create_constraint=True,
                length=20,
            ),
            nullable=False,
        ),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("max_attempts", sa.Integer(), nullable=False),
        sa.Column("lease", sa.String(length=32), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("worker", sa.String(length=200), nullable=True),
        sa.Column("cancel_asked", sa.Boolean(), nullable=False),
        sa.Column("stage", sa.String(length=200), nullable=True),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("seconds_left", sa.Double(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_jobs_submission_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
    )
    op.create_index("ix_jobs_state_id", "jobs", ["state", "id"])
    op.create_index("ix_jobs_submission_id_id", "jobs", ["submission_id", "id"])
    op.create_index(
        "uq_jobs_active_submission",
        "jobs",
        ["submission_id"],
        unique=True,
        sqlite_where=sa.text("state IN ('queued', 'running')"),
        postgresql_where=sa.text("state IN ('queued', 'running')"),
    )

    op.create_table(
        "outputs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=300), nullable=False),
        sa.Column("kind", sa.String(length=50), nullable=False),
        sa.Column("document", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("variables", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("figures", sa.JSON(none_as_null=True), nullable=True),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_outputs_submission_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outputs")),
        sa.UniqueConstraint("submission_id", "number", name=op.f("uq_outputs_submission_id_number")),
    )
    op.create_table(
        "releases",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("manifest", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("trail_count", sa.Integer(), nullable=False),
        sa.Column("trail_hash", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_releases_person_id")),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_releases_submission_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_releases")),
        sa.UniqueConstraint("submission_id", name=op.f("uq_releases_submission_id")),
    )
    op.create_index(op.f("ix_releases_at"), "releases", ["at"])

    op.create_table(
        "uploads",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_uploads_submission_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_uploads")),
        sa.UniqueConstraint("submission_id", "name", name=op.f("uq_uploads_submission_id_name")),
    )
    op.create_table(
        "assessments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=True),
        sa.Column("verdict", sa.String(length=20), nullable=False),
        sa.Column("risk", sa.Double(), nullable=True),
        sa.Column("adds", sa.Double(), nullable=True),
        sa.Column("exposed", sa.Integer(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_assessments_job_id")),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_assessments_submission_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assessments")),
        sa.UniqueConstraint("job_id", name=op.f("uq_assessments_job_id")),
    )
    op.create_index(op.f("ix_assessments_submission_id"), "assessments", ["submission_id"])

    op.create_table(
        "decisions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("assessment_id", sa.Integer(), nullable=True),
        sa.Column(
            "choice",
            sa.Enum("release", "refuse", name="choice", native_enum=False, create_constraint=True, length=20),
            nullable=False,
        ),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["assessment_id"], ["assessments.id"], name=op.f("fk_decisions_assessment_id")),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_decisions_person_id")),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_decisions_submission_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_decisions")),
        sa.UniqueConstraint("submission_id", "person_id", name=op.f("uq_decisions_submission_id_person_id")),
    )
    op.execute(f"INSERT INTO trail_head (id, count, hash) VALUES (1, 0, '{'0' * 64}')")
    if op.get_bind().dialect.name == "sqlite":
        for verb in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER trail_no_{verb.lower()} BEFORE {verb} ON trail "
                "BEGIN SELECT RAISE(ABORT, 'the audit trail is only added to'); END"
            )
    else:
        op.execute(
            "CREATE FUNCTION trail_is_only_added_to() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'the audit trail is only added to'; END $$"
        )
        op.execute(
            "CREATE TRIGGER trail_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON trail "
            "FOR EACH STATEMENT EXECUTE FUNCTION trail_is_only_added_to()"
        )


def downgrade() -> None:
    for name in (
        "decisions",
        "assessments",
        "uploads",
        "releases",
        "outputs",
        "jobs",
        "comments",
        "assignments",
        "submissions",
        "sessions",
        "memberships",
        "trail_head",
        "trail",
        "projects",
        "people",
        "log_in_attempts",
        "datasets",
    ):
        op.drop_table(name)
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION trail_is_only_added_to()")
