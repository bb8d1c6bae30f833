"""The dashboard: one file for each page. Plain forms; what cannot be undone is asked about first."""
