"""Envelopes of what is large: rows that are not quoted, drawings that nest deeper than encoders follow."""

from __future__ import annotations

import json
from typing import Any

import pytest

from handlers.http.listings import as_json
from handlers.trees.aliases.envelope import LARGEST_QUOTED
from tests.handlers.pictures import drawn
from tests.handlers.trees.tree_world import TreeWorld
from vfs.access import PUBLIC, Caller, Verb


@pytest.fixture
def alice(tree_world: TreeWorld) -> Caller:
    """alice, public, with a plot and a grid."""
    tree_world.users.change("alice", public=True)
    caller = tree_world.token("alice")
    for path in ("/v1/vis/plots/birds", "/v1/vis/grids/board"):
        tree_world.call(Verb.CREATE, path, caller)
    return caller


def envelope(tree_world: TreeWorld, path: str, caller: Caller) -> Any:
    """The envelope as it is sent."""
    return json.loads(as_json(tree_world.read(path, caller)))


def spiral(turns: int) -> str:
    """A layout in which each turn puts a cell beside and a cell below all that was drawn before."""
    lines = ["+---+", "|{A}|", "+---+"]
    for _ in range(turns):
        inner = ["{B}|", *["   |"] * (len(lines) - 3)]
        lines = [line + more for line, more in zip(lines, ["---+", *inner, "---+"], strict=True)]
        width = len(lines[0])
        lines += [f"|{'{C}'.ljust(width - 2)}|", f"+{'-' * (width - 2)}+"]
    return "\n".join(lines)


@pytest.mark.parametrize("more, quoted", [(0, True), (1, False)])
def test_rows_are_quoted_up_to_a_size_and_found_by_their_address(
    tree_world: TreeWorld, alice: Caller, more: int, quoted: bool
) -> None:
    text = "é" * (LARGEST_QUOTED + more)
    tree_world.write("/v1/vis/plots/birds/data", alice, text)
    said = envelope(tree_world, "/v1/u/alice/p/birds", alice)
    assert said["data"] == (text if quoted else None)
    address = said["about"]["uri_data"].removeprefix("http://localhost:8000")
    assert tree_world.text(address, alice) == text


def test_a_grid_that_nests_deep_is_quoted_whole(tree_world: TreeWorld, alice: Caller) -> None:
    tree_world.write("/v1/vis/grids/board/layout", alice, spiral(85))
    node, depth = envelope(tree_world, "/v1/u/alice/g/board", alice)["data"]["structure"], 0
    while node["children"]:
        node, depth = max(node["children"], key=lambda child: len(child["children"])), depth + 1
    assert depth == 170


def test_a_creator_has_an_avatar_once_it_is_drawn(tree_world: TreeWorld, alice: Caller) -> None:
    tree_world.call(Verb.CREATE, "/v1/vis/plots/birds/shared/public~r", alice)
    assert envelope(tree_world, "/v1/u/alice/p/birds", PUBLIC)["creator"]["avatar"] is None
    tree_world.call(Verb.CREATE, "/v1/admin/profile/picture/image", alice, drawn("PNG"), "image/png")
    avatar = envelope(tree_world, "/v1/u/alice/p/birds", PUBLIC)["creator"]["avatar"]
    assert avatar == "http://localhost:8000/v1/u/alice/img"
