"""What advice at a refusal costs: as many statements and rows in a folder of many items as of few."""

from __future__ import annotations

import pytest

from handlers.trees import ROOT
from tests.handlers.household import Household
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


def advice(household: Household, name: str, caller: str = "alice") -> str:
    """What is told of a document that is not there."""
    call = Call(Verb.READ, Path.parse(f"{DOCS}/{name}"), Caller(caller, Via.TOKEN), household.world)
    with pytest.raises(NotFound) as refusal:
        serve(TREE, call)
    return advise(TREE, call, refusal.value).detail


def test_names_on_either_side_are_compared_however_many_there_are(
    household: Household, statements: Statements
) -> None:
    def ask() -> int:
        told: list[str] = []
        cost = statements(lambda: told.append(advice(household, "report-3x")))
        assert f"did you mean {DOCS}/report-3?" in told[0]
        return cost

    for number in range(2 * EITHER_SIDE):
        household.call("alice", Verb.CREATE, f"{DOCS}/report-{number}")
    few = ask()
    for number in range(300):
        household.call("alice", Verb.CREATE, f"{DOCS}/other-{number}")
    assert ask() == few


def test_what_is_private_is_no_advice(household: Household) -> None:
    for name in ("report-1", "report-2"):
        household.call("alice", Verb.CREATE, f"{DOCS}/{name}")
    household.call("alice", Verb.CREATE, f"{DOCS}/report-2/shared/@bob~r")
    assert "report" not in advice(household, "report-1x", "carol").replace("report-1x", "")
    assert f"{DOCS}/report-2?" in advice(household, "report-2x", "bob")
    assert f"{DOCS}/report-1?" not in advice(household, "report-1x", "bob")
