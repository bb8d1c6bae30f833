"""Figures 1-6 of the paper: pure functions from result rows to matplotlib figures."""
