"""A slice selects rows like a slice of Python, but with both ends in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.render.plots.tables.instructions import BadInstruction, Slice, parse_slice
from tests.kit.clocks import processor_seconds

SIZES = st.integers(0, 40)
ENDS = st.none() | st.integers(-50, 50)


@pytest.mark.parametrize(
    "text,size,indices",
    [
        (":", 4, [0, 1, 2, 3]),
        ("::", 3, [0, 1, 2]),
        ("0", 4, [0]),
        ("-1", 4, [3]),
        ("0:2", 5, [0, 1, 2]),
        ("1:", 4, [1, 2, 3]),
        (":-2", 5, [0, 1, 2, 3]),
        ("::2", 5, [0, 2, 4]),
        ("1::2", 6, [1, 3, 5]),
        ("0,-1", 5, [0, 4]),
        ("3,4,5", 5, [3, 4]),
        ("-3:-1", 10, [7, 8, 9]),
        ("-1:-3", 10, [7, 8, 9]),
        ("5:2", 10, [2, 3, 4, 5]),
        ("1:-2", 2, []),
        ("12:", 5, []),
        ("-100:1", 4, [0, 1]),
        (":", 0, []),
        ("7", 3, []),
    ],
)
def test_a_slice_selects(text: str, size: int, indices: list[int]) -> None:
    assert sorted(parse_slice(text).of(size)) == indices


@given(ENDS, ENDS, st.integers(1, 9), SIZES)
def test_a_slice_is_pythons_with_its_last_index_in_it(
    first: int | None, last: int | None, step: int, size: int
) -> None:
    written = f"{'' if first is None else first}:{'' if last is None else last}:{step}"
    low = 0 if first is None else first + size if first < 0 else first
    high = size - 1 if last is None else last + size if last < 0 else last
    if first is not None and last is not None and (first < 0) == (last < 0):
        low, high = min(low, high), max(low, high)
    model = [at for at in range(size) if max(low, 0) <= at <= high and (at - max(low, 0)) % step == 0]
    assert list(parse_slice(written).of(size)) == model


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=20), SIZES)
def test_a_list_selects_its_indices(listed: list[int], size: int) -> None:
    model = {index % size for index in listed if size and -size <= index < size}
    assert parse_slice(",".join(map(str, listed))).of(size) == model


@given(st.text(st.characters(codec="ascii"), max_size=12), SIZES)
def test_any_text_is_a_slice_within_the_table_or_refused(text: str, size: int) -> None:
    try:
        selected = parse_slice(text)
    except BadInstruction:
        return
    assert all(0 <= index < size for index in selected.of(size))


@pytest.mark.parametrize("text", ["", "a", "1,", "1 2", "::0", "::-1", "1:2:3:4", "1.5", "9" * 30, "１"])
def test_a_wrong_slice_is_refused(text: str) -> None:
    with pytest.raises(BadInstruction, match=r"slice|step"):
        parse_slice(text)


def slice_a_million_million_rows() -> None:
    assert len(parse_slice("0:999999999999").of(3)) == 3
    assert len(parse_slice("-999999999999:999999999999:7").of(10)) == 2
    assert Slice().of(10**12)[-1] == 10**12 - 1


def test_a_slice_of_a_million_million_rows_costs_nothing() -> None:
    assert processor_seconds(slice_a_million_million_rows) < 0.5
