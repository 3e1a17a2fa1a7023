"""Names of assets follow a stricter rule, which is within the rule of names."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chains.files.names import refusal
from handlers.trees.facets.pictures import NAME
from tests.kit.file_trees import NAMES

# Strings of the rule without its look ahead, which would have most of them thrown away.
SHORT = r"[a-z0-9][a-z0-9-]{0,40}(\.[a-z0-9]{1,22})?"


@given(st.from_regex(SHORT, fullmatch=True))
def test_the_name_of_an_asset_is_one_of_a_file(name: str) -> None:
    assert NAME.fullmatch(name)
    assert refusal(name) is None


def test_no_odd_name_is_one_of_an_asset() -> None:
    assert [name for name in NAMES if NAME.fullmatch(name)] == ["case"]
