"""Calls during which something ends, or which go on for long."""

from __future__ import annotations

import pytest

from tests.kit.world import StoredWorld
from vfs.access import Caller, Kind, Verb
from vfs.body import TextBody
from vfs.call import Call, Unsupervised
from vfs.errors import NotFound
from vfs.nodes import Dir, Each, Items
from vfs.param import USER, Param
from vfs.parts import text, value
from vfs.path import Path
from vfs.rules import ANYONE, NOBODY, SIGNED_IN, Rule, hide_unless
from vfs.serve import serve
from vfs.tree import Tree

DOC = "/docs/alice/report"


class Counting(Unsupervised):
    """Counts the answers that go on for long."""

    begun = 0

    def begin(self, *, spare: bool = False) -> None:
        self.begun += 1


def entries(rule: Rule) -> Each:
    """A folder in which every name is there for who meets the rule."""
    return Each(Param("entry"), Dir({}), names=lambda p: (), has=hide_unless(rule, lambda p, name: name))


class Context:
    """A document whose text vanishes with it while it is written, and whose log goes on for long."""

    def __init__(self) -> None:
        self.world = StoredWorld()
        self.item = self.world.items.create("doc", "alice", "report")
        self.ongoing = Counting()
        doc = {
            "text": text(check=self._vanish),
            "log": value(lambda p: "line", open_ended=lambda p: "follow" in p.call.query),
            "notes": entries(SIGNED_IN),
            "secrets": entries(NOBODY),
        }
        kind = Kind(name="doc")
        users = Each(
            USER, Items(kind, Dir(doc), canonical=True), names=lambda p: (), has=lambda p, name: name
        )
        self.tree = Tree(Dir({"docs": users}, rules={Verb.READ: ANYONE}))

    def ask(self, verb: Verb, path: str, sent: str | None = None, **query: str) -> object:
        """The value of the answer to alice."""
        body = {} if sent is None else {"body": TextBody(sent)}
        call = Call(
            verb, Path.parse(path), Caller("alice"), self.world, query=query, ongoing=self.ongoing, **body
        )
        return serve(self.tree, call).value

    def _vanish(self, sent: str) -> str:
        if sent == "vanish":
            self.world.items.remove(self.item)
        return sent


def test_what_is_removed_while_it_is_written_is_absent() -> None:
    context = Context()
    context.ask(Verb.WRITE, f"{DOC}/text", "stays")
    with pytest.raises(NotFound):
        context.ask(Verb.WRITE, f"{DOC}/text", "vanish")


@pytest.mark.parametrize(("query", "begun"), [({}, 0), ({"follow": ""}, 1)])
def test_an_answer_that_may_go_on_for_long_takes_a_place_first(query: dict[str, str], begun: int) -> None:
    context = Context()
    assert context.ask(Verb.READ, f"{DOC}/log", **query) == "line"
    assert context.ongoing.begun == begun


def test_an_entry_is_hidden_from_who_does_not_meet_its_rule() -> None:
    context = Context()
    assert context.ask(Verb.READ, f"{DOC}/notes/one") is not None
    with pytest.raises(NotFound):
        context.ask(Verb.READ, f"{DOC}/secrets/one")
