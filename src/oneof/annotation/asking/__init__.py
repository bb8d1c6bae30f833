"""Asking people: questions, who holds which, what they did, and what a manager may change."""
