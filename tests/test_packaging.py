"""What is built: four packages with their data, whose names belong to nobody else."""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.kit.processes import free_port
from tests.kit.sources import PACKAGES, ROOT, sources

VERSION = importlib.metadata.version("curlew")
BUILT_FROM = ("setup.cfg", "pyproject.toml", "README.md", *PACKAGES)

WORKERS = "dask"
"""What is installed besides where steps run on other hosts; no module of it is loaded elsewhere."""


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


def test_all_imported_packages_are_installed_with_the_wheel() -> None:
    needed = map(Requirement, importlib.metadata.requires("curlew") or [])
    installed = {
        canonicalize_name(need.name)
        for need in needed
        if need.marker is None or need.marker.evaluate({"extra": WORKERS})
    }
    having = importlib.metadata.packages_distributions()
    names = {name.partition(".")[0] for source in sources(*PACKAGES) for name in source.imports()}
    foreign = names - sys.stdlib_module_names - set(PACKAGES)
    assert [name for name in foreign if not installed & set(map(canonicalize_name, having[name]))] == []


@pytest.fixture(scope="module")
def unpacked(wheel: zipfile.ZipFile, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as pip lays it down, beside nothing of the checkout."""
    target = tmp_path_factory.mktemp("unpacked")
    wheel.extractall(target)
    return target


@pytest.mark.podman
def test_the_wheel_serves_and_examines_itself_outside_of_a_checkout(unpacked: Path, tmp_path: Path) -> None:
    others = {name: word for name, word in os.environ.items() if not name.startswith("CURLEW_")}
    environ = {**others, "PYTHONPATH": str(unpacked), "CURLEW_DATA": str(tmp_path / "var")}
    curlew = [sys.executable, "-P", "-m", "handlers"]
    there = {"cwd": tmp_path, "env": environ, "text": True}
    serve = [*curlew, "serve", "--bind", f"127.0.0.1:{free_port()}"]
    with subprocess.Popen(serve, stdout=subprocess.PIPE, **there) as service:
        try:
            assert service.stdout and service.stdout.readline() == f"curlew {VERSION} ready\n"
            where = "import handlers; print(handlers.__file__)"
            found = subprocess.check_output([sys.executable, "-P", "-c", where], **there)
            assert Path(found.strip()).is_relative_to(unpacked)
            done = subprocess.run([*curlew, "doctor", "--json"], capture_output=True, check=False, **there)
            checks = {check["name"]: check for check in json.loads(done.stdout)}
            assert [name for name, check in checks.items() if not check["ok"]] == []
            assert checks["curlew"]["detail"] == VERSION
        finally:
            service.terminate()


def test_no_setup_script_and_no_second_metadata() -> None:
    assert not Path(ROOT / "setup.py").exists()
    assert "[project]" not in (ROOT / "pyproject.toml").read_text()
