"""The container image has what the program needs, and what the installer installs."""

import re
import tomllib

import yaml  # type: ignore[import-untyped]

from tests.conftest import ROOT

CONTAINERFILE = (ROOT / "deploy" / "Containerfile").read_text()


def test_the_image_has_every_package_of_the_program() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = {each.removesuffix("*") for each in pyproject["tool"]["setuptools"]["packages"]["find"]["include"]}
    copied = set(re.findall(r"^COPY (\w+) \1$", CONTAINERFILE, re.MULTILINE))
    assert copied == packages | {"config"}
    compiled = re.search(r"compileall -q ([\w ]+)", CONTAINERFILE)
    assert compiled is not None
    assert set(compiled[1].split()) == packages


def test_the_image_has_the_libraries_that_the_installer_installs() -> None:
    installer = (ROOT / "deploy" / "install-pi").read_text()
    libraries = set(re.findall(r"\b(?:lib(?:gl|glib|pango|pangoft|harfbuzz)[\w.-]+|fonts-[\w-]+)", installer))
    assert libraries - {"libglib2.0-0"} <= set(re.findall(r"[\w.-]+", CONTAINERFILE.split("\nFROM ")[-1]))


def test_the_composed_service_can_change_only_its_record() -> None:
    service = yaml.safe_load((ROOT / "deploy" / "compose.yml").read_text())["services"]["houseway"]
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert [each for each in service["volumes"] if not each.endswith(":ro")] == ["record:/var/lib/houseway"]
    assert "VOLUME /var/lib/houseway" in CONTAINERFILE
    assert "USER houseway" in CONTAINERFILE
