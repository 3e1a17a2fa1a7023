"""Promises of actions."""

from __future__ import annotations

from typing import Protocol

from tests.kit.suites.kernel import EmptyWorld, StillClock
from vfs.ports.social import MOST_ACTIONS, ItemActions


class ActionsWorld(EmptyWorld, Protocol):
    """A world where it is kept what is done to items."""

    @property
    def actions(self) -> ItemActions: ...
    @property
    def clock(self) -> StillClock: ...


def actions_of(empty_world: ActionsWorld, item: int, *, shares: bool = True) -> list[str]:
    """The actions of an item as `actor kind path target times`."""
    found = empty_world.actions.of(item, None, MOST_ACTIONS, shares=shares)
    return [f"{one.actor} {one.kind} {one.below}{one.target} {one.times}" for one in found]


class ActionsSuite:
    """Promises of vfs.ports.social.Actions."""

    def test_actions_are_listed_newest_first_and_page_by_page(self, empty_world: ActionsWorld) -> None:
        item = empty_world.items.create("plot", "alice", "waders").id
        for number in range(5):
            empty_world.actions.add(item, "alice", "wrote", f"vars/v{number}")
        first = empty_world.actions.of(item, None, 2, shares=False)
        assert [one.below for one in first] == ["vars/v4", "vars/v3"]
        rest = empty_world.actions.of(item, first[-1].id, 9, shares=False)
        assert [one.below for one in rest] == ["vars/v2", "vars/v1", "vars/v0"]

    def test_the_same_within_an_hour_is_one_action_and_the_newest(self, empty_world: ActionsWorld) -> None:
        item = empty_world.items.create("plot", "alice", "waders").id
        for below in ("data", "config/type", "data", "data"):
            empty_world.actions.add(item, "alice", "wrote", below)
        empty_world.actions.add(item, "bob", "wrote", "data")
        assert actions_of(empty_world, item) == [
            "bob wrote data 1", "alice wrote data 3", "alice wrote config/type 1",
        ]  # fmt: skip
        empty_world.clock.forward(3601)
        empty_world.actions.add(item, "alice", "wrote", "data")
        assert actions_of(empty_world, item)[:2] == ["alice wrote data 1", "bob wrote data 1"]

    def test_loose_actions_keep_the_newest_path(self, empty_world: ActionsWorld) -> None:
        item = empty_world.items.create("job", "alice", "nightly").id
        for run in ("runs/1", "runs/2"):
            empty_world.actions.add(item, "alice", "ran", run, loose=True)
        assert actions_of(empty_world, item) == ["alice ran runs/2 2"]

    def test_shares_are_listed_for_those_who_may_see_them(self, empty_world: ActionsWorld) -> None:
        item = empty_world.items.create("plot", "alice", "waders").id
        empty_world.actions.add(item, "alice", "shared", "", "@bob")
        empty_world.actions.add(item, "alice", "renamed")
        assert actions_of(empty_world, item, shares=False) == ["alice renamed  1"]
        assert actions_of(empty_world, item) == ["alice renamed  1", "alice shared @bob 1"]

    def test_the_newest_are_kept_and_go_with_their_item(self, empty_world: ActionsWorld) -> None:
        item, other = (empty_world.items.create("plot", "alice", name) for name in ("waders", "gulls"))
        empty_world.actions.add(other.id, "alice", "made")
        for number in range(MOST_ACTIONS + 5):
            empty_world.actions.add(item.id, "alice", "wrote", f"vars/v{number}")
        kept = actions_of(empty_world, item.id)
        assert len(kept) == MOST_ACTIONS
        assert kept[-1] == "alice wrote vars/v5 1"
        assert actions_of(empty_world, other.id) == ["alice made  1"]
        empty_world.items.remove(item)
        assert actions_of(empty_world, item.id) == []
        empty_world.actions.add(item.id, "alice", "wrote", "late")
        assert actions_of(empty_world, item.id) == []
