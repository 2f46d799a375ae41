"""The bill of materials of a release names everything that an installation gets, with hashes and licences."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from service import __version__

ROOT = Path(__file__).resolve().parents[1]
STRONG = re.compile(r"\bA?GPL|\bSSPL|not stated", re.IGNORECASE)


@pytest.mark.slow
def test_every_locked_package_and_model_is_in_it() -> None:
    subprocess.run([sys.executable, ".ci/sbom"], cwd=ROOT, check=True, capture_output=True)
    bill = json.loads((ROOT / "build" / f"houseway-{__version__}.cdx.json").read_text())
    assert (bill["bomFormat"], bill["metadata"]["component"]["name"]) == ("CycloneDX", "houseway")
    found = {(each["type"], each["name"], each["version"]) for each in bill["components"]}
    locked = re.findall(r"^([a-z0-9-]+)==(\S+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    assert {("library", name, version) for name, version in locked} <= found
    assert {name for kind, name, _ in found if kind == "machine-learning-model"} == {
        path.stem for path in (ROOT / "models/weights").glob("*.onnx")
    }
    for each in bill["components"]:
        licence = json.dumps(each["licenses"])
        assert not STRONG.search(licence), (each["name"], licence)
        hashes = each.get("hashes") or each["externalReferences"][0]["hashes"]
        assert all(len(one["content"]) == 64 for one in hashes)
