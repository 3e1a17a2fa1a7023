"""The generated parts of the manual, and the list of the API, are as the program makes them."""

from __future__ import annotations

from tests.kit.generated import API, DOCUMENTS, api, renewed


def test_generated_parts_of_the_manual_are_fresh() -> None:
    stale = [path.name for path in DOCUMENTS if renewed(path.read_text()) != path.read_text()]
    assert stale == [], "renew them:  make readme"


def test_the_list_of_the_api_is_fresh() -> None:
    assert API.read_text() == api(), "renew it:  make readme"
