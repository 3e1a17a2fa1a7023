"""A chart shows so many series, under names that any picture has room for."""

from handlers.render.plots.data.chart_frame import LONGEST_NAME, MOST_SERIES, chart_frame
from handlers.render.plots.data.table_text import read_frame


def test_usual_data_stay_as_they_are() -> None:
    frame = read_frame("month,north,note\nJan,1,x\nFeb,2,y\n")
    assert chart_frame(frame) == (frame, ())


def test_series_beyond_what_is_drawn_are_left_out_and_told_of() -> None:
    heads = ",".join(f"c{at}" for at in range(1000))
    frame, notes = chart_frame(read_frame(f"name,{heads},note\nx,{','.join('1' * 1000)},said\n"))
    assert (len(frame.series), frame.columns[-1].name) == (MOST_SERIES, "note")
    assert notes == ("600 more series are in the data.",)
    assert [frame.head(at) for at in (0, 1, MOST_SERIES + 1)] == ["name", "c0", "note"]


def test_names_are_cut() -> None:
    frame, notes = chart_frame(read_frame(f"name,{'w' * 999}\n{'v' * 9999},1\n"))
    assert ([len(frame.categories[0]), len(frame.series[0].name)], notes) == ([LONGEST_NAME] * 2, ())
