"""A room where mails come in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from handlers.settings.sources import load
from tests.handlers.household import Household
from tests.handlers.mail.inbound.mail_room import MailRoom


@pytest.fixture
def room(tmp_path: Path) -> Iterator[MailRoom]:
    household = Household(load({}, data=str(tmp_path), synchronous="normal"))
    yield MailRoom(household)
    household.house.close()
