"""Ordered answers: the strongest disagreement is farthest from zero, in every form."""

import re

import pytest

from handlers.render.plots.data.type_columns import plot_frame
from handlers.render.plots.forms.drawing import Look, draw
from handlers.render.plots.forms.terminal.chart import terminal_chart
from handlers.render.plots.look.palette import SCALES
from handlers.render.plots.shown.native_chart import native_chart
from handlers.render.plots.shown.shown_chart import shown_chart
from handlers.words.plot import Plot
from tests.handlers.render.plots.charts.picture_reader import PictureReader

ANSWERS = "question,never,seldom,often,always\nOne,-10,-20,30,40\nTwo,-5,-15,45,35\n"


def survey(word: str, theme: str = "survey", **colors: str) -> Plot:
    config = {f"colors/{name}": text for name, text in colors.items()}
    return Plot(ANSWERS, {"type": word, "colors/theme": theme, **config})


@pytest.mark.parametrize("word", ["hsbar", "sbar", "ihsbar", "habar"])
@pytest.mark.parametrize("theme", ["survey", "curlew"])
def test_the_first_answer_below_zero_is_outermost(word: str, theme: str) -> None:
    plot = survey(word, theme)
    shown = shown_chart(plot, plot_frame(plot))
    tones = Look().style(shown.options.colors).tones(["a", "b", "c", "d"])
    picture = PictureReader(draw(plot, Look(width=600)).svg)
    never, seldom, often = (picture.of("rect", tone)[0].middle for tone in tones[:3])
    along = 0 if "h" in word else 1
    outward = abs(never[along] - often[along]) > abs(seldom[along] - often[along])
    assert outward == (theme == "survey")
    assert (native_chart(shown, 1000) is None) == (theme == "survey")


def test_a_terminal_has_the_same_order() -> None:
    for theme, wanted in (("survey", "█▒▓░"), ("curlew", "▒█▓░")):
        first = terminal_chart(survey("hsbar", theme), 60, 10, colored=False).splitlines()[0]
        assert re.sub(r"(.)\1*", r"\1", re.sub(r"[^█▒▓░]", "", first)) == wanted


def test_a_chosen_colour_of_one_answer_changes_no_other() -> None:
    drawn = draw(survey("hsbar", colors="often #d03040"), Look(width=600)).svg
    assert "#d03040" in drawn and SCALES["light"][0] in drawn and SCALES["light"][-1] in drawn
