"""Rules that say that their answers depend on the facts of a visit alone ask for nothing else."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from handlers.processes.web import tree_and_pages
from handlers.trees import ADVICE, ROOT
from vfs.access import Access, Caller, Verb, Via
from vfs.call import Call
from vfs.listing import rights_at, row
from vfs.path import Path
from vfs.ports.items import Item
from vfs.route import Route, RoutedContext

ALIKE = [route for route in tree_and_pages(ROOT)[0].routes() if route.alike and route.rules]
NOW = "2026-01-01T00:00:00Z"


def context(route: Route, access: Access, owner: str, caller: Caller, name: str) -> RoutedContext[Any]:
    """Return the context of a caller in an item with this name, without a world."""
    context = RoutedContext(
        ADVICE, Call(Verb.READ, Path((name, "leaf")), caller, None), route, Path((name, "leaf"))
    )
    context.item = Item(len(name), name, owner, name, name, NOW, NOW)
    context.access, context.rel = access, f"{name}/leaf"
    return context


@given(
    access=st.integers(0, max(one.value for one in Access) * 2 - 1).map(Access),
    caller=st.sampled_from(["alice", "bob", None]),
    via=st.sampled_from(Via),
    names=st.tuples(st.sampled_from(["a", "doc", "job"]), st.sampled_from(["b", "plot", "space"])),
)
def test_equal_facts_have_equal_verbs_wherever_they_are(
    access: Access, caller: str | None, via: Via, names: tuple[str, str]
) -> None:
    assert len(ALIKE) > 300
    who = Caller(caller, via)
    for route in ALIKE:
        one, other = (context(route, access, "alice", who, name) for name in names)
        facts = one.facts()
        assert facts is not None
        assert facts == other.facts()
        assert rights_at(one) == rights_at(other)
        shown = row(other, NOW, NOW, kind="file", facts=facts)
        assert (shown.verbs, shown.permissions) == rights_at(other)
