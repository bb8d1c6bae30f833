"""Migrations make exactly the schema that the code uses."""

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from oneof.annotation.store.schema import metadata
from oneof.annotation.store.upgrading import MIGRATIONS, holds_project, upgrade


def test_the_migrations_make_the_schema(world):
    with world.database.read() as connection:
        context = MigrationContext.configure(connection)
        assert context.get_current_revision() == max(path.name[:4] for path in MIGRATIONS.glob("versions/0*.py"))
        assert compare_metadata(context, metadata) == []


def test_upgrading_again_changes_nothing(world):
    upgrade(world.database)
    assert holds_project(world.database)
