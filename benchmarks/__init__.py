"""Ratios measured side by side in one run. `python -m benchmarks` runs the quick ones."""
