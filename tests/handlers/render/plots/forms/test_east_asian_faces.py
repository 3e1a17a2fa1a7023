"""Texts of East Asia have one face in pictures of pixels, whichever the drawing library would find first."""

from xml.etree import ElementTree

import pytest

from handlers.render.plots.forms.drawing import Look, draw, in_faces
from handlers.words.plot import Plot

TEXT = "{http://www.w3.org/2000/svg}text"


@pytest.mark.parametrize("signs", ["東京", "ソウル", "서울", "（一）"])
def test_they_are_given_a_face_and_no_others_are(signs: str) -> None:
    plot = Plot(f"town,n\nA {signs} (Tokyo),1\nOslo,2\n", {"type": "hbar", "title": f"*In* {signs}"})
    drawn = draw(plot, Look(width=500)).svg
    texts = list(ElementTree.fromstring(in_faces(drawn)).iter(TEXT))
    faced = [text for text in texts if "Noto Sans CJK SC" in text.get("font-family", "")]
    assert faced == [text for text in texts if signs in "".join(text.itertext())] and len(faced) == 2
    before = ElementTree.fromstring(drawn).iter(TEXT)
    assert ["".join(text.itertext()) for text in before] == ["".join(text.itertext()) for text in texts]
    plain = draw(Plot("town,n\nTromsø – Δ,1\n", {"type": "hbar"}), Look()).svg
    assert in_faces(plain) == plain
