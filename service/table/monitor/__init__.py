"""Checks that every verified result depends on besides a good reading: camera, set, clock, self-test, calibration."""
