"""Calibration files: strictly validated, written with a seal."""
