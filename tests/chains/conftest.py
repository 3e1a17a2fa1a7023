"""What tests of chains leave open is closed after each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.kit.runner import OPENED


@pytest.fixture(autouse=True)
def _closed_databases() -> Iterator[None]:
    yield
    while OPENED:
        OPENED.pop().close()
