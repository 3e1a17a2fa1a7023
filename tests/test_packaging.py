"""What is built: four packages with their data, whose names belong to nobody else."""

from __future__ import annotations

import importlib.metadata
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.kit.sources import PACKAGES, ROOT

BUILT_FROM = ("setup.cfg", "pyproject.toml", "README.md", *PACKAGES)


def files_of_the_packages() -> set[str]:
    paths = [path for package in PACKAGES for path in (ROOT / package).rglob("*") if path.is_file()]
    return {str(path.relative_to(ROOT)) for path in paths if "__pycache__" not in path.parts}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    source, built = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in BUILT_FROM:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, source / name)
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--wheel-dir", str(built)]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, str(source)], check=True)
    return zipfile.ZipFile(next(built.glob("curlew-*.whl")))


def test_the_wheel_holds_the_four_packages_whole(wheel: zipfile.ZipFile) -> None:
    held = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert held == files_of_the_packages()
    assert {f"{package}/py.typed" for package in PACKAGES} <= held


def test_the_wheel_gives_the_command(wheel: zipfile.ZipFile) -> None:
    entry = next(name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    assert "curlew = handlers.__main__:main" in wheel.read(entry).decode()


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_name_belongs_to_curlew_alone(package: str) -> None:
    assert set(importlib.metadata.packages_distributions()[package]) == {"curlew"}


def test_podman_is_installed_for_the_runner_only() -> None:
    needed = importlib.metadata.requires("curlew") or []
    assert [text for text in needed if text.startswith("podman") and "extra ==" not in text] == []


def test_no_setup_script_and_no_second_metadata() -> None:
    assert not Path(ROOT / "setup.py").exists()
    assert "[project]" not in (ROOT / "pyproject.toml").read_text()
