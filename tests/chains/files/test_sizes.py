"""Sizes in sentences."""

from __future__ import annotations

import pytest

from chains.files.sizes import rounded_text, size_text


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


@pytest.mark.parametrize(
    ("size", "text"),
    [
        *((0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (5_000_000, "5.0 MB"), (78_803_000_000, "78.8 GB")),
        *((999_949, "999.9 kB"), (999_950, "1.0 MB"), (13 * 10**12, "13.0 TB"), (10**16, "10000.0 TB")),
    ],
)
def test_a_size_is_read_in_powers_of_a_thousand(size: int, text: str) -> None:
    assert rounded_text(size) == text
