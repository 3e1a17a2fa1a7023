"""Folders in memory, for tests that write much and do not ask what a disk does.

A conftest that names both fixtures puts all tests of its folder there. Where memory is short or runs no
programs, the folders are on the disk. Tests that look for files by what they lie on, or mount some, stay with
pytest's own.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit.postgres import in_memory

LONGEST = 30


class QuickFolders:
    """Makes folders, as pytest's factory does, below one that is gone at the end."""

    def __init__(self, base: Path) -> None:
        self._base = base

    def mktemp(self, basename: str, numbered: bool = True) -> Path:
        """A fresh folder."""
        if numbered:
            return Path(tempfile.mkdtemp(prefix=f"{basename}-", dir=self._base))
        made = self._base / basename
        made.mkdir(mode=0o700)
        return made


def place() -> Path | None:
    """The folder in memory; None where that has no room, or runs no programs (a hook of git is one)."""
    found = in_memory()
    return found if found and not os.statvfs(found).f_flag & os.ST_NOEXEC else None


@pytest.fixture(scope="session")
def tmp_path_factory() -> Iterator[QuickFolders]:
    """Folders that last as long as the session."""
    base = Path(tempfile.mkdtemp(prefix="curlew-quick-", dir=place()))
    yield QuickFolders(base)
    shutil.rmtree(base, ignore_errors=True)


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: QuickFolders) -> Iterator[Path]:
    """A folder of the test's own, gone with it."""
    made = tmp_path_factory.mktemp(re.sub(r"\W", "_", request.node.name)[:LONGEST])
    yield made
    shutil.rmtree(made, ignore_errors=True)
