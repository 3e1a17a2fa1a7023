"""Files and functions stay small enough to be read at once."""

import pytest

from tests.kit.sources import PACKAGES, Source, sources

LONGEST_FILE = 300
LONGEST_FUNCTION = 40


@pytest.mark.parametrize("source", sources(*PACKAGES, "tests"), ids=str)
def test_a_file_is_short(source: Source) -> None:
    assert len(source.text.splitlines()) <= LONGEST_FILE


@pytest.mark.parametrize("source", sources(*PACKAGES), ids=str)
def test_a_function_is_short(source: Source) -> None:
    long = {name: lines for name, lines in source.functions() if lines > LONGEST_FUNCTION}
    assert long == {}
