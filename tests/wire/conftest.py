"""The service that transcripts are played against: the whole application on a folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.wire.service import Application


@pytest.fixture
def service(tmp_path: Path) -> Application:
    """Curlew composed as its web process is, on SQLite, with passwords that cost nothing."""
    from handlers.app import application
    from handlers.settings import load

    settings = load({}, data=str(tmp_path), password_time="1", password_memory="8")
    return Application(application(settings))
