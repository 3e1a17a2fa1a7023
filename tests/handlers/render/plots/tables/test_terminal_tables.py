"""A table in a terminal keeps to its columns, and shows formats, bars, lines, merges and colours."""

import re
import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.render.plots.forms.terminal.chart import terminal_chart
from handlers.render.plots.forms.terminal.screen import cut_line, plain_line, signs, wrap_line
from handlers.render.plots.forms.terminal.table import on_any_ground
from handlers.render.plots.look.palette import contrast
from handlers.words.plot import Plot
from tests.handlers.render.plots.tables.test_table_pictures import (
    BANKS,
    CRAZY,
    FILES,
    GROUPS,
    SLICES,
    WORDS,
)

LONG = "ministry,purpose,spent\nWorks,for the repair and the extension of roads in the north,1204\n"


def lines(data: str = BANKS, columns: int = 80, *, colored: bool = False, **files: str) -> list[str]:
    config = {f"table/cell/{name}": text for name, text in files.items() if name != "colors"}
    config["colors/colors"] = files.get("colors", "")
    plot = Plot(data, {"type": "table", **config})
    return terminal_chart(plot, columns, 20, colored=colored).splitlines()


def test_a_table_with_numbers_below_each_other() -> None:
    assert lines() == [
        "country       2023     2025   change",
        "────────────────────────────────────",
        "Norway   NO    4.1     −0.4   0.0589",
        "Sweden   007  12.0  1,204.5  −0.1234",
        "Finland  FI      –   −333.0  −1.0000",
        "Total         16.1    871.1   0.0440",
    ]


def test_formats_alignment_lines_and_hidden_cells() -> None:
    shown = lines(
        format="1: 4 +.1%", align=": 1 -", border="-1 : t 1\n-1 : b 3", text="1 2 -", padding="2 0 l 2"
    )
    assert shown[2] == "Norway    NO            −0.4    +5.9%"
    assert shown[3] == "  Sweden  007  12.0  1,204.5   −12.3%"
    assert shown[5] == "─" * 37
    assert shown[7] == "━" * 37


def test_bars_are_blocks() -> None:
    shown = lines("a,b\nx,10\ny,20\nz,40\n", chart="1: 1 hbar (0,40) l")
    assert [line[3:15].strip() for line in shown[2:]] == ["███", "██████", "████████████"]
    assert [line[16:] for line in shown[2:]] == ["10", "20", "40"]
    turned = lines("a,b\nx,-10\ny,10\n", chart="1: 1 hbar (-10,0,10)")
    assert [line[3:] for line in turned[2:]] == ["██████│", "      ██████"]


def test_merged_heads_are_over_their_columns() -> None:
    shown = lines(GROUPS, merge="0 1:2 a\n0 3:4 b\n0:1 0 c", align="0 1: -")
    assert shown[:3] == [
        "region      2024          2025",
        "        north  south  north  south",
        "──────────────────────────────────",
    ]


def test_long_texts_are_cut_or_broken() -> None:
    cut = lines(LONG, 44, overflow=": 1 e")[2]
    assert cut == "Works     for the repair and the ext…  1,204"
    assert lines(LONG, 44)[2:] == [
        "Works     for the repair and the       1,204",
        "          extension of roads in the",
        "          north",
    ]
    assert lines(LONG, 44, width=": 1 f 80", overflow=": 1 t")[2] == "Works     for the re  1,204"


def test_columns_of_the_first_priorities_stay() -> None:
    data = "name," + ",".join(f"q{n}" for n in range(30)) + "\nrow," + ",".join(["12345"] * 30) + "\n"
    shown = lines(data, 40, priority=": 25 1")
    assert shown[0].split() == ["name", "q0", "q24", "q28", "q29"]
    assert shown[-1] == "(5 of 31 columns shown)"


def test_colours_and_emphasis_are_escapes_that_end() -> None:
    shown = lines(colored=True, colors="1 0 bg #102030\n2 0 fg #ffff00", text="-1 0 bius")
    assert shown[0].startswith("\x1b[1mcountry\x1b[0m")
    assert "48;2;16;32;48m" in shown[2]
    assert "\x1b[1;3;9;4mTotal\x1b[0m" in shown[-1]
    color = on_any_ground("#ffff00")
    assert min(contrast(color, "#000000"), contrast(color, "#ffffff")) > 3.5
    assert all(line.count("\x1b[") == 2 * line.count("\x1b[0m") for line in shown)


def test_wide_characters_take_two_columns() -> None:
    shown = lines("名前,b\n日本,1\nx,2\n")
    assert {signs(line) for line in shown} == {7}
    assert signs("e\u0301") == 1


@given(st.text(max_size=60), st.integers(2, 20))
def test_lines_keep_to_their_width(text: str, width: int) -> None:
    bare = plain_line(text)
    assert not [sign for sign in bare if unicodedata.category(sign) == "Cc"]
    assert signs(cut_line(bare, width, "…")) <= width
    assert all(signs(line) <= width for line in wrap_line(bare, width))


@given(
    st.dictionaries(FILES, st.lists(st.tuples(SLICES, SLICES, WORDS), max_size=4), max_size=6),
    st.sampled_from([20, 40, 80]),
    st.sampled_from([BANKS, GROUPS, LONG, "名,b\n日本,1\n", "a\n1\n"]),
)
@settings(max_examples=60, deadline=None)
def test_no_settings_make_a_table_wider_than_its_terminal(
    files: dict[str, list[tuple[str, str, str]]], columns: int, data: str
) -> None:
    config = {name: "\n".join(map(" ".join, rules)) for name, rules in files.items()}
    shown = lines(data, columns, **config)
    assert max(map(signs, shown)) <= columns
    bare = [
        re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip() for line in lines(data, columns, colored=True, **config)
    ]
    assert bare == shown


@pytest.mark.parametrize("config", [{}, CRAZY])
def test_hostile_tables_are_bounded_and_send_no_escapes(config: dict[str, str]) -> None:
    began = time.thread_time()
    wide = ",".join(f"c{n}" for n in range(10_000))
    for data in (
        f"{wide}\n{wide}\n",
        f'"{"x" * 32_000}",b\n"\x1b]0;x\x07\x1b[2J",\x00\n',
        "a\n" + "1\n" * 20_000,
    ):
        text = "\n".join(lines(data, **config))
        assert "\x1b" not in text and "\x07" not in text and "\x00" not in text
        assert len(text) < 100_000
    assert time.thread_time() - began < 8
