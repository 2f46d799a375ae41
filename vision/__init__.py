"""From pixels to the tiles, dice and markers on the table."""

import os

# From version 1.29 on, ONNX Runtime identifies the machine and reports on its models to its maker as soon as it is
# imported, unless this is set before. What leaves a table is named in its settings, and nothing else does.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
