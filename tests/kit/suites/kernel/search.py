"""Promises of the search: what it finds is what listings show, by words, in order and page by page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from random import Random
from typing import Protocol

from tests.kit.suites.kernel import EmptyWorld, add_user
from vfs.access import Grant, Role
from vfs.ports.items import Found, Item
from vfs.ports.leaves import Leaf
from vfs.ports.search import Question, Search, SearchOrder, Whose, asked_words, normal, words
from vfs.ports.social import tag_rel

KINDS = ("plot", "doc", "job")
PEOPLE = ("alice", "bob", "carol", "dave")
SEEDS = range(6)
LONG = " ".join(f"seabird{number}" for number in range(30))
"""More words than stand beside an item's place in an order."""
TEXTS = ("", "Sales", "Ventes à Zürich", "sales north", "売上 2026", "Bird-count", "Birds", f"{LONG} sales")
SEARCHED = (None, "s", "sales", "zurich", "売上", "上", "bird count", "al", "north SALES", "2026", "nothing")


class SearchWorld(EmptyWorld, Protocol):
    """A world where items are looked for."""

    @property
    def search(self) -> Search: ...
    @property
    def walking_search(self) -> Search:
        """The same, for which three items are many."""
        ...


def names(found: Sequence[Found]) -> list[str]:
    """The items as `kind owner/name`."""
    return [f"{one.item.kind} {one.item.owner}/{one.item.name}" for one in found]


def question(caller: str | None, text: str | None = None, **more: object) -> Question:
    """What a caller with all of its rights looks for."""
    given = {"kinds": KINDS, "readable": KINDS, "words": None if text is None else asked_words(text), **more}
    return Question(caller=caller, **given)  # type: ignore[arg-type]


def all_pages(search: Search, first: Question) -> list[Found]:
    """What all pages find together."""
    found: list[Found] = []
    while True:
        hits = search.find(first)
        found += hits.found
        if hits.after is None:
            return found
        first = Question(**{**{name: getattr(first, name) for name in first.__slots__}, "after": hits.after})


class SearchSuite:
    """Promises of vfs.ports.search.Search."""

    def test_items_are_found_by_all_their_texts(self, empty_world: SearchWorld) -> None:
        item = empty_world.items.create("doc", "alice", "q3-figures")
        empty_world.leaves.put(item.id, "name", "Élan der Vögel", "alice")
        empty_world.leaves.put(item.id, "summary", "What flew by in 2026", "alice")
        for text in ("q3", "figures", "elan", "VOGEL", "fle", "2026 by", "alice", "3"):
            assert names(empty_world.search.find(question("alice", text)).found) == [
                "doc alice/q3-figures"
            ], text
        for text in ("igures", "lan", "bob", "2026 bye", "?"):
            assert not empty_world.search.find(question("alice", text)).found, text

    def test_words_change_with_their_texts(self, empty_world: SearchWorld) -> None:
        def found(text: str) -> list[str]:
            return names(empty_world.search.find(question("alice", text)).found)

        item = empty_world.items.create("doc", "alice", "first")
        empty_world.leaves.put(item.id, "name", "Old title", "alice")
        empty_world.leaves.put(item.id, "name", "New title", "alice")
        assert found("old") == [] and found("new") == ["doc alice/first"]
        item = empty_world.items.rename(item, "second")
        assert found("first") == [] and found("second") == ["doc alice/second"]
        empty_world.items.copy(item, "alice", "third", ("name",))
        assert found("new") == ["doc alice/third", "doc alice/second"]
        empty_world.leaves.clear(item.id, "name")
        assert found("new") == ["doc alice/third"]
        empty_world.items.remove(item)
        assert found("second") == []

    def test_texts_of_many_words_are_found_by_each(self, empty_world: SearchWorld) -> None:
        item = empty_world.items.create("doc", "alice", "much")
        for search in (empty_world.search, empty_world.walking_search):
            for title in (LONG, "seabird0 seabird29", LONG):
                empty_world.leaves.put(item.id, "name", title, "alice")
                assert names(search.find(question("alice", "seabird0 seabird29")).found) == ["doc alice/much"]
                assert not search.find(question("alice", "seabird0 seabird30")).found

    def test_a_summary_is_only_found_by_its_readers(self, empty_world: SearchWorld) -> None:
        add_user(empty_world, "alice", public=True)
        item = empty_world.items.create("plot", "alice", "thing")
        empty_world.leaves.put(item.id, "summary", "secret", "alice")
        for letters, is_found in (("x", False), ("w", False), ("r", True), ("xd", False), ("rx", True)):
            for target, caller in (("@bob", "bob"), ("public", None)):
                empty_world.grants.give(item.id, Grant(target, letters, target))
                assert bool(empty_world.search.find(question(caller, "secret")).found) is is_found
                assert empty_world.search.find(question(caller, "thing")).found
                assert not empty_world.search.find(question(caller, "secret", readable=("doc",))).found
                empty_world.grants.take(item.id, target)

    def test_titles_are_the_order_by_name(self, empty_world: SearchWorld) -> None:
        for name, title in (("zebra", "Älpler"), ("b", ""), ("a", "Zoo"), ("c", "beta"), ("d", "Beta")):
            item = empty_world.items.create("doc", "alice", name)
            empty_world.leaves.put(item.id, "name", title, "alice")
        found = all_pages(empty_world.search, question("alice", order=SearchOrder.NAME, most=2))
        assert [one.item.name for one in found] == ["zebra", "b", "c", "d", "a"]

    def test_worlds_are_found_as_they_are_listed(self, empty_world: SearchWorld) -> None:
        for seed in SEEDS:
            random = Random(seed)
            _make_world(empty_world, random, f"s{seed}")
            for caller, whose in product((*PEOPLE, None), Whose):
                _compare(empty_world, random, caller, whose)


