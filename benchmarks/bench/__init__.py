"""Speed compared with another commit: ``make bench`` (docs/speed.md)."""

import vision as vision  # it must come before onnxruntime, whose telemetry it switches off
