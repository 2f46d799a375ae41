"""Whether the camera still hangs where it was calibrated."""
