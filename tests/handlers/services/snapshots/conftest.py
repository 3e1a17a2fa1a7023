"""The service world for tests of snapshots of documents."""

from __future__ import annotations

from pathlib import Path as Folder

import pytest

from tests.handlers.service_world import ServiceWorld
from tests.handlers.services.documents.stage import Reader, make_report


@pytest.fixture
def renderer(service_world: ServiceWorld, tmp_path: Folder) -> Reader:
    """The renderer of a service world with alice's report."""
    return make_report(service_world, tmp_path)
