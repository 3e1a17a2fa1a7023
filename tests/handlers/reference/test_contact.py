"""Where flaws are reported is told to anyone who looks where RFC 9116 says."""

from pathlib import Path as Folder

import pytest

from handlers.processes.web import application
from handlers.processes.world import build
from handlers.settings.sources import load
from tests.kit.client import Answer, call


def told(folder: Folder, contact: str) -> Answer:
    """The file of a service whose operator has set this contact."""
    settings = load({}, data=str(folder), security_contact=contact)
    live_world = build(settings)
    try:
        return call(application(settings, live_world), "GET", "/.well-known/security.txt")
    finally:
        live_world.close()


@pytest.mark.parametrize(
    "contact, line",
    [
        ("safe@example.org", "Contact: mailto:safe@example.org"),
        ("https://example.org/report", "Contact: https://example.org/report"),
    ],
)
def test_the_operators_contact_is_told(tmp_path: Folder, contact: str, line: str) -> None:
    answer = told(tmp_path, contact)
    assert answer.status == 200
    assert answer.body.decode().splitlines()[0] == line
    assert "\nExpires: 2" in answer.body.decode()
    assert "/docs/security\n" in answer.body.decode()


def test_without_a_contact_there_is_no_such_file(tmp_path: Folder) -> None:
    assert told(tmp_path, "").status == 404
