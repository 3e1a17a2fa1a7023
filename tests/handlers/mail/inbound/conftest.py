"""A world that accepts mails."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from handlers.settings.sources import load
from tests.handlers.mail.inbound.mail_world import MailWorld
from tests.handlers.service_world import ServiceWorld


@pytest.fixture
def mail_world(tmp_path: Path) -> Iterator[MailWorld]:
    service_world = ServiceWorld(load({}, data=str(tmp_path), synchronous="normal"))
    yield MailWorld(service_world)
    service_world.live_world.close()
