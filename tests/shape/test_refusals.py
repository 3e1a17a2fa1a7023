"""The table of all refusals is as the code has them, so that a new sentence is read by a person."""

from __future__ import annotations

from tests.shape.refusals import TABLE, table


def test_the_table_of_refusals_is_fresh() -> None:
    assert TABLE.read_text() == table(), "read the new sentences:  python -m tests.shape.refusals --write"