def _make_world(empty_world: SearchWorld, random: Random, mark: str) -> None:
    if mark == "s0":
        for name in PEOPLE:
            add_user(empty_world, name, public=name in ("alice", "bob"))
    groups = [f"@{owner}~{name}" for owner, name in (("alice", "one"), ("bob", "two"))] + ["+org~three"]
    for group, person in product(groups, PEOPLE):
        if random.random() < 0.6:
            empty_world.join(group, person, random.choice(list(Role)), pending=random.random() < 0.3)
    for number in range(12):
        empty_world.clock.forward(random.choice((0, 0.001, 60)))
        owner = random.choice(PEOPLE)
        item = empty_world.items.create(random.choice(KINDS), owner, f"{mark}-{number}")
        for rel in ("name", "summary"):
            empty_world.leaves.put(item.id, rel, random.choice(TEXTS), owner)
        for target in random.sample(["public", *(f"@{one}" for one in PEOPLE if one != owner), *groups], 3):
            if random.random() < 0.6:
                empty_world.grants.give(
                    item.id, Grant(target, random.choice(("r", "x", "rx", "rwd")), target)
                )
        for tag in ("fav", "+north", "=board"):
            if random.random() < 0.3:
                person = random.choice(PEOPLE)
                empty_world.leaves.put(item.id, tag_rel(tag, person), "", person)
        _change(empty_world, random, item)


def _change(empty_world: SearchWorld, random: Random, item: Item) -> None:
    """Change, of some, what they are found by."""
    change = random.choice(("nothing", "name", "title", "summary", "copy"))
    if change == "name":
        empty_world.items.rename(item, f"north-{item.name}")
    elif change == "title":
        empty_world.leaves.clear(item.id, "name")
    elif change == "summary":
        empty_world.leaves.put(item.id, "summary", random.choice(TEXTS), item.owner)
    elif change == "copy":
        rels = random.choice((("name",), ("summary",), ("name", "summary")))
        empty_world.items.copy(item, random.choice(PEOPLE), f"copy-{item.name}", rels)


