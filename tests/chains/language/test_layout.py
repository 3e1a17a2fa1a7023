"""The layout language: every rule, every mistake, any text at all, and its speed."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chains.language.grid import NOTHING_DRAWN, NOTHING_SHOWN, link_id, references, structure
from chains.language.layout import BoxKind, Instruction, LayoutBox, LayoutFault, parse, walk
from chains.language.mapping import parse as parse_mapping
from chains.language.mistake import Mistake
from vfs.errors import Invalid

CORPUS = Path(__file__).parent / "corpus"
GOOD = sorted(CORPUS.glob("*.layout"))
BAD = sorted((CORPUS / "bad").glob("*.layout"))
KIB = 1024


def text_of(path: Path) -> str:
    return path.read_bytes().decode()


def golden(path: Path):
    return json.loads(path.with_suffix(f"{path.suffix}.json").read_text())


def boxed(said: str) -> str:
    """A box that says this, with room around it."""
    return f"+{'-' * 18}+\n|{' ' * 18}|\n|{said:^18}|\n|{' ' * 18}|\n+{'-' * 18}+"


def cells(text: str) -> list[Instruction | None]:
    return [box.instruction for box in walk(parse(text)) if box.kind is BoxKind.CELL]


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_a_layout_reads_as_its_golden_data_says(path):
    assert json.loads(structure(parse(text_of(path)), {})) == golden(path)


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_a_mistake_is_named_and_placed(path):
    with pytest.raises(Mistake) as refused:
        parse(text_of(path))
    mistake = refused.value
    assert {"mistake": mistake.label, "line": mistake.line, "column": mistake.column} == golden(path)
    assert path.stem.startswith(mistake.label)
    assert mistake.detail.startswith(f"line {mistake.line}, column {mistake.column}: ")
    assert len(mistake.detail) < 300


def test_every_mistake_has_a_bad_layout():
    assert {LayoutFault(golden(path)["mistake"]) for path in BAD} == set(LayoutFault)


def test_a_mistake_is_an_invalid_value_with_its_line_for_the_error_body():
    with pytest.raises(Invalid) as refused:
        parse("\r\n  +-----+\r\n  | {A} |\r\n  |---  |\r\n  +-----+\r\n")
    reason = "this line does not divide its box: draw it from edge to edge, or take it away"
    assert refused.value.detail == f"line 4, column 4: {reason}"
    entry = {"line": 4, "column": 4, "mistake": "broken_divider", "reason": reason, "excerpt": "|---  |"}
    assert refused.value.members == {"rejected": [entry]}


def test_a_place_counts_the_characters_of_its_line():
    with pytest.raises(Mistake) as refused:
        parse("\t+---------+\n\t| 漢 {A!} |\n\t+---------+")
    assert (refused.value.line, refused.value.column) == (2, 4)
    with pytest.raises(Mistake) as refused:
        parse("+------------+\n|漢字\t {A} |\n+------------+")
    assert (refused.value.line, refused.value.column) == (2, 2)


def test_the_distance_between_borders_is_the_size():
    root = parse(text_of(CORPUS / "worked.layout"))
    assert (root.width, [box.width for box in root.children]) == (25, [14, 11])
    assert {box.height for box in walk(root)} == {2}


@pytest.mark.parametrize("said", ["{A}", "{A:}", "{A:-}", "{ A : - }", "{A:+}", "-{A}-", "{-A-:-}"])
def test_these_spellings_are_one(said):
    assert cells(boxed(said)) == [Instruction("A", "middle")]


@pytest.mark.parametrize("position", "!.<>*#ox0^^_~V")
def test_any_other_position_leaves_its_cell_empty(position):
    position = position * 2 if position == "^" else position
    assert cells(boxed(f"{{A:{position}}}")) == [None]


def test_what_nobody_sees_does_not_count():
    assert cells("\ufeff+-----+\n|\u200b {A}\u200d |\n+-----+") == [Instruction("A")]


def test_no_recursion_is_as_deep_as_a_drawing():
    root = parse(nested(1200))
    assert sum(1 for _ in walk(root)) > 2000
    assert structure(root, {}).count("wrapper row") > 500


def nested(side: int) -> str:
    """Boxes in boxes as deep as that many rows and columns allow, a row and a column at a time."""
    canvas = [[" "] * side for _ in range(side)]
    for corner in range(0, side - 3, 2):
        edges = [(corner, at) for at in range(corner, side)] + [(at, corner) for at in range(corner, side)]
        edges += [(side - 1, at) for at in range(corner, side)] + [
            (at, side - 1) for at in range(corner, side)
        ]
        for y, x in edges:
            sign = "-" if y in (corner, side - 1) else "|"
            canvas[y][x] = sign if canvas[y][x] in (" ", sign) else "+"
        for y in (corner, side - 1):
            canvas[y][corner] = canvas[y][side - 1] = "+"
    for corner in range(2, side - 3, 2):
        canvas[corner][corner - 2] = canvas[corner - 2][corner] = "+"
        canvas[corner - 1][corner] = canvas[corner][corner - 1] = " "
        for at in range(corner - 1, side):
            canvas[corner][at] = "+" if canvas[corner][at] in "|+" else "-"
    return "\n".join("".join(row) for row in canvas)


def combed(width: int, height: int) -> str:
    """Rows that are lines but for their last character, around as many boxes as fit."""
    rows = ["+" + "-" * (width - 2) + "+"]
    rows += ["+" + "-" * (width - 3) + " " + "+"] * (height - 2)
    return "\n".join([*rows, rows[0]])


HOSTILE = [
    "+" * 64 * KIB,
    "-" * 64 * KIB,
    "|\n" * 32 * KIB,
    "\n" * 64 * KIB,
    " " * 32 * KIB + "\n" + "x\n" * 16 * KIB,
    ("+" * 255 + "\n") * 256,
    "+" + "-" * 20_000 + "+\n|" + "{" * 20_000 + "|\n+" + "-" * 20_000 + "+",
    "+" + "-" * 20_000 + "+\n|" + "漢" * 5_000 + " " * 10_000 + "|\n+" + "-" * 20_000 + "+",
    "+-+\n" + "| |\n" * 16_000 + "+-+",
    ("+-" * 120 + "+\n" + "| " * 120 + "|\n") * 130 + "+-" * 120 + "+",
    combed(256, 256),
    nested(255),
    "\t" * 32 * KIB + "+",
    "a\u0301" * 16 * KIB,
    "\u0301" * 32 * KIB,
    "\x00" * 64 * KIB,
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:12]))
def test_nothing_of_the_largest_size_takes_long(text):
    start = time.process_time()
    box_or_mistake(text)
    assert time.process_time() - start < 1


def box_or_mistake(text: str) -> LayoutBox | Mistake | None:
    try:
        return parse(text)
    except Mistake as mistake:
        return mistake


@given(st.text() | st.text("+-| {}A:^v\r\n\t\x00漢\u0301\u200b", max_size=200))
@example("\ud800")
@example("+-+\n|\x00|\n+-+")
@example("+-+\x0b\n|{|\x85\n+-+\u2028")
def test_any_text_is_boxes_or_a_mistake(text):
    read = box_or_mistake(text)
    if isinstance(read, Mistake):
        assert len(read.detail) < 400
        assert 1 <= read.line <= text.count("\n") + text.count("\r") + 1
        return
    json.loads(structure(read, {}))
    assert json.loads(references(read, {})) == {"refs": []}


def test_the_json_of_a_grid():
    box = parse("+---+-----+\n|{A}|{B:v}|\n|   |-----|\n|   |{C:?}|\n+---+-----+")
    bound = parse_mapping("C => abcde\nB => /p/b, h=t, m=d, tbg=f\nX => abcde\n")
    cell = {"type": "wrapper container", "children": []}
    off = {"include_header": False, "include_caption": False}
    shown = {"lid": link_id("B"), "position": "bottom", "include_header": True, "include_caption": False}
    floating = [
        {**cell, "width": 6, "height": 2, "inst": shown},
        {**cell, "width": 6, "height": 2, "inst": None},
    ]
    assert json.loads(structure(box, bound)) == {
        "structure": {
            "type": "wrapper",
            "width": 10,
            "height": 4,
            "children": [
                {**cell, "width": 4, "height": 4, "inst": {"lid": link_id("A"), "position": "middle", **off}},
                {"type": "wrapper column", "width": 6, "height": 4, "floating": True, "children": floating},
            ],
        }
    }
    options = {
        "include_header": True,
        "include_caption": False,
        "mode": "dark",
        "transparent_background": False,
    }
    assert json.loads(references(box, bound)) == {"refs": [{"label": "B", "lid": link_id("B"), **options}]}


def test_references_stand_in_the_order_of_the_cells_each_once():
    box = parse("+---+---+---+\n|{B}|{A}|{B}|\n+---+---+---+")
    bound = parse_mapping("A => abcde,s=3\nB => abcde")
    refs = json.loads(references(box, bound))["refs"]
    assert [(ref["label"], ref.get("scale")) for ref in refs] == [("B", None), ("A", 3)]


def test_a_link_is_the_same_for_a_label_and_another_for_another():
    assert link_id("A") == link_id("A")
    assert len({link_id(label) for label in ("A", "a", "B", "AA", "Ø", "売上")}) == 6


def test_an_empty_layout_is_an_empty_wrapper():
    assert parse(" \n\t\n") is None
    assert structure(None, {}) == NOTHING_DRAWN
    assert references(None, {}) == NOTHING_SHOWN
    assert json.loads(NOTHING_DRAWN)["structure"]["type"] == "wrapper"


def tiled(rows: int, columns: int) -> str:
    """A drawing of this number of cells."""
    bar = "+" + "----------------+" * columns
    line = "|" + "  {Label12:^}   |" * columns
    blank = "|" + "                |" * columns
    return "\n".join([bar, *[line, blank, blank, bar] * rows])


def seconds(text: str, times: int) -> float:
    """The least processor time of several readings, a character."""
    best = 1.0
    for _ in range(times):
        start = time.process_time()
        parse(text)
        best = min(best, time.process_time() - start)
    return best / len(text)


def test_reading_is_linear():
    short, long = seconds(tiled(4, 4), 20), seconds(tiled(100, 60), 3)
    assert long < 3 * short
    assert long < 1e-6
    assert seconds(nested(801), 2) < 4 * seconds(nested(101), 10)
