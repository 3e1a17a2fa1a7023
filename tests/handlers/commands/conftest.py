"""Folders of these tests are in memory; some tests run on both databases."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.kit.disk import quick
from tests.kit.postgres import Postgres

tmp_path, tmp_path_factory = quick.tmp_path, quick.tmp_path_factory


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=[pytest.mark.postgres, pytest.mark.repeats])]
)
def url(request: pytest.FixtureRequest) -> Iterator[str | None]:
    if request.param == "sqlite":
        yield None
        return
    postgres: Postgres = request.getfixturevalue("postgres")
    made = postgres.fresh()
    yield made
    postgres.drop(made)
