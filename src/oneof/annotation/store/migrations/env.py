"""Alembic's entry: the connection comes from `oneof.annotation.store.upgrading`, so there is no ini file to keep."""

from alembic import context

from oneof.annotation.store.schema import metadata

# Tools that import every module (doctest, documentation) come by here too, when no migration is running.
config = getattr(context, "config", None)
if config is not None:
    context.configure(connection=config.attributes["connection"], target_metadata=metadata, render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()
