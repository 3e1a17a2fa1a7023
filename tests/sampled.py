"""What runs on two databases: `--sampled` leaves a quarter of it on the second, another with each commit."""

from __future__ import annotations

import subprocess
import zlib
from pathlib import Path

import pytest

QUARTERS = 4


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the wish."""
    parser.addoption(
        "--sampled", action="store_true", help="of tests marked `sampled`, only the quarter of this commit"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Tell what the mark means."""
    config.addinivalue_line("markers", "sampled: `--sampled` runs a quarter of these; `make soak` runs all")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what belongs to other commits."""
    if not config.getoption("--sampled"):
        return
    commit = _commit()
    others = [item for item in items if item.get_closest_marker("sampled") and not _chosen(commit, item)]
    config.hook.pytest_deselected(items=others)
    left_out = set(others)
    items[:] = [item for item in items if item not in left_out]


def _chosen(commit: str, item: pytest.Item) -> bool:
    return zlib.crc32(f"{commit} {item.nodeid}".encode()) % QUARTERS == 0


def _commit() -> str:
    """The commit of the tree; without git, or without a repository, the same word each time."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, text=True, capture_output=True, check=False).stdout.strip()
    except OSError:
        return ""
