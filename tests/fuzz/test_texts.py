"""Any text is read or refused by name, and none takes long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.texts import READERS, Reader
from tests.kit.clocks import processor_seconds

SECONDS = 5.0
MOST_PIECES = 40

pytestmark = [pytest.mark.soak, pytest.mark.no_cover]

readers = pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)


@readers
@given(data=st.data())
def test_a_text_is_read_or_refused(reader: Reader, data: st.DataObject) -> None:
    pieces = st.sampled_from(reader.letters) | st.text(max_size=4)
    text = data.draw(st.lists(pieces, max_size=MOST_PIECES).map("".join))
    reader.refuses(text[: reader.largest])


@readers
@given(data=st.data())
def test_no_text_takes_long(reader: Reader, data: st.DataObject) -> None:
    """The longest texts there may be, of a piece said again and again."""
    some = st.lists(st.sampled_from(reader.letters), min_size=1, max_size=3).map("".join)
    begin, again, end = data.draw(some), data.draw(some), data.draw(some)
    times = reader.largest // max(len(again), 1)
    text = (begin + again * times)[: max(reader.largest - len(end), 1)] + end
    assert processor_seconds(lambda: reader.refuses(text)) < SECONDS


@pytest.mark.parametrize(
    "name, text",
    [
        ("parameters", "form-data;a=" + " " * 4000 + '"'),
        ("parameters", 'form-data; a="' + '\\"' * 4000),
        ("JSON", "[" * 65 + '"' + '\\"' * 100_000),
    ],
)
def test_texts_that_once_took_very_long_are_fast(name: str, text: str) -> None:
    reader = next(one for one in READERS if one.name == name)
    assert processor_seconds(lambda: reader.refuses(text)) < SECONDS
    assert reader.refuses(text)
