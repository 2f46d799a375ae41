"""From pixels to the tiles, dice and markers on the table."""

import os

# ONNX Runtime 1.29 and later sends telemetry to its maker, with an identifier of the machine, unless this is set before
# its import. Nothing leaves a table but what its settings name.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
