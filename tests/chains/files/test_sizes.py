"""Sizes in sentences."""

from __future__ import annotations

import pytest

from chains.files.sizes import size_text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"),
        (1023, "1023 bytes"),
        (1 << 10, "1 KiB"),
        (3 << 19, "1.5 MiB"),
        (20 << 30, "20 GiB"),
        (2048 << 30, "2048 GiB"),
    ],
)
def test_a_size_is_said_as_it_was_set(size: int, text: str) -> None:
    assert size_text(size) == text
