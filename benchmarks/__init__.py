"""Benchmarks and attacks. Run from the repository: ``python -m benchmarks.NAME``."""
