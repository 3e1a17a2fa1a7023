"""A chart shows a limited number of series, with names of limited length."""

from handlers.render.plots.data.table_text import read_frame
from handlers.render.plots.drawn.drawn_data import LONGEST_NAME, MOST_SERIES, bound_series
from handlers.render.plots.drawn.left_out import LeftOut


def test_usual_data_stay_as_they_are() -> None:
    frame, out = read_frame("month,north,note\nJan,1,x\nFeb,2,y\n"), LeftOut()
    assert (bound_series(frame, out), out) == (frame, LeftOut())


def test_series_beyond_the_limit_are_left_out_and_noted() -> None:
    heads, out = ",".join(f"c{at}" for at in range(1000)), LeftOut()
    frame = bound_series(read_frame(f"name,{heads},note\nx,{','.join('1' * 1000)},said\n"), out)
    assert (len(frame.series), frame.columns[-1].name) == (MOST_SERIES, "note")
    assert out.shown == ["940 more series are in the data."]
    assert [frame.head(at) for at in (0, 1, MOST_SERIES + 1)] == ["name", "c0", "note"]


def test_names_are_cut() -> None:
    out = LeftOut()
    frame = bound_series(read_frame(f"name,{'w' * 999}\n{'v' * 9999},1\n"), out)
    assert ([len(frame.categories[0]), len(frame.series[0].name)], out) == ([LONGEST_NAME] * 2, LeftOut())
