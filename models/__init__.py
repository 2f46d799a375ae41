"""Training of the detector and the classifiers; the only place that imports torch."""

import vision as vision  # it must come before onnxruntime, whose telemetry it switches off
