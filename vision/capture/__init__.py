"""Cameras, each in its own process, so that no driver can block or crash the table.

``camera`` is the interface, ``opencv`` and ``pi`` are the two kinds; ``liveness`` finds black and frozen pictures;
``child`` is the capture process, ``isolated`` supervises it, ``counters`` counts. ``sources`` opens any source.
"""

from vision.capture.camera import Camera, CameraSettings, CaptureError, Shot
from vision.capture.child import Resume
from vision.capture.counters import CaptureStatistics
from vision.capture.frame import BadFrame, Frame, FrameResult, FrameSource, SourceError
from vision.capture.isolated import CaptureTimeouts, IsolatedSource
from vision.capture.opencv import OpenCvCamera
from vision.capture.pi import PiCamera

__all__ = [
    "BadFrame",
    "Camera",
    "CameraSettings",
    "CaptureError",
    "CaptureStatistics",
    "CaptureTimeouts",
    "Frame",
    "FrameResult",
    "FrameSource",
    "IsolatedSource",
    "OpenCvCamera",
    "PiCamera",
    "Resume",
    "Shot",
    "SourceError",
]
