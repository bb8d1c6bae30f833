"""Where everything is kept: the tables, the database under them, migrations, backup and audit."""
