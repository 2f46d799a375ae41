"""About how long a Raspberry Pi 5 would take: an approximation, not a measurement on one.

The program runs in one thread and with 128-bit registers, like a core of a Pi: environment variables turn off AVX2 and
AVX-512 in OpenCV and NumPy. onnxruntime has no such switch (https://github.com/microsoft/onnxruntime/issues/7010), so a
private copy of its library is patched to find no AVX. The same run times YOLOX-Nano's architecture at 416 x 416, for
which a time on a Pi 5 is published; the quotient is the factor between this machine and a Pi.
"""

from __future__ import annotations

import importlib.util
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

PUBLISHED_MS: Final = 1000 / 21.3
"""YOLOX-Nano, 416 x 416, onnxruntime in 32 bits on the processor of a Pi 5: 21.3 pictures a second
(https://www.visionanalysis.org/articles/ncnn-fp32-vs-onnx-fp32-rpi5, beside 30.7 with ncnn). With ncnn on a Pi 5 at 2.9
instead of 2.4 GHz others measured 34.2 (https://github.com/Qengineering/YoloX-ncnn-Raspberry-Pi-4), which agrees."""
SIDE_PX: Final = 416
KINDS: Final = 80
CORES: Final = 4
"""Cores of a Pi 5; the published figure is assumed to use all of them, onnxruntime's default."""
NETWORKS: Final = ("detect", "classify")
"""Stages of a reading that are mostly networks and use all cores; the rest is assumed to use one."""
VARIABLES: Final = {
    "OPENCV_CPU_DISABLE": "AVX,FP16,AVX2,FMA3,AVX512-SKX",
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4",
    "OPENBLAS_CORETYPE": "Nehalem",
    "OPENBLAS_NUM_THREADS": "1",
}
_HAS_AVX: Final = bytes.fromhex("f7d0 a900000018")
"""``not eax; test eax, 0x18000000`` after ``cpuid``: jumps to the code without AVX if either bit was zero."""
_ALWAYS_NO: Final = bytes.fromhex("6690 a900000018")
"""The same without ``not``: jumps if either bit is one, which is true on every processor with AVX."""


class NotNarrowError(Exception):
    """onnxruntime cannot be kept from using AVX here; the message has the reason."""


def narrow_runtime(build: Path) -> Path:
    """Return a folder with a copy of onnxruntime that uses no AVX, for the front of the path.

    Raises:
        NotNarrowError: this build of onnxruntime has other code, or is for another processor.
    """
    found = importlib.util.find_spec("onnxruntime")
    if found is None or found.origin is None:
        raise NotNarrowError("onnxruntime is not installed")
    installed, folder = Path(found.origin).parent, build / "narrow"
    libraries = list(installed.glob("capi/onnxruntime_pybind11_state*.so"))
    if len(libraries) != 1:
        raise NotNarrowError(f"{len(libraries)} libraries of onnxruntime were found in {installed}, not one")
    program = narrowed(libraries[0].read_bytes())
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(installed, folder / "onnxruntime", ignore=shutil.ignore_patterns("*.so.*", "tools", "transformers"))
    (folder / "onnxruntime" / "capi" / libraries[0].name).write_bytes(program)
    return folder


def narrowed(program: bytes) -> bytes:
    """Return the library patched to find no AVX."""
    if not 1 <= program.count(_HAS_AVX) <= 8:
        raise NotNarrowError("this build of onnxruntime asks for AVX in another way")
    return program.replace(_HAS_AVX, _ALWAYS_NO)


@dataclass(frozen=True, slots=True)
class PiTime:
    """Estimated time of a Pi 5 in milliseconds, between ``low_ms`` and ``high_ms``, without other load."""

    low_ms: float
    high_ms: float


def approximated(stages: Mapping[str, float], whole_ms: float, network_ms: float) -> PiTime:
    """Scale a run in one thread here to a Pi.

    The published figure is of a network on up to four cores. At best the entire reading gains from them; at worst only
    its networks do, and the rest takes four times as long.

    Args:
        stages: milliseconds of each stage here.
        whole_ms: of the entire reading here.
        network_ms: of YOLOX-Nano's architecture here.
    """
    factor = PUBLISHED_MS / network_ms
    networks_ms = min(sum(stages.get(stage, 0.0) for stage in NETWORKS), whole_ms)
    return PiTime(factor * whole_ms, factor * (networks_ms + CORES * (whole_ms - networks_ms)))
