"""The dashboard: a page a file, plain forms, and nothing that cannot be undone without asking first."""
