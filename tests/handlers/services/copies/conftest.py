"""The household of documents, which others copy."""

from __future__ import annotations

from pathlib import Path as Folder

import pytest

from tests.handlers.household import Household
from tests.handlers.services.documents.stage import Reader, make_report


@pytest.fixture
def renderer(household: Household, tmp_path: Folder) -> Reader:
    """The renderer of a household with alice's report."""
    return make_report(household, tmp_path)
