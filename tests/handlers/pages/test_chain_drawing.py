"""Chains as drawings."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from handlers.pages.chain_drawing import MOST, ChainDrawing, StepBox, draw_chain, shorten

NAMES = [f"s{number}" for number in range(9)]


def drawing(edges: list[tuple[str, str]], names: list[str] = NAMES) -> tuple[ChainDrawing, ChainDrawing]:
    made = draw_chain([StepBox(name) for name in names], edges)
    assert made is not None
    return made


def test_steps_are_drawn_after_the_steps_that_they_wait_for() -> None:
    lying, upright = drawing([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")], ["a", "b", "c", "d"])
    x = {box.node.name: box.x for box in lying.boxes}
    assert x["a"] < x["b"] == x["c"] < x["d"]
    y = {box.node.name: box.y for box in upright.boxes}
    assert y["a"] < y["b"] == y["c"] < y["d"]
    assert (lying.upright, upright.upright) == (False, True)
    assert lying.width > lying.height
    assert len(lying.lines) == 4


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=25))
def test_no_two_boxes_touch_and_all_are_inside(pairs: list[tuple[int, int]]) -> None:
    edges = sorted({(NAMES[one], NAMES[two]) for one, two in pairs if one < two})
    for made in drawing(edges):
        routes, wide = [(box.x, box.y) for box in made.boxes], made.boxes[0].width
        for number, (x, y) in enumerate(routes):
            assert x >= 0 and x + wide <= made.width
            assert y >= 0 and y + 58 <= made.height
            for other_x, other_y in routes[number + 1 :]:
                assert abs(x - other_x) >= wide or abs(y - other_y) >= 58
        numbers = [float(word) for line in made.lines for word in re.findall(r"-?[\d.]+", line)]
        assert all(0 <= number <= max(made.width, made.height) for number in numbers)


def test_a_line_that_passes_a_layer_keeps_clear_of_its_boxes() -> None:
    lying, _ = drawing([("a", "b"), ("b", "c"), ("a", "c")], ["a", "b", "c"])
    (middle,) = [box for box in lying.boxes if box.node.name == "b"]
    straight = [re.match(r"M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)", line) for line in lying.lines]
    lanes = [float(found[2]) for found in straight if found and found[1] != found[3]]
    assert len(lanes) == 1
    assert not middle.y <= lanes[0] <= middle.y + 58


def test_too_much_is_not_drawn() -> None:
    assert draw_chain([], []) is None
    assert draw_chain([StepBox(f"s{number}") for number in range(MOST + 1)], []) is None


def test_long_names_lose_their_middle() -> None:
    assert shorten("short", 10) == "short"
    assert shorten("a-very-long-name", 9) == "a-ve…name"
    (box,) = drawing([], ["a-name-that-is-much-too-long-for-its-box"])[1].boxes
    assert len(box.label) < 16
