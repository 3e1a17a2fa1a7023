"""Cells of grids say what their plots say: shades without colours, and the words around a plot."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path as Folder

import pytest

from storage.bytes.renders import RenderStore
from tests.handlers.service_world import ServiceWorld
from tests.handlers.services.test_drawn_grid import Drawing
from vfs.access import Verb
from vfs.call import KeptBytes

GRID = "/v1/vis/grids/board"
BOARD = """
+------------------------------------+------------------------------------+
|                {A}                 |                {B}                 |
|                                    |                                    |
|                                    |                                    |
|                                    |                                    |
|                                    |                                    |
|                                    |                                    |
|                                    |                                    |
|                                    |                                    |
|                                    |                                    |
|                                    |                                    |
|                                    |                                    |
+------------------------------------+------------------------------------+
"""
HEAT = "day," + ",".join(f"h{hour}" for hour in range(24)) + "\n"
HEAT += "".join(f"{day}," + ",".join(str(hour * 4) for hour in range(24)) + "\n" for day in ("Mon", "Tue"))
WORDS = {"title": "Calls", "subtitle": "By hour, calls", "caption": "Source: exchange"}


@pytest.fixture
def board(service_world: ServiceWorld, tmp_path: Folder) -> ServiceWorld:
    """A service world in which alice has a grid of a heat map and of bars."""
    kept = RenderStore(tmp_path / "renders", 256 << 20)
    visuals = replace(service_world.world.visuals, renderer=Drawing(), kept=kept)
    service_world.world = replace(service_world.world, visuals=visuals)
    for name, word, data in (("heat", "heatmap", HEAT), ("bars", "bar", "day,n\nMon,3\nTue,5\n")):
        service_world.call("alice", Verb.CREATE, f"/v1/vis/plots/{name}")
        texts = {"data": data, "config/type": word, **{f"config/{key}": text for key, text in WORDS.items()}}
        for rel, text in texts.items():
            service_world.write("alice", f"/v1/vis/plots/{name}/{rel}", text)
    service_world.call("alice", Verb.CREATE, GRID)
    service_world.write("alice", f"{GRID}/layout", BOARD)
    service_world.write("alice", f"{GRID}/mapping", "A => /p/heat, h=t, c=t\nB => /p/bars, h=t, c=t\n")
    return service_world


def form(service_world: ServiceWorld, name: str) -> str:
    """A form of the grid."""
    value = service_world.call("alice", Verb.READ, f"{GRID}/files/grid.{name}").value
    assert isinstance(value, KeptBytes)
    with value.open() as file:
        return file.read().decode()


def test_a_heat_map_has_shades_where_there_are_no_colours(board: ServiceWorld) -> None:
    (cells,) = [line.split("Mon ")[1] for line in form(board, "txt").splitlines() if "Mon ·" in line]
    assert [cells.index(shade) for shade in "·░▒▓█"] == sorted(cells.index(shade) for shade in "·░▒▓█")
    colored = form(board, "ansi")
    assert "\x1b[48;2;" in colored and "▒" not in colored.split("Mon", 1)[1].split("│")[0]


@pytest.mark.parametrize("name", ["txt", "ansi", "svg", "html"])
def test_the_words_of_plots_stand_in_their_cells(board: ServiceWorld, name: str) -> None:
    shown = form(board, name)
    for words in WORDS.values():
        assert shown.count(f">{words}</text>") == 2 if name in ("svg", "html") else shown.count(words) == 2
