"""The reading of data is described in a line, can be changed, and leads to types that can draw them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.render.plots.data.data_check import check_data, understand
from handlers.render.plots.data.table_text import Reading, read_frame, reading_of
from handlers.render.plots.data.type_columns import as_type_reads, plot_frame
from handlers.render.plots.plot_type import CHOICES, type_of
from handlers.words.plot import Plot

GERMAN = (
    "Monat\tNord\tSüd\nJan 2026\t1.234,5\t987,2\nFeb 2026\t2.345,6\t1.111,1\nMrz 2026\t1.999,0\t1.250,75\n"
)
READINGS = st.builds(
    Reading,
    st.sampled_from((None, True, False)),
    st.sampled_from((None, True, False)),
    st.booleans(),
)


@pytest.mark.parametrize(
    ("data", "words", "best"),
    [
        (GERMAN, "3 rows, 3 columns; numbers as 1.234,5; dates by month", "line"),
        ("day,n\n2026-01-31,1\n2026-02-28,2\n", "2 rows, 2 columns; numbers as 1234; dates by month", "line"),
        (
            "day,n\n01/02/2026,1.200\n03/04/2026,2.300\n",
            "2 rows, 2 columns; numbers as 1234.5 (a guess); dates by day (01/02/2026 is 2026-01-02)",
            "line",
        ),
        ("a;b\nx;1 204,5\nrest;?\ny;3\n", "3 rows, 2 columns; numbers as 1 234,5; 1 cell not read", "bar"),
        ("n\n1\n2\n2\n", "3 rows, 1 column; numbers as 1234", "hist"),
        ("x,y\n1.5,2\n2.5,3\n", "2 rows, 2 columns; numbers as 1234.5", "scatter"),
        ("task,start,end\na,2026-01-01,2026-02-01\nb,2026-01-05,2026-03-01\n", None, "gantt"),
        ("a,b\nx,y\n", "1 row, 2 columns", "table"),
        ("name,n\n" + "".join(f"r{i},{i}\n" for i in range(20)), None, "hbar"),
        ("", "", None),
        ("a,b\n", "a heading row and no rows below it", None),
    ],
)
def test_data_are_described_and_have_a_best_type(data: str, words: str | None, best: str | None) -> None:
    understood = understand(data)
    assert words is None or understood.words == words
    assert (understood.types[0] if understood.types else None) == best


@given(st.text(st.sampled_from('ab,;\t\n1.2/-"Jan 6'), max_size=80), READINGS)
def test_any_text_is_understood_and_each_type_can_draw_it(text: str, reading: Reading) -> None:
    understood = understand(text, reading)
    frame = read_frame(text, reading)
    assert len(understood.types) == len(set(understood.types))
    for word in understood.types:
        kind = type_of(word)
        assert kind.table or kind.asks is None or not kind.asks(as_type_reads(frame, kind))


def test_a_reading_decides_ambiguous_data() -> None:
    data = "day,n\n01/02/2026,1.200\n"
    config = {"reading/decimal": "comma", "reading/dates": "day"}
    frame = plot_frame(Plot(data, config))
    assert frame.columns[1].numbers == (1200.0,) and frame.columns[0].dates[0].month == 2  # type: ignore[union-attr]
    assert not any("guess" in note for note in frame.notes)
    assert check_data(data, "bar", reading_of(config))["decimal"] == "comma"
    assert plot_frame(Plot(data, {})).columns[1].numbers == (1.2,)


def test_rows_without_names_of_columns_are_all_values() -> None:
    frame = plot_frame(Plot("x,1\ny,2\n", {"reading/header": "none"}))
    assert frame.height == 2 and frame.columns[1].numbers == (1.0, 2.0)
    assert [column.name for column in frame.columns] == ["column 1", "column 2"]


def test_settings_of_reading_are_those_that_are_known() -> None:
    choices = {path: words for path, words in CHOICES.items() if path.startswith("reading/")}
    read = {reading_of({path: word}) for path, words in choices.items() for word in words}
    assert read == {Reading(), Reading(comma=True), Reading(comma=False), Reading(day_first=True),
                    Reading(day_first=False), Reading(header=False)}  # fmt: skip
