"""Alembic's entry: the connection comes from `oneof.annotation.upgrading`, so there is no ini file to keep."""

from alembic import context

from oneof.annotation.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
