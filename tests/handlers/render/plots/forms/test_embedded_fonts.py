"""Faces travel with a picture, the same bytes each time, and are taken off parts of other pictures."""

import base64
import io
import re
import subprocess
import sys
from xml.etree import ElementTree

from fontTools.ttLib import TTFont

from handlers.render.plots.forms.drawing import Look, draw
from handlers.render.plots.forms.embedded_fonts import with_fonts, without_fonts
from handlers.words.plot import Plot

CHART = draw(Plot("month,north\nJän,12\nFeb,15\n", {"title": "Sales"}, "sales", ""), Look()).svg
SOURCE = re.compile(r"font-weight:(\d+);src:url\(data:font/woff;base64,([^)]+)\)")


def test_every_weight_that_is_used_has_its_face() -> None:
    faces = dict(SOURCE.findall(with_fonts(CHART)))
    assert set(faces) == {"400", *re.findall(r'font-weight="(\d+)"', CHART)}
    for source in faces.values():
        characters = TTFont(io.BytesIO(base64.b64decode(source))).getBestCmap()
        assert {ord(sign) for sign in "Sales äß–−€…"} <= characters.keys()
        assert len(source) < 24_000


def test_the_document_stays_whole_and_comes_back() -> None:
    drawn = with_fonts(CHART)
    ElementTree.fromstring(drawn)
    assert without_fonts(drawn) == CHART
    assert (
        with_fonts('<svg xmlns="http://www.w3.org/2000/svg"/>') == '<svg xmlns="http://www.w3.org/2000/svg"/>'
    )


def test_two_processes_embed_the_same_bytes() -> None:
    code = "import sys; from handlers.render.plots.forms.embedded_fonts import with_fonts; "
    other = subprocess.run(
        [sys.executable, "-c", code + "sys.stdout.write(with_fonts(sys.stdin.read()))"],
        input=CHART, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert other.stdout == with_fonts(CHART)
