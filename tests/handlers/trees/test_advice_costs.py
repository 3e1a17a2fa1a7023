"""The cost of advice at a refusal: as many statements and rows in a folder of many items as of few."""

from __future__ import annotations

import pytest

from handlers.trees import ROOT
from tests.handlers.service_world import ServiceWorld
from tests.kit.counting.statements import Statements
from vfs.access import Caller, Verb, Via
from vfs.call import Call
from vfs.errors import NotFound
from vfs.path import Path
from vfs.remedies import EITHER_SIDE, advise
from vfs.serve import serve
from vfs.tree import Tree

TREE = Tree(ROOT)
DOCS = "/v1/users/alice/vis/docs"


def advice(service_world: ServiceWorld, name: str, caller: str = "alice") -> str:
    """Return the advice about a document that does not exist."""
    call = Call(Verb.READ, Path.parse(f"{DOCS}/{name}"), Caller(caller, Via.TOKEN), service_world.world)
    with pytest.raises(NotFound) as refusal:
        serve(TREE, call)
    return advise(TREE, call, refusal.value).detail


def test_names_on_either_side_are_compared_however_many_there_are(
    service_world: ServiceWorld, statements: Statements
) -> None:
    def ask() -> int:
        details: list[str] = []
        cost = statements(lambda: details.append(advice(service_world, "report-3x")))
        assert f"did you mean {DOCS}/report-3?" in details[0]
        return cost

    for number in range(2 * EITHER_SIDE):
        service_world.call("alice", Verb.CREATE, f"{DOCS}/report-{number}")
    few = ask()
    for number in range(300):
        service_world.call("alice", Verb.CREATE, f"{DOCS}/other-{number}")
    assert ask() == few


def test_private_items_are_not_suggested(service_world: ServiceWorld) -> None:
    for name in ("report-1", "report-2"):
        service_world.call("alice", Verb.CREATE, f"{DOCS}/{name}")
    service_world.call("alice", Verb.CREATE, f"{DOCS}/report-2/shared/@bob~r")
    assert "report" not in advice(service_world, "report-1x", "carol").replace("report-1x", "")
    assert f"{DOCS}/report-2?" in advice(service_world, "report-2x", "bob")
    assert f"{DOCS}/report-1?" not in advice(service_world, "report-1x", "bob")
