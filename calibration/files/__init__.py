"""Calibration files: read strictly, written sealed."""
