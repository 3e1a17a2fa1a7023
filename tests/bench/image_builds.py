"""Rows i: images of a repository with pandas, against `uv pip install` on the host in the same run."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from uv import find_uv_bin

from chains.buildbox.builder import BoxBuilder
from chains.builds.recipe import choose
from chains.engine.port import BuildOrder, Network
from chains.host.host import HostSettings, PodmanHost
from chains.package_proxy.client_config import FILES, configuration
from chains.package_proxy.package_store import PackageStore
from handlers.processes.boxes import package_index
from tests.bench.figures import Figure
from tests.kit.podman import builder_on, wipe

ROWS = ("i1", "i2", "i3")
BASE = "localhost/python:3-slim"
PROGRAM = "import pandas\n\nprint(pandas.__version__)\n"


def measure(rows: set[str], rounds: int, scratch: Path) -> Iterator[Figure]:
    """The requested rows: medians of this number of repositories, each with a separate store."""
    if not rows & set(ROWS):
        return
    with _host(scratch) as host:
        times = [_one(host, scratch / f"builds-{number}", number) for number in range(rounds)]
    first, change, more, whole, alone = (sorted(column)[rounds // 2] for column in zip(*times, strict=True))
    if "i1" in rows:
        what = "first build of a repo with pandas : uv pip install pandas on the host, nothing kept"
        yield Figure("i1", what, first, whole, "s", 1.5, is_aim=True)
    if "i2" in rows:
        yield Figure("i2", "build after a change of main.py alone", change, None, "s", 3, is_aim=True)
    if "i3" in rows:
        what = "build with one more requirement : uv pip install of both on the host, its files kept"
        yield Figure("i3", what, more, alone, "s", None)


@contextmanager
def _host(scratch: Path) -> Iterator[PodmanHost]:
    host = PodmanHost(HostSettings(folder=scratch / "builds-podman"))
    try:
        host.ensure()
        yield host
    finally:
        wipe(host)


def _one(host: PodmanHost, folder: Path, number: int) -> tuple[float, ...]:
    """Seconds of the three builds of a repository, and of two installations on the host."""
    folder.mkdir()
    store = PackageStore(folder / "store", 2 << 30)
    proxy = package_index(configuration(FILES, os.environ), os.environ, Network.OUTBOUND, store)
    builder = builder_on(host, network=Network.OUTBOUND, proxies=[proxy] if proxy else [])
    marks = count()
    try:

        def build(*packages: str) -> float:
            context = folder / f"context-{next(marks)}"
            context.mkdir()
            (context / "main.py").write_text(f"{PROGRAM}# {context.name}\n")
            (context / "requirements.txt").write_text("\n".join(packages))
            return _built(builder, context, 1_000 + number)

        return (
            build("pandas"),
            build("pandas"),
            build("pandas", "openpyxl"),
            _installed(folder / "whole", "--no-cache", "pandas"),
            _installed(folder / "more", "--cache-dir", str(folder / "cache"), "pandas", warm=True),
        )
    finally:
        builder.close()


def _built(builder: BoxBuilder, context: Path, repo: int) -> float:
    began = time.perf_counter()
    recipe = choose(context, BASE)
    (context / recipe.path).write_text(recipe.text)
    builder.build(
        BuildOrder(repo, context, recipe.path, f"localhost/bench/{repo}:main", {}), lambda line: None
    )
    return time.perf_counter() - began


def _installed(target: Path, *words: str, warm: bool = False) -> float:
    """Seconds of an installation on the host; a `warm` one has all files but those of openpyxl."""
    command = [find_uv_bin(), "pip", "install", "--quiet", "--compile-bytecode", "--target", str(target)]
    if warm:
        subprocess.run([*command, *words], check=True)
        shutil.rmtree(target)
        words = (*words, "openpyxl")
    began = time.perf_counter()
    subprocess.run([*command, *words], check=True)
    return time.perf_counter() - began
