"""Promises of tags and of comments."""

from __future__ import annotations

from typing import Protocol

from tests.kit.suites.kernel import EmptyWorld, add_user, raises
from vfs.access import Grant, Role
from vfs.errors import Conflict, NotFound
from vfs.ports.items import Found
from vfs.ports.leaves import Mark
from vfs.ports.social import TOP, Comment, Tags, Threads, tag_rel


class SocialWorld(EmptyWorld, Protocol):
    """A world where items are tagged and commented on."""

    @property
    def tags(self) -> Tags: ...
    @property
    def threads(self) -> Threads: ...


def tag(empty_world: EmptyWorld, item: int, name: str, user: str) -> None:
    """Put a tag on an item."""
    empty_world.leaves.put(item, tag_rel(name, user), "", user)


def names(found: list[Found] | object) -> list[str]:
    """The items as `kind owner/name`."""
    assert isinstance(found, list)
    return [f"{one.item.kind} {one.item.owner}/{one.item.name}" for one in found]


class TagsSuite:
    """Promises of vfs.ports.social.Tags."""

    def test_own_tags_are_found_on_items_of_every_kind(self, empty_world: SocialWorld) -> None:
        for kind, name in (("plot", "waders"), ("doc", "birds"), ("doc", "gulls")):
            item = empty_world.items.create(kind, "alice", name)
            tag(empty_world, item.id, "+mine" if name != "gulls" else "+other", "alice")
        assert names(empty_world.tags.carriers("+mine", "alice")) == ["doc alice/birds", "plot alice/waders"]
        assert names(empty_world.tags.carriers("+mine", "bob")) == []

    def test_only_what_still_reaches_the_caller_is_found(self, empty_world: SocialWorld) -> None:
        add_user(empty_world, "alice", public=True)
        group = "@alice~birders"
        for name in ("direct", "public", "grouped", "kept"):
            tag(empty_world, empty_world.items.create("doc", "alice", name).id, "fav", "bob")
        for name, target in (("direct", "@bob"), ("public", "public"), ("grouped", group)):
            found = empty_world.items.find("doc", "alice", name, "alice")
            assert found is not None
            empty_world.grants.give(found.item.id, Grant(target, "r", target))
        empty_world.join(group, "alice", Role.FOUNDERS)
        empty_world.join(group, "bob", Role.MEMBERS)
        found_by = empty_world.tags.carriers("fav", "bob")
        assert names(found_by) == ["doc alice/direct", "doc alice/grouped", "doc alice/public"]
        assert [one.effective_grants[0].role for one in found_by] == [None, Role.MEMBERS, None]
        empty_world.join(group, "bob", Role.MEMBERS, pending=True)
        empty_world.users.change("alice", public=False)
        assert names(empty_world.tags.carriers("fav", "bob")) == ["doc alice/direct"]

    def test_a_category_is_found_by_all_whom_its_items_reach(self, empty_world: SocialWorld) -> None:
        item = empty_world.items.create("plot", "alice", "waders")
        tag(empty_world, item.id, "=wader", "alice")
        assert names(empty_world.tags.carriers("=wader", "bob")) == []
        empty_world.grants.give(item.id, Grant("@bob", "x", "@bob~x"))
        assert names(empty_world.tags.carriers("=wader", "bob")) == ["plot alice/waders"]

    def test_used_tags_are_listed_once_with_their_first_and_last_time(self, empty_world: SocialWorld) -> None:
        first = empty_world.items.create("doc", "alice", "birds")
        other = empty_world.items.create("doc", "bob", "gulls")
        began = empty_world.clock.forward(1)
        tag(empty_world, first.id, "+mine", "alice")
        tag(empty_world, first.id, "=wader", "alice")
        tag(empty_world, first.id, "+theirs", "bob")
        ended = empty_world.clock.forward(1)
        tag(empty_world, other.id, "+mine", "alice")
        tag(empty_world, other.id, "=gull", "bob")
        assert empty_world.tags.of("alice") == [Mark("+mine", began, ended), Mark("=wader", began, began)]

    def test_a_forgotten_tag_is_off_every_item(self, empty_world: SocialWorld) -> None:
        items = [empty_world.items.create("doc", owner, "birds") for owner in ("alice", "bob")]
        for item in items:
            tag(empty_world, item.id, "+mine", "alice")
            tag(empty_world, item.id, "+mine", "bob")
            tag(empty_world, item.id, "=wader", item.owner)
        assert empty_world.tags.forget("+mine", "alice")
        assert empty_world.tags.forget("=wader", "alice")
        assert not empty_world.tags.forget("+mine", "alice")
        assert empty_world.tags.of("alice") == []
        assert [mark.rel for mark in empty_world.tags.of("bob")] == ["+mine", "=wader"]