def _compare(empty_world: SearchWorld, random: Random, caller: str | None, whose: Whose) -> None:
    """A search, of random form, with what listings show."""
    text, owner = random.choice(SEARCHED), random.choice(("", "", *PEOPLE))
    kinds = random.choice((KINDS, ("plot",), ("doc", "job")))
    tag = tag_rel("fav", caller) if caller and random.random() < 0.3 else ""
    order = random.choice(list(SearchOrder))
    wanted = question(
        caller,
        text,
        owner=owner,
        kinds=kinds,
        tag=tag,
        whose=whose,
        order=order,
        most=random.choice((1, 7, 50)),
    )
    expected = [
        one for one in _listed(empty_world, kinds, caller) if _is_wanted(empty_world, one, wanted, text)
    ]
    effective_grants = {one.item.id: set(one.effective_grants) for one in expected}
    for search in (empty_world.search, empty_world.walking_search):
        found = all_pages(search, wanted)
        assert names(found) == names(_sorted(empty_world, expected, order)), wanted
        assert {one.item.id: set(one.effective_grants) for one in found} == effective_grants, wanted
    counted = Counter((one.item.kind, one.item.owner) for one in expected)
    assert empty_world.search.count(wanted) == counted, wanted
    assert empty_world.walking_search.count(wanted) in (None, counted), wanted
    tags = Counter(rel for one in expected for rel in _tags(empty_world, one.item, caller))
    assert empty_world.search.count_tags(wanted, 50) == tags, wanted
    largest = sorted(tags, key=lambda rel: (-tags[rel], rel))
    assert list(empty_world.search.count_tags(wanted, 2) or ()) == largest[:2], wanted


def _tags(empty_world: SearchWorld, item: Item, caller: str | None) -> Iterator[str]:
    """The tags of an item that its looker sees: own ones, and categories."""
    for folder in (f"tags/@{caller}", "tags/="):
        yield from (mark.rel for mark in empty_world.leaves.under(item.id, folder))


def _listed(empty_world: SearchWorld, kinds: Sequence[str], caller: str | None) -> Iterator[Found]:
    for kind in kinds:
        yield from empty_world.items.visible(kind, None, caller)


def _is_wanted(empty_world: SearchWorld, one: Found, wanted: Question, text: str | None) -> bool:
    item, me = one.item, wanted.caller
    targets = {effective_grant.target for effective_grant in one.effective_grants}
    if wanted.owner not in ("", item.owner):
        return False
    if wanted.tag and empty_world.leaves.get(item.id, wanted.tag) is None:
        return False
    if text is not None and not _has_words(empty_world, one, me, text):
        return False
    if wanted.whose is Whose.MINE:
        return item.owner == me
    if wanted.whose is Whose.SHARED:
        return item.owner != me and bool(targets - {"public"})
    if wanted.whose is Whose.PUBLIC:
        return any(there.item == item for there in empty_world.items.visible(item.kind, item.owner, None))
    return True


def _has_words(empty_world: SearchWorld, one: Found, me: str | None, text: str) -> bool:
    item = one.item
    may_read = item.owner == me or any(
        "r" in effective_grant.letters for effective_grant in one.effective_grants
    )
    rels = ("name", "summary") if may_read else ("name",)
    texts = [item.name, item.owner, *(_text(empty_world.leaves.get(item.id, rel)) for rel in rels)]
    there = {word for said in texts for word in words(said)}
    return all(any(word.startswith(part) for word in there) for part in asked_words(text))


def _sorted(empty_world: SearchWorld, found: Sequence[Found], order: SearchOrder) -> list[Found]:
    if order is SearchOrder.NAME:
        return sorted(found, key=lambda one: (_label(empty_world, one.item), one.item.id))
    if order is SearchOrder.CREATED:
        return sorted(found, key=lambda one: one.item.id, reverse=True)
    return sorted(found, key=lambda one: (one.item.last_modified, one.item.id), reverse=True)


def _label(empty_world: SearchWorld, item: Item) -> str:
    return normal(_text(empty_world.leaves.get(item.id, "name"))) or item.name


def _text(leaf: Leaf | None) -> str:
    return (leaf.text or "") if leaf is not None else ""
