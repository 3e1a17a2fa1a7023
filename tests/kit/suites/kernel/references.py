"""Promises of what the search finds by names in texts: what reading all texts again would find."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random

from chains.language.named_items import (
    Names,
    named_in_mapping,
    named_in_mounts,
    named_in_plan,
    named_in_prose,
    short_name,
)
from tests.kit.suites.kernel import add_user
from tests.kit.suites.kernel.search import SearchWorld, all_pages, question
from vfs.access import Grant
from vfs.ports.items import Item, ItemName
from vfs.ports.search import NamedItem, Question

NAMES: dict[str, Names] = {
    "content": named_in_prose,
    "mapping": named_in_mapping,
    "config/spaces": named_in_mounts,
    "config/plan": named_in_plan,
}
"""The files of items that name others, as kinds declare them."""
KINDS = {"plot": "p", "grid": "g", "doc": "d", "job": "j"}
PEOPLE = ("alice", "bob", "carol")
WORDS = ("north", "south", "west")
STEPS = 60


def by_name(caller: str | None, *naming: ItemName, **more: object) -> Question:
    """Ask for what names an item so."""
    kinds = tuple(KINDS)
    return question(caller, **{"kinds": kinds, "readable": kinds, **more}, naming=naming)  # type: ignore[arg-type]


class ReferencesSuite:
    """Promises of `Question.naming`."""

    def test_a_name_counts_from_the_write_to_the_end_of_its_text(self, empty_world: SearchWorld) -> None:
        def found(name: str, owner: str = "alice") -> list[str]:
            hits = empty_world.search.find(by_name("alice", ItemName("p", owner, name)))
            return [one.item.name for one in hits.found]

        item = empty_world.items.create("grid", "alice", "wall")
        empty_world.leaves.put(item.id, "mapping", "A => /p/later\nB => /u/bob/p/his", "alice")
        assert found("later") == ["wall"] and found("his", "bob") == ["wall"] and found("his") == []
        empty_world.items.create("plot", "alice", "later")
        item = empty_world.items.rename(item, "board")
        assert found("later") == ["board"]
        empty_world.items.copy(item, "alice", "second", ("mapping",))
        assert found("later") == ["second", "board"]
        empty_world.leaves.put(item.id, "mapping", "A => /p/other", "alice")
        assert found("later") == ["second"] and found("other") == ["board"]
        empty_world.leaves.move(item.id, "mapping", "assets/mapping")
        assert found("other") == ["board"]
        empty_world.leaves.clear(item.id, "assets")
        assert found("other") == []
        second = empty_world.items.find("grid", "alice", "second", "alice")
        assert second is not None
        empty_world.items.remove(second.item)
        assert found("later") == []

    def test_the_leaves_of_an_owner_that_name_an_item_are_listed(self, empty_world: SearchWorld) -> None:
        for kind, owner, rel in (
            ("doc", "alice", "content"),
            ("grid", "alice", "mapping"),
            ("doc", "bob", "content"),
        ):
            item = empty_world.items.create(kind, owner, "one")
            empty_world.leaves.put(item.id, rel, "A => /u/alice/p/north", owner)
        north, naming = ItemName("p", "alice", "north"), empty_world.search.naming_leaves
        leaves = [("doc", "one", "content"), ("grid", "one", "mapping")]
        assert naming("alice", north, 9) == leaves
        assert naming("alice", north, 1) == leaves[:1]
        assert naming("bob", north, 9) == [("doc", "one", "content")]
        assert naming("alice", ItemName("p", "bob", "north"), 9) == []
        names = {NamedItem("alice", "north"), NamedItem("alice", "south"), NamedItem("bob", "north")}
        for owner, number in (("alice", 2), ("bob", 1)):
            assert empty_world.search.count_naming(owner, "p", names) == {NamedItem("alice", "north"): number}
        for owner, letter in (("carol", "p"), ("alice", "g")):
            assert empty_world.search.count_naming(owner, letter, names) == {}
        assert empty_world.search.count_naming("alice", "p", ()) == {}

    def test_a_copy_of_another_owner_names_the_items_of_that_owner(self, empty_world: SearchWorld) -> None:
        item = empty_world.items.create("doc", "alice", "report")
        empty_world.leaves.put(item.id, "content", "see /p/north and ref: Ab3dE", "alice")
        empty_world.items.copy(item, "bob", "taken", ("content",))
        for owner, name in (("alice", "report"), ("bob", "taken")):
            (one,) = empty_world.search.find(by_name(owner, ItemName("p", owner, "north"))).found
            assert one.item.name == name
        for caller in ("alice", "bob"):
            assert len(empty_world.search.find(by_name(caller, short_name("Ab3dE"))).found) == 1

    def test_it_is_found_by_readers_only(self, empty_world: SearchWorld) -> None:
        add_user(empty_world, "alice", public=True)
        item = empty_world.items.create("doc", "alice", "report")
        empty_world.leaves.put(item.id, "content", "/p/north", "alice")
        name = ItemName("p", "alice", "north")
        assert not empty_world.search.find(by_name("bob", name)).found
        for letters in ("x", "w", "r", "xd", "rx"):
            empty_world.grants.give(item.id, Grant("@bob", letters, "@bob"))
            is_found = bool(empty_world.search.find(by_name("bob", name)).found)
            assert is_found is ("r" in letters)
            assert not empty_world.search.find(by_name("bob", name, readable=("grid",))).found

    def test_worlds_are_found_as_all_texts_say(self, empty_world: SearchWorld) -> None:
        for seed in range(4):
            _compare(empty_world, Random(seed), f"s{seed}")


def _compare(empty_world: SearchWorld, random: Random, world: str) -> None:
    """Walk through writes, renames, copies and removals, and read all texts again after some of them."""
    people = [f"{world}{one}" for one in PEOPLE]
    for person in people:
        add_user(empty_world, person, public=random.random() < 0.5)
    there: list[Item] = []
    for step in range(STEPS):
        _act(empty_world, random, there, people, f"{step}")
        if step % 10 == 9:
            every = list(product((*people, None), people, KINDS, WORDS))
            for caller, owner, kind, word in random.sample(every, 12):
                name = ItemName(KINDS[kind], owner, word)
                expected = {one.id for one in there if _names(empty_world, one, name, caller)}
                for search in (empty_world.search, empty_world.walking_search):
                    pages = all_pages(search, by_name(caller, name, short_name("Zz9"), most=2))
                    assert {one.item.id for one in pages} == expected
                    assert len(pages) == len(expected)


def _act(empty_world: SearchWorld, random: Random, there: list[Item], people: list[str], fresh: str) -> None:
    action = random.choice(("make", "make", "write", "write", "rename", "copy", "clear", "remove", "share"))
    if action == "make" or not there:
        there.append(empty_world.items.create(random.choice(list(KINDS)), random.choice(people), f"n{fresh}"))
        action = "write"
    at = random.randrange(len(there)) if action != "write" else -1
    item, rel = there[at], random.choice(list(NAMES))
    if action == "write":
        empty_world.leaves.put(item.id, rel, "\n".join(_lines(random, rel, people)), item.owner)
    elif action == "rename":
        there[at] = empty_world.items.rename(item, f"r{fresh}")
    elif action == "copy":
        there.append(empty_world.items.copy(item, random.choice(people), f"c{fresh}", list(NAMES)))
    elif action == "clear":
        empty_world.leaves.clear(item.id, rel)
    elif action == "remove":
        empty_world.items.remove(there.pop(at))
    else:
        target = random.choice([*(f"@{one}" for one in people), "public"])
        empty_world.grants.give(item.id, Grant(target, random.choice(("r", "x", "rw")), target))


def _lines(random: Random, rel: str, people: list[str]) -> Iterator[str]:
    for number in range(random.randrange(4)):
        owner, word, letter = random.choice(people), random.choice(WORDS), random.choice("pgdj")
        mine = random.choice((f"/{letter}/{word}", f"/u/{owner}/{letter}/{word}", "ref: Zz9"))
        yield {"mapping": f"L{number} => {mine.removeprefix('ref: ')}"}.get(rel, mine)


def _names(empty_world: SearchWorld, item: Item, name: ItemName, caller: str | None) -> bool:
    """Whether a caller may read that an item names another, by all texts of it."""
    found = empty_world.items.at(item.id, caller)
    assert found is not None
    if caller != item.owner and not any("r" in one.letters for one in found.effective_grants):
        return False
    texts = empty_world.leaves.texts_of([item.id], list(NAMES)).get(item.id, {})
    named = {
        one._replace(owner=one.owner or (item.owner if one.letter else ""))
        for rel, text in texts.items()
        for one in NAMES[rel](text)
    }
    return name in named or short_name("Zz9") in named
