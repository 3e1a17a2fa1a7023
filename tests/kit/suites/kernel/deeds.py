"""Promises of deeds."""

from __future__ import annotations

from typing import Protocol

from tests.kit.suites.kernel import Ground, StillClock
from vfs.ports.social import MOST_DEEDS, Deeds


class DeedsGround(Ground, Protocol):
    """A ground where it is kept what is done to items."""

    @property
    def deeds(self) -> Deeds: ...
    @property
    def clock(self) -> StillClock: ...


def told(ground: DeedsGround, item: int, *, shares: bool = True) -> list[str]:
    """The deeds of an item as `actor kind path target times`."""
    found = ground.deeds.of(item, None, MOST_DEEDS, shares=shares)
    return [f"{one.actor} {one.kind} {one.below}{one.target} {one.times}" for one in found]


class DeedsSuite:
    """Promises of vfs.ports.social.Deeds."""

    def test_deeds_are_told_newest_first_and_page_by_page(self, ground: DeedsGround) -> None:
        item = ground.items.create("plot", "alice", "waders").id
        for number in range(5):
            ground.deeds.add(item, "alice", "wrote", f"vars/v{number}")
        first = ground.deeds.of(item, None, 2, shares=False)
        assert [one.below for one in first] == ["vars/v4", "vars/v3"]
        rest = ground.deeds.of(item, first[-1].id, 9, shares=False)
        assert [one.below for one in rest] == ["vars/v2", "vars/v1", "vars/v0"]

    def test_the_same_within_an_hour_is_one_deed_and_the_newest(self, ground: DeedsGround) -> None:
        item = ground.items.create("plot", "alice", "waders").id
        for below in ("data", "config/type", "data", "data"):
            ground.deeds.add(item, "alice", "wrote", below)
        ground.deeds.add(item, "bob", "wrote", "data")
        assert told(ground, item) == [
            "bob wrote data 1", "alice wrote data 3", "alice wrote config/type 1",
        ]  # fmt: skip
        ground.clock.forward(3601)
        ground.deeds.add(item, "alice", "wrote", "data")
        assert told(ground, item)[:2] == ["alice wrote data 1", "bob wrote data 1"]

    def test_loose_deeds_keep_the_newest_path(self, ground: DeedsGround) -> None:
        item = ground.items.create("job", "alice", "nightly").id
        for run in ("runs/1", "runs/2"):
            ground.deeds.add(item, "alice", "ran", run, loose=True)
        assert told(ground, item) == ["alice ran runs/2 2"]

    def test_shares_are_told_to_those_who_may_know_of_them(self, ground: DeedsGround) -> None:
        item = ground.items.create("plot", "alice", "waders").id
        ground.deeds.add(item, "alice", "shared", "", "@bob")
        ground.deeds.add(item, "alice", "renamed")
        assert told(ground, item, shares=False) == ["alice renamed  1"]
        assert told(ground, item) == ["alice renamed  1", "alice shared @bob 1"]

    def test_the_newest_are_kept_and_go_with_their_item(self, ground: DeedsGround) -> None:
        item, other = (ground.items.create("plot", "alice", name) for name in ("waders", "gulls"))
        ground.deeds.add(other.id, "alice", "made")
        for number in range(MOST_DEEDS + 5):
            ground.deeds.add(item.id, "alice", "wrote", f"vars/v{number}")
        kept = told(ground, item.id)
        assert len(kept) == MOST_DEEDS
        assert kept[-1] == "alice wrote vars/v5 1"
        assert told(ground, other.id) == ["alice made  1"]
        ground.items.remove(item)
        assert told(ground, item.id) == []
        ground.deeds.add(item.id, "alice", "wrote", "late")
        assert told(ground, item.id) == []
