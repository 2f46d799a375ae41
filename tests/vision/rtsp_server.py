"""A real RTSP server (GStreamer's), run by Debian's Python; without a port it only reports whether it could."""
# mypy: ignore-errors

import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402

Gst.init(None)
PIPELINE = (
    "( videotestsrc is-live=true pattern=ball ! video/x-raw,format=I420,width=320,height=240,framerate=10/1 ! jpegenc "
    "! rtpjpegpay name=pay0 )"
)
if not all(Gst.ElementFactory.find(name) for name in ("videotestsrc", "jpegenc", "rtpjpegpay")):
    sys.exit(1)
if len(sys.argv) > 1:
    server = GstRtspServer.RTSPServer.new()
    server.set_address("127.0.0.1")
    server.set_service(sys.argv[1])
    factory = GstRtspServer.RTSPMediaFactory.new()
    factory.set_launch(PIPELINE)
    factory.set_shared(shared=True)
    server.get_mount_points().add_factory("/table", factory)
    if not server.attach(None):
        sys.exit(1)
    sys.stdout.write("serving\n")
    sys.stdout.flush()
    GLib.MainLoop().run()
