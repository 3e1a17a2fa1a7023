"""A company's provider, and this service in one process, in memory."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.handlers.oidc.company import Company, open_company
from tests.handlers.oidc.visitor import Service, open_here
from tests.kit.disk import quick

tmp_path, tmp_path_factory = quick.tmp_path, quick.tmp_path_factory


@pytest.fixture
def company() -> Iterator[Company]:
    with open_company() as found:
        yield found


@pytest.fixture
def service(company: Company, tmp_path: Path) -> Iterator[Service]:
    with open_here(company, tmp_path, oidc_create=True) as found:
        yield found
