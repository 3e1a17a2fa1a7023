"""A grid that is really drawn is read back: its cells to the unit, its plots, its reasons and its text."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from handlers.rendering.forms import render_order
from handlers.rendering.port import Rendering, RenderOrder
from storage.bytes.renders import RenderStore
from tests.handlers.service_world import ServiceWorld
from vfs.access import Verb
from vfs.call import KeptBytes

GRID = "/v1/vis/grids/board"
BOARD = """
+---------+---------+
|   {A}   |   {B}   |
|         +---------+
|         |   {C}   |
+---------+---------+
"""


class Drawing:
    """A renderer that really draws, in the process of the test."""

    def render(self, order: RenderOrder) -> Rendering:
        return render_order(order)


def test_a_grid_is_read_back(service_world: ServiceWorld, tmp_path: Path) -> None:
    visuals = replace(
        service_world.world.visuals, renderer=Drawing(), kept=RenderStore(tmp_path / "renders", 8 << 20)
    )
    service_world.world = replace(service_world.world, visuals=visuals)
    for name, month in (("one", "north\nJan,12\nFeb,15"), ("two", "south\nJan,8\nFeb,9")):
        service_world.call("alice", Verb.CREATE, f"/v1/vis/plots/{name}")
        service_world.write("alice", f"/v1/vis/plots/{name}/data", f"month,{month}\n")
    service_world.write("alice", "/v1/vis/plots/two/config/title", "Sales in the south")
    service_world.call("alice", Verb.CREATE, GRID)
    service_world.write("alice", f"{GRID}/layout", BOARD)
    service_world.write(
        "alice", f"{GRID}/mapping", "A => /p/one\nB => /p/two, h=t, m=d\nC => /u/bob/p/three\n"
    )
    value = service_world.call("alice", Verb.READ, f"{GRID}/files/grid.svg").value
    assert isinstance(value, KeptBytes)
    with value.open() as file:
        root = ET.fromstring(file.read())
    cells = {one.get("id"): one for one in root if one.get("x")}
    sides = ("x", "y", "width", "height")
    assert {name: tuple(float(cell.attrib[side]) for side in sides) for name, cell in cells.items()} == {
        "cell0": (0, 0, 600, 480), "cell1": (600, 0, 600, 240), "cell2": (600, 240, 600, 240),
    }  # fmt: skip
    texts = {name: "".join(cell.itertext()) for name, cell in cells.items()}
    assert "15" in texts["cell0"] and "Sales in the south" in texts["cell1"]
    assert "is no plot that may be shown here" in texts["cell2"]
    text = service_world.call("alice", Verb.READ, f"{GRID}/files/grid.txt").value
    assert isinstance(text, KeptBytes)
    with text.open() as file:
        lines = file.read().decode().splitlines()
    assert max(map(len, lines)) == 80 and len(lines) == 17
    assert any("Sales in the south" in line for line in lines)
    assert service_world.read("alice", f"{GRID}/log") == [
        {"message": "/u/bob/p/three is no plot that may be shown here."}
    ]


STACK = """
+----------------+
|      {A}       |
|                |
|                |
|                |
|----------------|
|      {B}       |
|                |
|                |
|                |
+----------------+
"""


@pytest.mark.parametrize("kind", ["table", "value"])
def test_a_chart_takes_what_the_other_plots_of_its_stack_leave(
    service_world: ServiceWorld, tmp_path: Path, kind: str
) -> None:
    visuals = replace(
        service_world.world.visuals, renderer=Drawing(), kept=RenderStore(tmp_path / "renders", 8 << 20)
    )
    service_world.world = replace(service_world.world, visuals=visuals)
    for name, type_ in (("one", kind), ("two", "line")):
        service_world.call("alice", Verb.CREATE, f"/v1/vis/plots/{name}")
        service_world.write("alice", f"/v1/vis/plots/{name}/data", "month,north\nJan,12\nFeb,15\nMar,9\n")
        service_world.write("alice", f"/v1/vis/plots/{name}/config/type", type_)
    service_world.call("alice", Verb.CREATE, GRID)
    service_world.write("alice", f"{GRID}/layout", STACK)
    service_world.write("alice", f"{GRID}/mapping", "A => /p/one\nB => /p/two")
    value = service_world.call("alice", Verb.READ, f"{GRID}/files/grid.svg").value
    assert isinstance(value, KeptBytes)
    with value.open() as file:
        root = ET.fromstring(file.read())
    upper, lower = (one for one in root if one.get("x"))
    assert (float(root.attrib["height"]), float(upper.attrib["y"])) == (1411.7647, 0)
    assert float(upper.attrib["height"]) < 400
    assert float(lower.attrib["y"]) == float(upper.attrib["height"])
    assert float(lower.attrib["y"]) + float(lower.attrib["height"]) == pytest.approx(1411.7647)
    (plot,) = lower.findall("{http://www.w3.org/2000/svg}svg")
    assert float(plot.attrib["height"]) == pytest.approx(float(lower.attrib["height"]) - 16, abs=3)