class ThreadsSuite:
    """Promises of vfs.ports.social.Threads."""

    def item(self, empty_world: SocialWorld) -> int:
        """An item to write on."""
        return empty_world.items.create("doc", "alice", "report").id

    def test_a_thread_begins_and_is_answered(self, empty_world: SocialWorld) -> None:
        item, now = self.item(empty_world), empty_world.clock.forward(1)
        topic = empty_world.threads.add(item, None, "alice", "start", "Hello")
        assert topic == Comment(topic.id, item, TOP, topic.id, 1, "alice", "start", "Hello", now, now)
        reply = empty_world.threads.add(item, topic, "bob", "r1", "")
        assert (reply.parent, reply.topic, reply.depth, reply.name) == (topic.id, topic.id, 2, "@bob~r1")
        deeper = empty_world.threads.add(item, reply, "alice", "r1", "")
        assert (deeper.parent, deeper.topic, deeper.depth) == (reply.id, topic.id, 3)
        found = empty_world.threads.find(item, TOP, "alice", "start")
        assert found is not None
        assert found.replies == 1
        assert empty_world.threads.find(item, topic.id, "alice", "r1") is None
        assert list(empty_world.threads.speakers(topic.id)) == ["alice", "bob"]

    def test_comments_are_listed_oldest_first(self, empty_world: SocialWorld) -> None:
        item = self.item(empty_world)
        for slug in ("z", "a", "m"):
            empty_world.clock.forward(1)
            empty_world.threads.add(item, None, "alice", slug, "")
        assert [one.slug for one in empty_world.threads.on(item, TOP)] == ["z", "a", "m"]
        assert list(empty_world.threads.on(item + 1000, TOP)) == []

    def test_comments_of_many_items_are_looked_up_at_once(self, empty_world: SocialWorld) -> None:
        one = empty_world.items.create("doc", "alice", "one").id
        two = empty_world.items.create("doc", "alice", "two").id
        start = empty_world.threads.add(one, None, "alice", "start", "Hello")
        other = empty_world.threads.add(two, None, "bob", "other", "Hi")
        answer = empty_world.threads.add(one, start, "bob", "r1", "Ho")
        empty_world.threads.add(one, answer, "alice", "r2", "Ha")
        again = empty_world.threads.add(one, None, "bob", "again", "")
        assert empty_world.threads.counts([one, two]) == {one: {start.id: 2, again.id: 0}, two: {other.id: 0}}
        assert empty_world.threads.counts([]) == {}
        found = empty_world.threads.whole([two, one], 100)
        assert [(each.slug, each.replies) for each in found] == [
            ("start", 1), ("other", 0), ("r1", 1), ("r2", 0), ("again", 0),
        ]  # fmt: skip
        assert [each for each in found if each.parent == TOP and each.item == one] == empty_world.threads.on(
            one, TOP
        )
        assert [each.slug for each in empty_world.threads.whole([one], 2)] == ["start", "r1"]
        assert empty_world.threads.whole([], 5) == []

    def test_a_slug_is_used_once_by_an_author_in_a_place(self, empty_world: SocialWorld) -> None:
        item = self.item(empty_world)
        topic = empty_world.threads.add(item, None, "alice", "start", "")
        with raises(Conflict):
            empty_world.threads.add(item, None, "alice", "start", "")
        empty_world.threads.add(item, None, "bob", "start", "")
        empty_world.threads.add(item, topic, "alice", "start", "")
        assert len(empty_world.threads.on(item, TOP)) == 2

    def test_what_is_written_again_is_edited(self, empty_world: SocialWorld) -> None:
        item = self.item(empty_world)
        empty_world.threads.add(item, None, "alice", "start", "")
        for text, edited in (("one", False), ("two", True)):
            comment = empty_world.threads.find(item, TOP, "alice", "start")
            assert comment is not None
            now = empty_world.clock.forward(1)
            empty_world.threads.write(comment, text)
            (comment,) = empty_world.threads.on(item, TOP)
            assert (comment.text, comment.edited, comment.last_modified) == (text, edited, now)

    def test_a_deleted_comment_stands_for_its_answers(self, empty_world: SocialWorld) -> None:
        item = self.item(empty_world)
        topic = empty_world.threads.add(item, None, "alice", "start", "Hello")
        reply = empty_world.threads.add(item, topic, "bob", "r1", "Hi")
        last = empty_world.threads.add(item, reply, "carol", "r2", "Ho")
        empty_world.threads.remove(topic)
        empty_world.threads.remove(reply)
        (left,) = empty_world.threads.on(item, TOP)
        assert (left.text, left.deleted, left.replies) == ("", True, 1)
        assert list(empty_world.threads.speakers(topic.id)) == ["carol"]
        with raises(NotFound):
            empty_world.threads.write(topic, "again")
        with raises(NotFound):
            empty_world.threads.add(item, topic, "dave", "late", "")
        empty_world.threads.remove(last)
        assert list(empty_world.threads.on(item, TOP)) == []
        empty_world.threads.remove(last)
        with raises(NotFound):
            empty_world.threads.add(item, reply, "dave", "late", "")

    def test_comments_go_with_their_item(self, empty_world: SocialWorld) -> None:
        item = empty_world.items.create("doc", "alice", "report")
        empty_world.threads.add(item.id, None, "alice", "start", "")
        empty_world.items.remove(item)
        assert list(empty_world.threads.on(item.id, TOP)) == []
        with raises(NotFound):
            empty_world.threads.add(item.id, None, "alice", "start", "")
