"""The program itself: Python, libraries, its own files and its models."""

from __future__ import annotations

import platform
import sys
from importlib import metadata
from typing import TYPE_CHECKING, Final

from packaging.requirements import Requirement

from service.monitor.doctor.finding import Finding, fail, warn, well
from service.ops.code import ROOT, SEAL, code_state
from vision.networks.model_card import ModelError, card_path, read_card, sha256_of
from vision.networks.runtime import default_weights

if TYPE_CHECKING:
    from pathlib import Path

LEAST_PYTHON: Final = (3, 11)
_TOLD_AT_MOST: Final = 5


def python(version: tuple[int, ...] = sys.version_info[:3]) -> Finding:
    """Whether this Python is new enough."""
    told = f"{platform.python_implementation()} {'.'.join(map(str, version))} on {platform.machine()}"
    if version < LEAST_PYTHON:
        return fail("python", told, "Houseway needs Python 3.11 or later: install it and make the environment anew")
    return well("python", told)


def libraries(distribution: str = "houseway") -> Finding:
    """Whether the libraries are those that the program asks for."""
    try:
        asked = [Requirement(text) for text in metadata.requires(distribution) or ()]
    except metadata.PackageNotFoundError:
        return warn("libraries", f"{distribution} is not installed here", "run `make run`, which installs it")
    wrong = []
    needed = [one for one in asked if one.marker is None or one.marker.evaluate({"extra": ""})]
    for one in needed:
        try:
            found = metadata.version(one.name)
        except metadata.PackageNotFoundError:
            wrong.append(f"{one.name} is missing")
            continue
        if not one.specifier.contains(found, prereleases=True):
            wrong.append(f"{one.name} is {found}, {one.specifier} is needed")
    if wrong:
        return fail(
            "libraries", "; ".join(wrong), "install the locked ones: pip install --require-hashes -r requirements.lock"
        )
    return well("libraries", f"{len(needed)} as needed; OpenCV {metadata.version('opencv-python')}")


def code(root: Path = ROOT) -> Finding:
    """Whether the program's files are those that were installed."""
    state = code_state(root)
    told = f"code sha256:{state.sha256[:16]}"
    if state.differing:
        names = ", ".join(state.differing[:_TOLD_AT_MOST])
        more = len(state.differing) - _TOLD_AT_MOST
        return fail(
            "code",
            f"{told}: not as installed: {names}{f' and {more} more' if more > 0 else ''}",
            "install again, or, if the change is meant, write the list anew: python -m service.ops.code > code.sha256",
        )
    if not state.sealed:
        return well("code", f"{told}, with no {SEAL} to compare with, as `make install-pi` writes it")
    return well("code", f"{told}, as installed")


def models(weights: Path | None = None) -> Finding:
    """Whether the models are the files that their cards describe."""
    folder = weights or default_weights()
    found = sorted(folder.glob("*.onnx"))
    if not found:
        return fail("models", f"{folder} holds no model", "restore them (git checkout models/weights)")
    told = []
    for path in found:
        try:
            card = read_card(card_path(path))
            sha256 = sha256_of(path)
        except (ModelError, OSError) as error:
            return fail("models", str(error), "restore model and card from one revision (git checkout models/weights)")
        if sha256 != card.sha256:
            return fail(
                "models",
                f"{path} has sha256 {sha256[:12]}, its card says {card.sha256[:12]}",
                "restore model and card from one revision (git checkout models/weights)",
            )
        told.append(f"{card.name} {sha256[:8]}")
    return well("models", ", ".join(told))
