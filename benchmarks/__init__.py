"""Measurements of Houseway, most beside an alternative. Run from the repository: ``python -m benchmarks.NAME``."""
