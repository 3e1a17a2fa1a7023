"""The service that transcripts are played against: the whole application on a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from handlers.app import application
from handlers.house import build
from handlers.settings import load
from tests.wire.service import Application


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Application]:
    """Curlew composed as its web process is, on SQLite, with passwords that cost nothing."""
    settings = load({}, data=str(tmp_path), password_time="1", password_memory="8")
    house = build(settings)
    yield Application(application(settings, house))
    house.close()
