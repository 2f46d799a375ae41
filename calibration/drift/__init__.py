"""Detection of camera movement since calibration."""
