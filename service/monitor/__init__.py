"""What every verified result needs beside a good reading: camera, set, clock, self-test, calibration."""
