"""Drawings of users: those that grow when they are drawn are refused, those of drawing programs are not."""

import pytest

from handlers.render.documents.pictures import LONGEST, fault_of_drawing
from tests.kit.clocks import processor_seconds

XML = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
COPY, RECT = "<use href='#g{}'/>", "<rect fill='url(#p{})'/>"
LINES = "M0 0" + "L1 1" * 1_000


def drawing(inside: str) -> bytes:
    return f"<svg {XML}>{inside}</svg>".encode()


@pytest.mark.parametrize(
    "inside",
    [
        "<rect/>",
        "<linearGradient id='g'><stop offset='0'/></linearGradient><style>.a { fill: url(#g) }</style>",
        "<linearGradient id='a'/><linearGradient id='b' xlink:href='#a' spreadMethod='pad'/>",
        "<pattern id='p1'><rect fill='url(#p2)'/></pattern><pattern id='p2'/>" + RECT.format(1),
        "<symbol id='g1'><path d='M0 0h9'/></symbol>" + COPY.format(1) * 1_000,
        f"<marker id='m'><path d='M0 0h9'/></marker><path marker-end='url(#m)' d='{LINES}'/>",
        "<use href='#nowhere'/><a href='https://example.org/#top'><text>x</text></a>",
    ],
)
def test_drawings_that_are_shown(inside: str) -> None:
    assert fault_of_drawing(drawing(inside)) == ""


@pytest.mark.parametrize(
    "body,reason",
    [
        (b"<html/>", "not a valid SVG"),
        (b"<svg", "not a valid SVG"),
        (f"<?xml version='1.0' encoding='utf-16'?><svg {XML}/>".encode("utf-16"), "not a valid SVG"),
        (b"<!DOCTYPE svg [<!ENTITY a 'b'>]><svg/>", "entities"),
        (b"<svg/>" + b" " * LONGEST, "at most 2 MiB"),
        (drawing("<g/>" * 20_001), "too many elements"),
        (drawing("<g>" * 99 + "</g>" * 99), "too many elements"),
        (drawing("".join(f"<g id='g{at}'>{COPY.format(at + 1) * 9}</g>" for at in range(9))), "copies"),
        (drawing(f"<g id='g1'>{'<g/>' * 9_000}</g>{COPY.format(1) * 9_000}"), "copies"),
        (drawing(f"<g id='g1'>{COPY.format(1)}</g>"), "copies"),
        (drawing("".join(f"<g id='g{at}'>{COPY.format(at - 1)}</g>" for at in range(9_000))), "copies"),
        (drawing("".join(f"<mask id='p{at}'>{RECT.format(at + 1) * 9}</mask>" for at in range(9))), "copies"),
        (
            drawing(f"<marker id='m'>{'<g/>' * 99}</marker><path style='marker:url(#m)' d='{LINES}'/>"),
            "copies",
        ),
        (drawing("<pattern id='p'/><style>rect { fill: url('#p') }</style>"), "patterns"),
        (drawing("<rect style='fill: \\75 rl(#p)'/>"), "escapes"),
        (drawing("<radialGradient spreadMethod='reflect'/>"), "repeat"),
    ],
)
def test_drawings_that_grow_are_not_shown(body: bytes, reason: str) -> None:
    assert processor_seconds(lambda: fault_of_drawing(body)) < 2
    assert reason in fault_of_drawing(body)
