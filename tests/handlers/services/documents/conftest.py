"""The household of documents."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path as Folder

import pytest

from storage.bytes.renders import RenderStore
from tests.handlers.household import Household
from tests.handlers.services.documents.stage import DOC, PNG, REPORT, Reader, put_asset, variable
from vfs.access import Verb


@pytest.fixture
def renderer(household: Household, tmp_path: Folder) -> Reader:
    """The renderer of a household where alice's report shows plots, a grid, pictures and variables."""
    reader = Reader()
    kept = RenderStore(tmp_path / "renders", 256 << 20)
    household.world = replace(
        household.world, visuals=replace(household.world.visuals, renderer=reader, kept=kept)
    )
    for owner, name in (("alice", "one"), ("bob", "three")):
        household.call(owner, Verb.CREATE, f"/v1/vis/plots/{name}")
        household.write(owner, f"/v1/vis/plots/{name}/data", name)
    household.call("alice", Verb.CREATE, "/v1/vis/grids/board")
    household.write("alice", "/v1/vis/grids/board/layout", "+---+\n|{A}|\n+---+\n")
    household.write("alice", "/v1/vis/grids/board/mapping", "A => /p/one\n")
    household.call("alice", Verb.CREATE, DOC)
    household.write("alice", f"{DOC}/content", REPORT)
    variable(household, "alice", f"{DOC}/vars/total", "0.113", "relative", "+,.1%")
    variable(household, "bob", "/v1/vis/plots/three/vars/rate", "3", "number", "")
    for kind, name, asset in (("doc", "report", "logo.png"), ("plot", "one", "mark.png")):
        put_asset(household, kind, name, asset, PNG)
    return reader
