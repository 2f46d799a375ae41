"""Cameras, and processes of their own for them: nothing that a driver does can hold up or bring down the table.

``camera`` says what a camera is, ``opencv`` and ``pi`` are the two kinds; ``watch`` tells a black and a frozen picture;
``process`` runs in the child, ``isolated`` watches over it; ``statistics`` counts.
``vision.capture.sources.open_source`` puts them together.
"""

from vision.capture.camera import Camera, CameraSettings, CaptureError, Shot, without_password
from vision.capture.frame import BadFrame, Frame, FrameSource, Seen, SourceError
from vision.capture.isolated import IsolatedSource, Limits
from vision.capture.opencv import OpenCvCamera, VideoFile
from vision.capture.pi import PiCamera
from vision.capture.process import Resume
from vision.capture.statistics import CaptureStatistics

__all__ = [
    "BadFrame",
    "Camera",
    "CameraSettings",
    "CaptureError",
    "CaptureStatistics",
    "Frame",
    "FrameSource",
    "IsolatedSource",
    "Limits",
    "OpenCvCamera",
    "PiCamera",
    "Resume",
    "Seen",
    "Shot",
    "SourceError",
    "VideoFile",
    "without_password",
]
